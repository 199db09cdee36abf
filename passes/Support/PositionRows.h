//===- PositionRows.h - rows of a table by position ---------------------------===//
#pragma once

#include "passes/Support/RowBuilder.h"

namespace stretto {

/// The rows of a `[time, columns]` table (`seq.table`) at `positions`, `[batch, time]`: `[batch, time, columns]`. For
/// tokens that do not stand at the place in a row that they have in their sequence.
mlir::Value tableRows(RowBuilder &b, mlir::Value positions, mlir::Value table);

/// A broadcast of a table over batch and heads (`dims [1, 3]`) as one of its rows at positions over heads
/// (`dims [0, 1, 3]`). `rows` is what tableRows gave. The broadcast is replaced and erased.
void broadcastRows(seq::BroadcastOp broadcast, mlir::Value rows);

} // namespace stretto
