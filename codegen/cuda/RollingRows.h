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

/// What all loops of some phases keep, where a step computes one row after the other.
llvm::SmallVector<RollingValue> findRollingRows(const RowPlan &plan, llvm::ArrayRef<RowPhase> phases);

} // namespace stretto::codegen
