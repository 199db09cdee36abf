//===- RollingRows.h - rows that stay in registers from step to step ---------===//
#pragma once

#include "codegen/cuda/ThreadEmitter.h"

namespace stretto::codegen {

/// A value of columns that is asked for at several rows: computed at the last one, it stays in registers while it is
/// one of the rows before. `rows` are relative to the row that is stored. So does one that is asked for at a row alone
/// whose operands are known earlier, if it takes less room than they do: what the backward of a gate stores of the
/// forward is computed together with the gradient, which taps ask for some rows ahead.
struct RollingValue {
  mlir::Value value;
  Index index;
  Domain domain;
  RowRange rows;

  int64_t count() const { return rows.high - rows.low; }
};

/// Rows over which a value waits in registers until it is asked for again, at most: a step has as many rows, so that it
/// need not be moved there, and for one further on the row is loaded, or computed from rows that are loaded, once more.
inline constexpr int64_t mostReach = 8;

struct RollingRows {
  llvm::SmallVector<RollingValue> values;
  int64_t reach;          // over which they wait; less than usual where too many would
  int64_t bytesAgain = 0; // of a column, which are loaded once more as they do not wait
};

/// What all loops of some phases keep, where a step computes one row after the other.
RollingRows findRollingRows(const RowPlan &plan, llvm::ArrayRef<RowPhase> phases);

} // namespace stretto::codegen
