//===- Dropout.h - random numbers of rows ---------------------------------------===//
#pragma once

#include "codegen/rows/VectorBuilder.h"

namespace stretto::codegen {

/// What all columns of a row have in common: two words, made of the key of the token (i32) and the place (a real).
std::pair<mlir::Value, mlir::Value> emitDropoutWords(VectorBuilder &b, mlir::Value key, mlir::Value place);

/// x / (1 - rate) or zero, as seq.dropout says, in the columns from `first` (an index) on: as many as x has lanes.
mlir::Value emitDropout(VectorBuilder &b, seq::DropoutOp op, mlir::Value x, std::pair<mlir::Value, mlir::Value> words,
                        mlir::Value first);

} // namespace stretto::codegen
