//===- Strips.h - columns of rows that a kernel brings together --------------===//
//
// An epilogue can run on a strip of columns as soon as the matmul has computed it, if what the body computes from these
// columns needs no others. A kernel without a matmul can run on a strip of columns of its results, whose data then lie
// in a near cache for many rows. Which columns meet in an element of the body is tabulated, element by element, as in
// ElementMap.h.
#pragma once

#include "codegen/rows/ElementMap.h"
#include "ir/kern/KernInterfaces.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/IntEqClasses.h"

namespace stretto::codegen {

/// Columns are cut into `pieces` of one length, and these into strips of `width` columns (#kern.strip_schedule).
struct StripForm {
  int64_t pieces, width;
  bool operator==(const StripForm &) const = default;
};

/// Which columns meet in a body, and to which of them each of its elements belongs.
class MeetingColumns {
public:
  /// Columns of one argument; they meet in what depends on both, and an element belongs to one that it depends on.
  MeetingColumns(kern::RowKernel op, unsigned argument);
  /// Columns of the widest `row` operand; they meet in what depends on both, be it by way of other `row` operands of
  /// several elements. An element belongs to a column that it meets so, or else to that of its number.
  static MeetingColumns ofWidestOperand(kern::RowKernel op);

  /// Why there can be no strips at all; empty: there may be.
  llvm::StringRef problem() const { return reason; }
  int64_t columns() const { return count; }
  /// Whether no columns of two strips meet.
  bool allow(StripForm form) const;
  /// The form of strips whose columns, of all pieces, are nearest to `wanted`, at most `most`, and of each piece a
  /// multiple of `unit`; none: there is none.
  std::optional<StripForm> choose(int64_t wanted, int64_t most, int64_t unit = 1) const;
  /// The fewest pieces of at least `width` columns whose strips meet no others; none: there are none.
  std::optional<int64_t> leastPieces(int64_t width) const;
  /// The column that an element of what is stored, summed or reduced belongs to; -1 where there is none.
  int64_t columnOf(mlir::Value value, int64_t element) const;
  /// All columns that elements of such a value belong to, and those that they meet.
  llvm::BitVector columnsOf(mlir::Value value) const;

private:
  static constexpr int64_t none = -1;
  static constexpr int64_t mostPieces = 8;
  using Columns = llvm::SmallVector<int64_t, 0>; // for each element

  MeetingColumns() = default;
  /// Goes on from the columns of arguments through the body.
  void tabulate(mlir::Block &body);
  Columns resultOf(mlir::Operation *op);
  /// The columns of a piece at which a strip may begin: none in front of them meets one from there on.
  llvm::BitVector cutsOf(int64_t pieces) const;
  int64_t meet(int64_t a, int64_t b);

  int64_t count = 0;
  llvm::IntEqClasses classes;
  llvm::DenseMap<mlir::Value, Columns> known;
  std::string reason;
};

/// All strips of a kernel, and whose each element of what it stores is.
class Strips {
public:
  Strips(MeetingColumns meeting, StripForm form) : meeting(std::move(meeting)), shape(form) {}

  /// Why this cannot be; empty: it can.
  std::string problem(kern::RowKernel op) const;
  StripForm form() const { return shape; }
  int64_t pieceColumns() const { return meeting.columns() / shape.pieces; }
  int64_t count() const { return (pieceColumns() + shape.width - 1) / shape.width; }
  /// The strip that computes an element of a value that is stored, summed or reduced.
  int64_t stripOf(mlir::Value value, int64_t element) const;
  /// Where a column of the matmul is in the strip: the pieces of a strip lie side by side.
  int64_t columnInStrip(int64_t column) const {
    int64_t inPiece = column % pieceColumns();
    return column / pieceColumns() * shape.width + inPiece % shape.width;
  }

private:
  MeetingColumns meeting;
  StripForm shape;
};

} // namespace stretto::codegen
