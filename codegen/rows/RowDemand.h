//===- RowDemand.h - what one loop over columns asks for ------------------===//
//
// The values, elements and rows that an ElementEmitter computes for one row of a loop over columns, and what it finds:
// rows of rolling buffers that were computed before, and values that an earlier stage cached.
#pragma once

#include "codegen/rows/RowPlan.h"

#include <deque>

namespace stretto::codegen {

class RowDemand {
public:
  using Rows = llvm::SmallVector<int64_t, 4>; // ascending
  struct Item {
    mlir::Value value;
    Index index;
    Rows rows;                                // relative to the row that is stored
    Rows begun;                               // of `rows`, asked for by sections
    bool isRolling = false;                   // and so computed at the last of its rows
    bool isCached = false;                    // for a later stage
    Item *found = nullptr;                    // cached by an earlier stage, and so not computed
    llvm::SmallVector<const Item *, 3> reads; // what it is computed from

    RowRange range() const { return {rows.front(), rows.back()}; }
  };

  /// A section whose root is computed so many rows ahead of the one that is stored.
  struct Start {
    const Section *section;
    int64_t row;
  };

  /// `mayRoll` names the values that may have a rolling buffer where they are asked for at several rows; `find` what an
  /// earlier stage computed, or null.
  RowDemand(const RowPlan &plan, const Nest &nest, const ColumnLoop &loop,
            llvm::function_ref<bool(mlir::Value)> mayRoll, llvm::function_ref<Item *(const Item &)> find);
  /// What several sections of one domain ask for together, if all is computed at each row that asks for it.
  RowDemand(const RowPlan &plan, Domain domain, llvm::ArrayRef<Start> starts);
  /// All values may have rolling buffers, none is found.
  RowDemand(const RowPlan &plan, const Nest &nest, const ColumnLoop &loop);

  /// Each value behind all that read it.
  llvm::ArrayRef<const Item *> items() const { return ordered; }
  Domain visited() const { return domain; }
  Item *lookup(mlir::Value value, Index index);
  /// Adds rows, in any order, to those that are known.
  static void include(Rows &known, llvm::ArrayRef<int64_t> rows);

private:
  void start(const Section &section, int64_t row);
  void begin(mlir::Value value, Index index, int64_t row);
  void follow(llvm::function_ref<bool(mlir::Value)> mayRoll, llvm::function_ref<Item *(const Item &)> find);
  Item &ask(mlir::Value value, Index index, llvm::ArrayRef<int64_t> rows);
  void askFrom(Item &item);

  const RowPlan &plan;
  Domain domain;
  std::deque<Item> known;
  std::vector<llvm::SmallVector<Item *, 1>> byPlace; // of `known`, the items of each value
  llvm::SmallVector<const Item *> ordered;
};

/// All loops of the stages that may roll and cache (those that do not run ahead), in order.
class KernelDemand {
public:
  struct Loop {
    const ColumnLoop *loop;
    RowDemand demand;
  };
  /// `mayCache` names the values to be cached where a later stage asks for the same columns and rows.
  KernelDemand(const RowPlan &plan, llvm::function_ref<bool(mlir::Value)> mayRoll,
               llvm::function_ref<bool(mlir::Value)> mayCache);

  const std::deque<Loop> &loops() const & { return all; }

private:
  std::deque<Loop> all;
};

} // namespace stretto::codegen
