//===- Optimize.h - which of LLVM's passes kernels go through -------------------===//
#pragma once

#include "llvm/IR/OptBisect.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace stretto::codegen {

/// Runs the passes over LLVM IR. Kernels are vector code in blocks of rows and columns already, with addresses that are
/// a register and a constant: they lack only that what is equal is computed once and what a loop does not change is in
/// front of it. `checkAddresses`: AddressSanitizer looks at each access of the code.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, bool checkAddresses);

/// Keeps passes of the code generator that kernels gain nothing from away from all code of a context.
class UselessPasses final : public llvm::OptPassGate {
public:
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef description) const override;
};

} // namespace stretto::codegen
