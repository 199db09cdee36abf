//===- Pipelines.h - the order of passes --------------------------------------===//
//
// The only place that orders passes. A module goes through the phases one after the other; after each it can be
// printed, edited and continued.
#pragma once

#include "codegen/pipelines/Backends.h"

#include "mlir/Pass/PassManager.h"

#include <string>

namespace mlir {
class DialectRegistry;
}

namespace stretto::codegen {

/// What may be fused: "always": epilogues also where they do not pay, "rows": no epilogues.
inline constexpr llvm::StringRef fuseWords[] = {"all", "always", "rows", "none"};

/// What shapes the code that is made from a model.
struct PipelineOptions {
  std::string fuse = "all";   // one of fuseWords
  int64_t memoryBudget = 0;   // bytes that saved values of all layers may take; 0: what the target weighs them by
  int64_t headBytes = 0;      // largest logits, in bytes, that are held at once; 0: what suits the backend
  int64_t bucketBytes = 0;    // least bytes of a bucket that ranks exchange; 0: what suits the backend
  std::string cpu = "native"; // the host, as LLVM names it
  std::string activations;    // "bf16", or empty: activations have the type of parameters
  int64_t decode = 0;         // tokens of a chunk of the decode entries; 0: no such entries
  const Backend *backend = allBackends().front();
  BackendSettings settings;  // resolved by the backend
  std::string schedules;     // given for some kernels (codegen/rows/ScheduleOverrides.h), several apart by semicolons
  std::string continuedFrom; // the text of the stage that the module was read from, for the program; empty: none
};

/// The stages of a module behind the front end's `seq`:
///   train    gradients and evaluation as functions, saved values chosen
///   fused    row operations are kernels, the optimizer is there
///   kernels  kernels have schedules and every value a place
///   nvvm     kernels for a GPU are in a gpu.module, in the dialects llvm and nvvm; for a CPU the same as kernels
///   llvm     kernels and host code in the LLVM dialect; kernels for a GPU are images
enum class Phase { train, fused, kernels, nvvm, llvm };
inline constexpr Phase allPhases[] = {Phase::train, Phase::fused, Phase::kernels, Phase::nvvm, Phase::llvm};
llvm::StringRef nameOf(Phase phase);

/// Adds the passes that take a module from the phase before into `phase`.
void addPhase(mlir::OpPassManager &passes, Phase phase, const PipelineOptions &options);

/// Adds what notes on the kernels of a module in the phase `kernels` what they take of the device, where machine code
/// tells.
void addResources(mlir::OpPassManager &passes, const PipelineOptions &options);

/// Adds the dialects that code generation lowers to.
void registerCodegenDialects(mlir::DialectRegistry &registry);

/// Registers the passes of codegen/ by name.
void registerCodegenPasses();

/// Registers `stretto-train`, `stretto-fused`, `stretto-kernels`, `stretto-nvvm`, `stretto-llvm`: passes that each take
/// a module from the phase before, with the fields of PipelineOptions as options. Which machine it is for, the module
/// says where no option does.
void registerPhases();

} // namespace stretto::codegen
