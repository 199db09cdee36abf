//===- PositionRows.h - rows of a table by position ---------------------------===//
#pragma once

#include "passes/support/RowBuilder.h"

namespace stretto::passes {

/// The rows of a `[time, columns]` table at `positions`, `[batch, time]`: `[batch, time, columns]`. For tokens that do
/// not stand at the place in a row that they have in their sequence.
mlir::Value tableRows(RowBuilder &b, mlir::Value positions, mlir::Value table);

/// The same of a copy of `table` where `b` stands.
mlir::Value copiedTableRows(RowBuilder &b, mlir::Value positions, seq::TableOp table);

/// What a table (seq.table, seq.layer_numbers) says: tables of one key are equal.
mlir::Attribute tableKey(mlir::Operation *table);

/// A broadcast of a table over batch and heads (dimensions 1 and 3, say) as one of its rows at positions over heads, in
/// `shape`. `rows` is what tableRows gave.
mlir::Value broadcastRows(RowBuilder &b, seq::BroadcastOp broadcast, mlir::Value rows, llvm::ArrayRef<int64_t> shape);

} // namespace stretto::passes
