//===- RowDemand.h - what one loop over columns asks for ----------------------===//
//
// The values, elements and rows that RowEmitter computes for one row of one loop over columns. A value that is
// carried is computed at the last of its rows only: the rows before it were computed with the block before, and wait
// in scratch memory.
#pragma once

#include "codegen/cpu/RowPlan.h"

#include <set>

namespace stretto {

class RowDemand {
public:
  struct Item {
    mlir::Value value;
    Index index;
    std::set<int64_t> rows;                   // relative to the row that is stored
    bool isCarried = false;                   // and so computed at the last of `rows`
    llvm::SmallVector<const Item *, 3> reads; // what it is computed from

    RowRange range() const { return {*rows.begin(), *rows.rbegin()}; }
  };

  /// `mayCarry` names the values to be carried where they are asked for at several rows.
  RowDemand(RowPlan &plan, const Nest &nest, const ColumnLoop &loop, llvm::function_ref<bool(mlir::Value)> mayCarry);

  /// Each value behind all that read it.
  llvm::ArrayRef<const Item *> items() const { return ordered; }

private:
  using Key = std::tuple<int64_t, int64_t, int64_t, int64_t, const void *>;
  Item &ask(mlir::Value value, Index index, const std::set<int64_t> &rows);
  void askFrom(Item &item);

  RowPlan &plan;
  Domain domain;
  std::map<Key, Item, std::greater<Key>> known;
  llvm::SmallVector<const Item *> ordered;
};

} // namespace stretto
