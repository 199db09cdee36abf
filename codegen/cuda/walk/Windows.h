//===- Windows.h - the parts of values that a program of a walk has as tiles ----===//
#pragma once

#include "codegen/cuda/walk/SharedTiles.h"
#include "codegen/cuda/walk/TileLayout.h"
#include "ir/kern/KernOps.h"

namespace stretto::codegen {

/// Which program of which sequence a block is, and the chunk it is at.
struct WalkPosition {
  mlir::Value batch, program, chunk;
};

/// A tile of a value in global memory. Element (r, c) is there if r and c are below the limits (null: there are no more
/// in the tile). Of a list only one of both counts, as the strides say.
struct WindowTile {
  mlir::Value pointer; ///< of element (0, 0)
  mlir::Type element;
  int64_t rowStride, columnStride;
  mlir::Value rowLimit;
  std::optional<int64_t> columnLimit;
  mlir::Value stored; ///< whether a result is stored at this chunk; null: it is
  int64_t alignment;  ///< in bytes: of each row
};

/// The tile of an operand (or, behind them, a result) of a walk, whose buffer is at `pointer`. `tile` is its shape.
WindowTile locateWindow(CudaBuilder &b, kern::WalkOp walk, unsigned number, mlir::Value pointer,
                        llvm::ArrayRef<int64_t> tile, const WalkPosition &position);

/// Copies a matrix into shared memory, all threads of the block together; zeros where nothing is there.
void loadMatrix(CudaBuilder &b, const WindowTile &from, const SharedTile &to, llvm::ArrayRef<int64_t> shape,
                int64_t threads, mlir::Value thread);

/// Whether a matrix lies so that it can be copied asynchronously.
bool isCopied(const WindowTile &from);
/// Begins to copy it as loadMatrix does, for a commit (CudaBuilder::awaitCopies).
void copyMatrix(CudaBuilder &b, const WindowTile &from, const SharedTile &to, llvm::ArrayRef<int64_t> shape,
                int64_t threads, mlir::Value thread);

/// One element of a list or a number, or zero.
mlir::Value loadElement(CudaBuilder &b, const WindowTile &from, const TilePlace &place);

/// Stores the parts of a tile that threads own, where something is to be there.
void storeParts(CudaBuilder &b, const WindowTile &to, TilePlaces &places, mlir::ValueRange parts);

/// Bytes of global memory that a walk reads and writes: each program its tiles, what all chunks share once.
int64_t bytesOfWalk(kern::WalkOp walk);

} // namespace stretto::codegen
