//===- TileLayout.h - which thread holds which elements of a tile ---------------===//
#pragma once

#include "codegen/cuda/CudaBuilder.h"

namespace stretto::codegen {

/// How the elements of a tile are shared out to the registers of a block's threads: a function of its shape and of the
/// warps alone, so that elementwise operations exchange nothing.
///
/// A matrix is cut into squares of 16 x 16, each of them two halves of 16 x 8 as mma m16n8k16 adds them up: lane l has
/// columns 2 (l % 4) and the next, of rows l / 4 and l / 4 + 8. Warps lie side by side down the squares, and what warps
/// are left across them; each has neighbouring squares. Where warps do not divide the tile, threads hold copies of
/// elements that others own. Of a list, thread t has elements t, t + threads, ...; a number is in all threads.
///
/// What a thread has consists of parts: pairs of neighbouring columns of a matrix, row after row; single elements else.
struct TileLayout {
  /// `shape` has at most two dimensions; those of a matrix are multiples of `square`.
  TileLayout(llvm::ArrayRef<int64_t> shape, int64_t warps);

  static constexpr int64_t square = 16; ///< rows and columns of one

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t threads() const { return warps * warpThreads; }
  /// Rows of a matrix that a thread has parts of, and parts in each.
  int64_t rowsOfThread() const { return 2 * downOfWarp; }
  int64_t partsOfRow() const { return 2 * acrossOfWarp; }
  int64_t parts() const;
  int64_t lanes() const { return rank() == 2 ? 2 : 1; } ///< elements of a part
  /// Whether some threads hold copies.
  bool isRagged() const;

  llvm::SmallVector<int64_t, 2> shape;
  int64_t warps;
  // Of a matrix, in squares:
  int64_t down = 1, across = 1;
  int64_t downOfWarp = 1, acrossOfWarp = 1;
  int64_t warpsDown = 1, warpsAcross = 1;
};

/// Where a part of a tile lies: its first element is at row + moreRows, column + moreColumns. Of a list only the column
/// counts.
struct TilePlace {
  mlir::Value row, column;
  int64_t moreRows = 0, moreColumns = 0;
  mlir::Value owned; ///< whether it is the thread's own, not a copy; null: it is
};

/// The places of a thread's parts. Its code is made once, where the object is.
class TilePlaces {
public:
  TilePlaces(CudaBuilder &b, const TileLayout &layout, mlir::Value thread);

  /// From here on, places follow from another value of the number of the thread.
  void follow(mlir::Value number);

  /// The code that this needs beside that of the object goes to where the builder stands; so of those below.
  TilePlace at(int64_t part);
  /// Of a matrix: the part in the thread's row `row` and a half of a square that is known as the kernel runs.
  TilePlace atHalf(int64_t row, mlir::Value half);
  /// Of a matrix: the first row (column) of the warp's squares of this number from above (the left), or of the last one
  /// of the tile where the warp has none of that number.
  mlir::Value firstRow(int64_t number);
  mlir::Value firstColumn(int64_t number);
  const TileLayout &layout() const { return tile; }
  mlir::Value thread, lane;
  mlir::Value warpDown, warpAcross; ///< of a matrix: where the warp stands among the others; the latter may be too many

private:
  TilePlace inMatrix(int64_t row, int64_t part);

  CudaBuilder &b;
  TileLayout tile;
  mlir::Value rowInSquare, columnInSquare;
};

} // namespace stretto::codegen
