//===- UnitInverse.cpp - inverses of unit triangular tiles ------------------------===//
//
// Squares on the diagonal are inverted by substitution, a thread for each row. Then neighbours of `size` rows become
// one of twice as many, until one is left:
//
//   [I + M1        ] -1    [T1   ]
//   [  M21   I + M2]     = [X  T2]   where X = -T2 (M21 T1)
//
// Both matmuls are by warps, with factors rounded to tf32 and sums in f32.
#include "codegen/cuda/walk/TileOperations.h"

#include "codegen/cuda/WarpMatrices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// A part of a matrix in shared memory, from a row and a column on.
struct Block {
  SharedTile tile;
  Value row, column;
};

class InverseMaker {
public:
  InverseMaker(TileEmitter &tiles, const SharedTile &matrix, const SharedTile &inverse, int64_t rows)
      : tiles(tiles), b(tiles.b), matrix(matrix), inverse(inverse), rows(rows), matmul(warpMatmulOf(inverse.element)) {}

  void make();

private:
  static constexpr int64_t square = TileLayout::square, together = 4; // numbers of one load or store

  void invertRow(Value row);
  void subtractRow(Value first, int64_t known, Values &numbers);
  void storeRow(Value row, Value column, ValueRange numbers);
  void merge(int64_t size);
  void forEachPiece(int64_t size, llvm::function_ref<void(Value, Value, Value)> work);
  Values multiplyBlocks(const Block &left, const Block &right, int64_t terms);
  Value factor(const Block &block, Value row, Value column, int64_t moreRows, int64_t moreColumns);
  void storePiece(const Block &to, ValueRange sums);

  TileEmitter &tiles;
  CudaBuilder &b;
  SharedTile matrix, inverse;
  int64_t rows;
  WarpMatmul matmul;
};
} // namespace

//===- Squares on the diagonal ------------------------------------------------------===//

/// t (I + M) = e: what t has in column `known` takes off that row of the square, which begins at row `first`, from e.
void InverseMaker::subtractRow(Value first, int64_t known, Values &numbers) {
  Value factor = arith::NegFOp::create(b, numbers[known]);
  for (int64_t begin = 0; begin < known; begin += together) {
    Value loaded = tiles.load(matrix, {first, first, known, begin, {}}, together);
    for (int64_t column = begin; column < std::min(begin + together, known); ++column) {
      Value other = vector::ExtractOp::create(b, loaded, column - begin);
      numbers[column] = b.mulAdd(factor, other, numbers[column]);
    }
  }
}

void InverseMaker::storeRow(Value row, Value column, ValueRange numbers) {
  for (int64_t begin = 0; begin < square; begin += together) {
    Value some = b.splat(numbers[begin], together);
    for (int64_t i = 1; i < together; ++i)
      some = vector::InsertOp::create(b, numbers[begin + i], some, i);
    tiles.store(inverse, {row, column, 0, begin, {}}, some);
  }
}

/// One row of the inverse, as if there were nothing but the squares.
void InverseMaker::invertRow(Value row) {
  Value zero = b.real(inverse.element, 0), one = b.real(inverse.element, 1);
  Value inSquare = b.remainder(row, square), first = b.mul(b.divide(row, square), square);
  Values numbers;
  for (int64_t column = 0; column < square; ++column) {
    Value isRow = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inSquare, b.index(column));
    numbers.push_back(b.select(isRow, one, zero));
  }
  for (int64_t known = square - 1; known > 0; --known)
    subtractRow(first, known, numbers);
  for (int64_t column = 0; column < rows; column += square)
    storeRow(row, b.index(column), Values(square, zero));
  storeRow(row, first, numbers);
}

//===- Merging neighbours -----------------------------------------------------------===//

/// A number of a factor as a register: at the row and column of the lane and some more.
Value InverseMaker::factor(const Block &block, Value row, Value column, int64_t moreRows, int64_t moreColumns) {
  TilePlace place{b.add(block.row, row), b.add(block.column, column), moreRows, moreColumns, {}};
  return roundToTF32(b, tiles.load(block.tile, place, 1));
}

/// 16 rows of `left` times 8 columns of `right`, as sums of the lane.
Values InverseMaker::multiplyBlocks(const Block &left, const Block &right, int64_t terms) {
  Value lane = tiles.lane(), outer = b.divide(lane, 4), inner = b.remainder(lane, 4);
  Values sums(matmul.sums(), b.real(inverse.element, 0));
  for (int64_t term = 0; term < terms; term += matmul.inner) {
    Values ofLeft, ofRight;
    for (int64_t i = 0; i < matmul.leftRegisters(); ++i)
      ofLeft.push_back(factor(left, outer, inner, i % 2 * 8, term + i / 2 * 4));
    for (int64_t i = 0; i < matmul.rightRegisters(); ++i)
      ofRight.push_back(factor(right, inner, outer, term + i * 4, 0));
    sums = multiply(b, matmul, ofLeft, ofRight, sums);
  }
  return sums;
}

void InverseMaker::storePiece(const Block &to, ValueRange sums) {
  Value lane = tiles.lane(), row = b.add(to.row, b.divide(lane, 4)),
        column = b.add(to.column, b.mul(b.remainder(lane, 4), 2));
  for (int64_t half : {0, 1}) {
    Value pair = vector::InsertOp::create(b, sums[2 * half + 1], b.splat(sums[2 * half], 2), 1);
    tiles.store(to.tile, {row, column, half * 8, 0, {}}, pair);
  }
}

/// Calls work(begin, row, column) in the warp that has a piece of 16 x 8 of a block X: `begin` is the first row of the
/// two neighbours, `row` and `column` are those of the piece in X.
void InverseMaker::forEachPiece(int64_t size, llvm::function_ref<void(Value, Value, Value)> work) {
  int64_t down = size / square, across = size / WarpMatmul::columns, pieces = down * across;
  tiles.forEachByWarp(rows / (2 * size) * pieces, [&](Value number) {
    Value piece = b.remainder(number, pieces);
    work(b.mul(b.divide(number, pieces), 2 * size), b.mul(b.divide(piece, across), square),
         b.mul(b.remainder(piece, across), WarpMatmul::columns));
  });
}

void InverseMaker::merge(int64_t size) {
  SharedTile products = tiles.shared.add(inverse.element, {rows / 2, size});
  tiles.beginStep();
  forEachPiece(size, [&](Value begin, Value row, Value column) {
    Value second = b.add(begin, b.index(size)), half = b.divide(begin, 2);
    Block left{matrix, b.add(second, row), begin}, right{inverse, begin, b.add(begin, column)};
    storePiece({products, b.add(half, row), column}, multiplyBlocks(left, right, size));
  });
  tiles.beginStep();
  forEachPiece(size, [&](Value begin, Value row, Value column) {
    Value second = b.add(begin, b.index(size)), half = b.divide(begin, 2);
    Block left{inverse, b.add(second, row), second}, right{products, half, column};
    Values sums = multiplyBlocks(left, right, size);
    for (Value &sum : sums)
      sum = arith::NegFOp::create(b, sum);
    storePiece({inverse, b.add(second, row), b.add(begin, column)}, sums);
  });
}

void InverseMaker::make() {
  tiles.beginStep();
  tiles.forEachOf(rows, [&](Value row) { invertRow(row); });
  for (int64_t size = square; size < rows; size *= 2)
    merge(size);
}

void stretto::codegen::emitUnitInverse(TileEmitter &tiles, kern::UnitInverseOp op) {
  SharedTile matrix = tiles.inShared(op.getOperand());
  RankedTensorType type = typeOf(op.getResult());
  SharedTile inverse = tiles.shared.add(type.getElementType(), type.getShape());
  InverseMaker(tiles, matrix, inverse, type.getDimSize(0)).make();
  tiles.setShared(op.getResult(), inverse);
}
