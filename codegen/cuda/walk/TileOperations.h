//===- TileOperations.h - operations on tiles that exchange elements -------------===//
#pragma once

#include "codegen/cuda/walk/TileEmitter.h"

namespace stretto::codegen {

/// The matmul; `sums` (null: zeros) is a tile that it is added to.
void emitMatmul(TileEmitter &tiles, kern::TileMatmulOp op, mlir::Value sums, mlir::Value result);

/// The parts of a matmul whose operands are in shared memory, added to `sums`: by multiply-adds of each thread, or of
/// bf16 by matmuls of warps on tensor cores. Within a step.
Values multiplyByThreads(TileEmitter &tiles, kern::TileMatmulOp op, Values sums);
Values multiplyByWarps(TileEmitter &tiles, kern::TileMatmulOp op, Values sums);

/// Reductions in a fixed order: neighbouring columns (rows) of a thread, lanes of a warp in halves, warps in order.
void emitReduction(TileEmitter &tiles, seq::ReduceOp op);
void emitTileSum(TileEmitter &tiles, kern::TileSumOp op);

void emitTileRow(TileEmitter &tiles, kern::TileRowOp op);
void emitPrefixSum(TileEmitter &tiles, kern::PrefixSumOp op);
void emitUnitInverse(TileEmitter &tiles, kern::UnitInverseOp op);
void emitUnitSolve(TileEmitter &tiles, kern::UnitSolveOp op);

} // namespace stretto::codegen
