//===- SharedGradients.h - activations in the memory of gradients -------------===//
#pragma once

#include "codegen/memory/LiveRanges.h"

namespace stretto::codegen {

/// The GRADIENTS arena is a part of the ACTIVATIONS arena. Returns what activations must keep off there while an
/// entry runs, in bytes of the former: gradients from when they are written to the end of the entry, everything where
/// the entry is the optimizer's, or takes or returns flat gradients, and what no gradient is written to (padding holds
/// zeros from one step to the next).
llvm::SmallVector<LivePiece>
keptForGradients(mlir::func::FuncOp entry, const passes::ParameterLayout &parameters, const Storage &storage,
                 const llvm::MapVector<unsigned, llvm::SmallVector<Occupation>> &occupations, int64_t end);

} // namespace stretto::codegen
