//===- CarriedValues.h - which values a kernel carries from block to block -----===//
#pragma once

#include "codegen/cpu/RowPlan.h"

namespace stretto {

struct CarryChoice {
  llvm::SmallVector<mlir::Operation *> carried; // whose results are carried, in the order of the body
  double before = 0, after = 0;                 // estimated cycles of a vector of columns and a row
};

/// Values of columns that taps ask for at several rows are computed again for each block that needs them, or once
/// and carried in scratch memory. Chooses what to carry by weighing operations (a function of math or a division
/// counts as many) against the loads and stores, for blocks of `blockRows` rows.
CarryChoice chooseCarried(kern::RowwiseOp op, RowPlan &plan, int64_t blockRows);

} // namespace stretto
