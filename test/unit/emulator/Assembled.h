//===- Assembled.h - the emulator's kernels as machine code of a GPU ------------------===//
#pragma once

#include "ir/kern/KernOps.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>

namespace stretto::test {

/// Whether there is an assembler for sm_90a.
bool hasAssembler();

/// A text that the emulator runs, assembled for sm_90a.
class Assembled {
public:
  explicit Assembled(const std::string &text);

  /// Its first kernel; null where the text cannot be assembled.
  kern::DeviceKernelOp kernel();

private:
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace stretto::test
