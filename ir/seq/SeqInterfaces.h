//===- SeqInterfaces.h - what operations say of themselves --------------------===//
#pragma once

#include "ir/seq/SeqForms.h"

#include "mlir/IR/OpDefinition.h"

namespace stretto {

/// What a value is by the way it is computed. The shape alone does not tell: `tensor<4x256xf32>` may be the
/// taps of a Canon layer or one number per row.
enum class RowKind {
  row,    ///< `[batch, time, columns...]`, one row per position
  time,   ///< `[time, columns...]`, the same in every sequence of the batch
  shared, ///< the same for every row: parameters, what is computed from them, and sums over rows
  other   ///< no kernel of rows may touch it: a stack of rows, statistics private to a library operation
};

} // namespace stretto

namespace stretto::seq {

/// Which rows of the operands a row of the result is computed from.
enum class RowReach {
  own,     ///< the same one
  shifted, ///< one of another time
  all      ///< all of them
};

/// An element of operand `source` of an operation.
struct Element {
  int64_t source, element;
};

/// Which value of an operation lies in memory of another.
enum class Alias {
  whole,   ///< the result is the operand in another shape
  columns, ///< the result is a range of columns of the operand
  pieces,  ///< the operands are ranges of columns of the result, side by side from the first one on
  reserved ///< the value has a place that does not depend on the plan of memory: a parameter, its gradient, a cache
};

/// Whether a value is held in bf16 where activations are.
enum class Rounding {
  required, ///< it must be
  allowed,  ///< operands: as the result is; results: if nobody needs it otherwise
  never     ///< it is f32 or f64
};

/// Matmuls of the forward, or of its gradient.
enum class MatmulKind { none, forward, backward };

/// What a library operation says of an operand or a result.
struct ValueFacts {
  std::optional<RowKind> kind; ///< nothing where it has that of other values
  Rounding rounding = Rounding::never;
  bool mayBeColumns = false; ///< it may be a range of the columns of wider rows
  bool chooses = false;      ///< an operand: what is computed depends on which of its numbers are zero
};

double bytesOf(mlir::Value value);

/// The operand that stands in a slot, or null.
mlir::OpOperand *givenOf(std::optional<mlir::MutableOperandRange> slot);

} // namespace stretto::seq

#include "ir/seq/SeqInterfaces.h.inc"

namespace stretto::seq {

/// Whether an operation shows values as parts of others, or in another shape: no bytes move.
bool isView(mlir::Operation *op);

/// Whether the result of an operation, which may be null, lies in the memory of its operand.
bool isViewOfOperand(mlir::Operation *op);

/// The operand whose memory a result takes over as the new content of a cache, or null.
mlir::OpOperand *updatedOperand(mlir::Value result);

/// Whether the memory of a result is not its own: it lies in that of an operand, or has a reserved place.
bool hasOthersMemory(mlir::Value result);

/// Whether an operation may stand in the body of a kernel of rows.
bool isRowOperation(mlir::Operation *op);

/// Which rows of its operands a row operation reads.
RowReach reachOf(mlir::Operation *op);

/// Whether a library reads an operand in the form of some columns of wider rows, and writes a result so.
bool mayBeColumns(mlir::OpOperand &use);
bool mayBeColumns(mlir::OpResult result);

} // namespace stretto::seq
