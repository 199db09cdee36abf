//===- Pipelines.h - the order of passes --------------------------------------===//
//
// The only place that orders passes. A module goes through the phases one after the other; after each it can be
// printed, edited and continued.
#pragma once

#include "mlir/Pass/PassManager.h"

#include <optional>
#include <string>

namespace mlir {
class DialectRegistry;
}

namespace stretto {

/// What shapes the code that is made from a model.
struct PipelineOptions {
  std::string fuse = "all";       // "all" or "none"
  int64_t memoryBudget = 0;       // bytes that saved values of all layers may take; 0: no limit
  int64_t headBytes = 0;          // largest logits, in bytes, that are held at once; 0: what suits the target
  std::string cpu = "native";     // the machine, as LLVM names it
  std::string activations;        // "bf16", or empty: activations have the type of parameters
  std::string target = "cpu";     // "cpu" or "cuda"
  std::string chip = "sm_90a";    // cuda: the GPU architecture
  std::string cudaPath = "";      // cuda: the folder of the toolkit; empty: look for it
  bool emulate = false;           // cuda: kernels for the emulator instead of the GPU
  int64_t decode = 0;             // tokens of a chunk of the decode entries; 0: no such entries
};

/// The stages of a module behind the front end's `seq`:
///   train    gradients and evaluation as functions, saved values chosen
///   fused    row operations are kernels, the optimizer is there
///   kernels  kernels have schedules and every value a place
///   nvvm     for cuda: kernels in a gpu.module, in the dialects llvm and nvvm; for cpu the same as kernels
///   llvm     kernels and host code in the LLVM dialect; for cuda the kernels are images
enum class Phase { train, fused, kernels, nvvm, llvm };
inline constexpr Phase allPhases[] = {Phase::train, Phase::fused, Phase::kernels, Phase::nvvm, Phase::llvm};
llvm::StringRef nameOf(Phase phase);

/// Adds the passes that take a module from the phase before into `phase`.
void addPhase(mlir::OpPassManager &passes, Phase phase, const PipelineOptions &options);

/// Adds what notes on the kernels of a module in the phase `kernels` what they take of the device, where machine code tells.
void addResources(mlir::OpPassManager &passes, const PipelineOptions &options);

/// Adds the dialects that code generation lowers to.
void registerCodegenDialects(mlir::DialectRegistry &registry);

/// Registers the passes of codegen/ by name.
void registerCodegenPasses();

/// Registers `stretto-train`, `stretto-fused`, `stretto-kernels`, `stretto-nvvm`, `stretto-llvm`: each takes a module from the phase
/// before, with the fields of PipelineOptions as options.
void registerPipelines();

} // namespace stretto
