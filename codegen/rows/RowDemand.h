//===- RowDemand.h - what one loop over columns asks for ------------------===//
//
// The values, elements and rows that an ElementEmitter computes for one row of a loop over columns, and what it finds:
// rows of rolling buffers that were computed before, and values that an earlier stage cached.
#pragma once

#include "codegen/rows/RowPlan.h"

#include <deque>
#include <set>

namespace stretto::codegen {

class RowDemand {
public:
  struct Item {
    mlir::Value value;
    Index index;
    std::set<int64_t> rows;                   // relative to the row that is stored
    llvm::SmallVector<RowRange, 1> spans;     // of `rows`, in each of which it may roll from the last row to the first
    bool isRolling = false;                   // in some span, and so computed at the last row of each
    bool isCached = false;                    // for a later stage
    Item *found = nullptr;                    // cached by an earlier stage, and so not computed
    llvm::SmallVector<const Item *, 3> reads; // what it is computed from

    RowRange range() const { return {*rows.begin(), *rows.rbegin()}; }
  };

  /// A piece whose root is computed so many rows ahead of the one that is stored.
  struct Start {
    const Piece *piece;
    int64_t row;
  };
  using Key = std::pair<int64_t, Index>; // number in the body, elements
  /// Rows at which values are computed, later ones than are asked for: they roll until they are read.
  using Ahead = std::map<Key, int64_t>;

  /// `mayRoll` names the values that may have a rolling buffer where they are asked for at several rows; `find` what an
  /// earlier stage computed, or null.
  RowDemand(const RowPlan &plan, const Nest &nest, const ColumnLoop &loop,
            llvm::function_ref<bool(mlir::Value)> mayRoll, llvm::function_ref<Item *(const Item &)> find);
  /// What several pieces of one domain ask for together. A value that is not asked for again within `reach` rows does
  /// not roll to a row further on.
  RowDemand(const RowPlan &plan, Domain domain, llvm::ArrayRef<Start> starts,
            llvm::function_ref<bool(mlir::Value)> mayRoll, int64_t reach, const Ahead &ahead);
  /// All values may have rolling buffers, none is found.
  RowDemand(const RowPlan &plan, const Nest &nest, const ColumnLoop &loop);

  /// Each value behind all that read it.
  llvm::ArrayRef<const Item *> items() const { return ordered; }
  Domain visited() const { return domain; }
  Item *lookup(mlir::Value value, Index index);
  static Key keyOf(mlir::Value value, Index index);

private:
  void start(const Piece &piece, int64_t row);
  void follow(llvm::function_ref<bool(mlir::Value)> mayRoll, llvm::function_ref<Item *(const Item &)> find,
              const Ahead &ahead);
  Item &ask(mlir::Value value, Index index, const std::set<int64_t> &rows);
  void askFrom(Item &item);

  const RowPlan &plan;
  Domain domain;
  int64_t reach = INT64_MAX;
  std::map<Key, Item, std::greater<Key>> known;
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
