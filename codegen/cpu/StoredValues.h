//===- StoredValues.h - what loops over columns have in scratch memory --------===//
#pragma once

#include "codegen/rows/RowDemand.h"

namespace stretto::codegen {

/// What a loop has in scratch memory.
struct Stored {
  enum Kind { rolling, cached, found } kind; // found: cached by an earlier loop
  mlir::Value value;
  Index index;
  RowRange rows;   // rolling: computed at `rows.high`, stored for the rows before it
  unsigned number; // of the memory

  /// Whether `row` of a block is there when the loop starts.
  bool holds(int64_t row) const { return kind == found || (kind == rolling && row < rows.high); }
};

/// What each loop of a kernel has there, by the marks of its body:
///   rolling a value of a rolling buffer, which a loop needs at several rows and computes at the last of them only: the
///   others were
///           computed with the block of rows before and wait in scratch memory
///   cached  a value that a loop puts into scratch memory for a loop of a later level that visits the same elements
class StoredValues {
public:
  static constexpr llvm::StringLiteral rollingAttribute = "kern.rolling", cachedAttribute = "kern.cached";

  explicit StoredValues(const RowPlan &plan);
  StoredValues(const StoredValues &) = delete; // of which demandOf() tells addresses

  llvm::ArrayRef<Stored> of(const ColumnLoop &loop) const {
    auto known = byLoop.find(&loop);
    return known == byLoop.end() ? llvm::ArrayRef<Stored>() : llvm::ArrayRef<Stored>(known->second);
  }
  /// What a loop asks for; null in stages that run ahead.
  const RowDemand *demandOf(const ColumnLoop &loop) const { return demands.lookup(&loop); }

private:
  KernelDemand demand;
  llvm::DenseMap<const ColumnLoop *, llvm::SmallVector<Stored, 0>> byLoop;
  llvm::DenseMap<const ColumnLoop *, const RowDemand *> demands;
};

} // namespace stretto::codegen
