//===- Target.h - the machine that code is made for ---------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
class Twine;
} // namespace llvm

namespace stretto::codegen {

/// Everything code generation asks about a machine. Plain data: the same record, the same code.
struct Target {
  std::string triple;            // e.g. x86_64-unknown-linux-gnu
  std::string cpu;               // as LLVM names it, e.g. x86-64-v4
  std::string features;          // differences from the CPU's own set, "+a,-b"; set for the host only
  std::string instructionSets;   // all that the code may use, "avx,avx2,...", sorted
  unsigned vectorBits = 128;     // width of the vectors that generated loops use
  bool fusedMultiplyAdd = false; // whether a*b+c is one instruction
  bool vectorMasks = false;      // whether a vector under a mask costs what a whole one does

  /// Vector lanes of a number of `bytes` bytes.
  unsigned lanes(unsigned bytes) const { return vectorBits / 8 / bytes; }

  /// The machine `cpu` names: `native` (the host, with the features it has) or a name that LLVM knows for the
  /// host's architecture. Reports an unknown name with the nearest known one.
  static llvm::FailureOr<Target> resolve(llvm::StringRef cpu,
                                         llvm::function_ref<void(const llvm::Twine &)> reportError);

  /// LLVM's own description, for position-independent code at the highest optimization level.
  std::unique_ptr<llvm::TargetMachine> createMachine() const;
};

} // namespace stretto::codegen
