//===- MixerWalks.h - linear mixers as tile programs ----------------------------===//
#pragma once

#include "codegen/mixers/MixerShape.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace stretto::codegen {

/// Writes a kern.walk, with the forward of a mixer, where the builder stands; gives what stands for its results. Where
/// there are several spans, those walks stand before it that find the states between them (MixerSpans.h). The mixer has
/// no erase_write.
llvm::SmallVector<mlir::Value> writeMixer(mlir::ImplicitLocOpBuilder &b, seq::MixerOp op, MixerCut cut);

/// The gradient: one kern.walk from each saved state to those of the chunks up to the next, where there are more than
/// one, one that carries the gradient of the state from the last chunk to the first, and a kern.rowwise that adds up
/// what several programs of a head have parts of.
llvm::SmallVector<mlir::Value> writeMixerGradient(mlir::ImplicitLocOpBuilder &b, seq::MixerGradOp op, MixerCut cut);

} // namespace stretto::codegen
