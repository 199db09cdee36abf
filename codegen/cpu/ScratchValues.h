//===- ScratchValues.h - which values a kernel has in scratch memory -----------===//
#pragma once

#include "codegen/rows/RowPlan.h"

namespace stretto::codegen {

struct ScratchValues {
  llvm::SmallVector<mlir::Operation *> rolling, cached; // whose results are, in the order of the body
  double before = 0, after = 0;                         // estimated cycles of a vector of columns and a row
};

/// Values of columns that taps ask for at several rows, or that several stages ask for, are recomputed for each
/// block or stage that needs them, or once and hold in scratch memory, in a rolling buffer or cached. Chooses by
/// weighing operations (a function of math or a division counts as many) against loads and stores, for blocks of
/// `blockRows` rows.
ScratchValues chooseScratch(const RowPlan &plan, int64_t blockRows);

} // namespace stretto::codegen
