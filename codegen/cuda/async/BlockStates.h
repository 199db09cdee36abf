//===- BlockStates.h - what holds at the beginning of the blocks of a function ------===//
#pragma once

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/MapVector.h"

namespace stretto::codegen {

/// What a data flow knows at the beginning of each block.
template <typename State> using BlockStates = llvm::MapVector<mlir::Block *, State>;

/// Checks each operation by the state in front of it, which `pass` carries over operations; all that fail are reported.
template <typename State>
mlir::LogicalResult checkEach(const BlockStates<State> &begin,
                              llvm::function_ref<mlir::LogicalResult(mlir::Operation *, const State &)> check,
                              llvm::function_ref<void(mlir::Operation *, State &)> pass) {
  bool isWell = true;
  for (const auto &[block, atBegin] : begin) {
    State state = atBegin;
    for (mlir::Operation &op : *block) {
      isWell &= succeeded(check(&op, state));
      pass(&op, state);
    }
  }
  return mlir::success(isWell);
}

} // namespace stretto::codegen
