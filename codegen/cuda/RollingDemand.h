//===- RollingDemand.h - rows that values are computed at, and wait until --===//
#pragma once

#include "codegen/rows/RowDemand.h"

#include "llvm/ADT/BitVector.h"

namespace stretto::codegen {

/// What sections that run over the same elements ask for together. A value that is asked for at several rows is
/// computed at the last of them alone and rolls, which is to wait in registers, until the first one, unless it would
/// not be read for more than `reach` rows: then it is computed again.
class RollingDemand {
public:
  struct Item {
    mlir::Value value;
    Index index;
    RowDemand::Rows begun;                // asked for by sections
    llvm::SmallVector<unsigned, 3> reads; // numbers of the items that it is computed from
    llvm::SmallVector<unsigned, 3> readers;

    struct Rows {
      RowDemand::Rows asked;                // for; relative to the row that is stored
      llvm::SmallVector<RowRange, 1> spans; // of these, in each of which it may roll from the last row to the first
      bool isRolling = false;               // in some span, and so computed at the last row of each
      std::optional<int64_t> ahead;         // computed at this row, later than is asked for
    } rows;

    int64_t bits() const { return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth(); }
  };

  RollingDemand(const RowPlan &plan, Domain domain, llvm::ArrayRef<RowDemand::Start> starts, int64_t reach);

  /// Each value behind all that read it.
  llvm::ArrayRef<Item> items() const { return all; }
  /// Computes values as soon as what they are computed from is known, where they take no more bits from row to row than
  /// that does, and nothing is computed more often then.
  void moveAhead();

private:
  RowDemand::Rows computedAt(const Item &item) const;
  RowDemand::Rows askedFor(const Item &item) const;
  std::optional<int64_t> rowOfInputs(const Item &item) const;
  bool moveOneAhead();
  bool tryAt(unsigned number, int64_t row);
  void update(unsigned number);
  void settle();
  void count(const Item &item, int64_t sign);

  const RowPlan &plan;
  int64_t reach;
  std::vector<Item> all;
  llvm::BitVector open;     // items whose readers are computed at other rows than before
  int64_t rollingBits = 0;  // of a column
  int64_t computedRows = 0; // how often values are computed for a row
  llvm::SmallVector<std::pair<unsigned, Item::Rows>> before; // what a try has changed
};

} // namespace stretto::codegen
