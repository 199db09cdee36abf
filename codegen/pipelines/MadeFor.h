//===- MadeFor.h - the target and the CPU that a module was made for ------------===//
#pragma once

#include "codegen/pipelines/Pipelines.h"
#include "codegen/target/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace stretto::codegen {

/// What a module says that it was made for.
struct MadeFor {
  llvm::StringRef target; // as --target names it
  bool emulate;           // its kernels are for the emulator
};

/// Nothing where a module does not say.
std::optional<MadeFor> madeFor(mlir::ModuleOp module);

/// The CPU that a module was made for, as LLVM names it; "native" where it is the host's or the module does not say.
std::string cpuOf(mlir::ModuleOp module);

/// Whether a module that has gone through `phase` (nothing: through none) can go on for a target: what is fused depends
/// on it. One that names no target can go on for any.
bool canGoOnFor(mlir::ModuleOp module, std::optional<Phase> phase, const Backend &backend);

/// Writes on a module what it is made for; `settings` are resolved.
void describeTarget(mlir::ModuleOp module, const Backend &backend, const BackendSettings &settings, const Target &cpu);

} // namespace stretto::codegen
