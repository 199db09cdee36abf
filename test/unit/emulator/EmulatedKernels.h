//===- EmulatedKernels.h - compile CUDA kernels for the emulator, load them, run them -----===//
#pragma once

#include "codegen/target/EmitObject.h"
#include "runtime/abi/abi.h"
#include "runtime/abi/emulator.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <vector>

namespace stretto::test {

/// The kernels of a module's text.
class EmulatedKernels {
public:
  explicit EmulatedKernels(const std::string &text);
  ~EmulatedKernels();
  EmulatedKernels(const EmulatedKernels &) = delete;

  bool isLoaded() const { return handle; }
  /// One whole launch of the kernel, in `calls` calls.
  void launch(const std::string &kernel, const std::vector<void *> &buffers, int64_t calls = 1) const;
  /// The function that runs blocks of a kernel.
  stretto_kernel_fn entry(const std::string &kernel) const;
  /// Names that the machine code leaves to others.
  std::vector<std::string> undefinedNames() const;

private:
  std::string folder;
  std::map<std::string, int64_t> blocks; // of each kernel
  void *handle = nullptr;
};

/// `text` with the one place where `from` stands changed.
std::string with(std::string text, const std::string &from, const std::string &to);

} // namespace stretto::test
