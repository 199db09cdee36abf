//===- MixerWalks.h - linear mixers as tile programs ----------------------------===//
#pragma once

#include "ir/seq/SeqOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace stretto::codegen {

/// How the programs of a mixer are cut.
struct MixerCut {
  int64_t chunk;  ///< rows of a chunk; divides the segments of the mixer
  int64_t blocks; ///< programs of a head, each with as many of the value columns; divides them
};

/// Writes a kern.walk, with the forward of a mixer, where the builder stands; gives what stands for its results. The
/// mixer has no erase_write.
llvm::SmallVector<mlir::Value> writeMixer(mlir::ImplicitLocOpBuilder &b, seq::MixerOp op, MixerCut cut);

/// The gradient: one kern.walk from each saved state to those of the chunks up to the next, where there are more than
/// one, one that carries the gradient of the state from the last chunk to the first, and a kern.rowwise that adds up
/// what several programs of a head have parts of.
llvm::SmallVector<mlir::Value> writeMixerGradient(mlir::ImplicitLocOpBuilder &b, seq::MixerGradOp op, MixerCut cut);

} // namespace stretto::codegen
