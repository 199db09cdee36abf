//===- WarpMatmuls.cpp - matmuls of bf16 tiles by tensor cores -----------===//
#include "codegen/cuda/walk/TileOperations.h"

#include "codegen/cuda/ControlFlow.h"
#include "codegen/cuda/WarpMatrices.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// A matmul whose operands lie in shared memory. A warp computes its squares of the result, 16 terms at a time.
class TileMatmul {
public:
  TileMatmul(TileEmitter &tiles, kern::TileMatmulOp op)
      : tiles(tiles), b(tiles.b), op(op), matmul(warpMatmulOf(typeOf(op.getA()).getElementType())),
        places(tiles.placesOf(typeOf(op.getResult()).getShape())), layout(places.layout()) {}

  Values addTo(Values sums);

private:
  Values addTerms(Value first, ValueRange sums);
  Values factorOf(Factor factor, int64_t number, Value first);
  void addHalf(ValueRange left, ValueRange right, MutableArrayRef<Value> sums, int64_t down, int64_t part);

  TileEmitter &tiles;
  CudaBuilder &b;
  kern::TileMatmulOp op;
  WarpMatmul matmul;
  TilePlaces &places;
  const TileLayout &layout;
};
} // namespace

/// The square of an operand that the warp's row or column `number` of squares takes from term `first` on.
Values TileMatmul::factorOf(Factor factor, int64_t number, Value first) {
  bool isLeft = factor == Factor::left;
  SharedTile tile = *tiles.sharedOf(isLeft ? op.getA() : op.getB());
  bool isTransposed = isLeft ? op.getTransposeA() : op.getTransposeB();
  Value line = isLeft ? places.firstRow(number) : places.firstColumn(number);
  bool termsGoDown = isLeft == isTransposed;
  tiles.shared.read(tile);
  return loadFactor(b, factor, {tile.pointer, tile.stride}, termsGoDown ? first : line, termsGoDown ? line : first,
                    places.lane, isTransposed);
}

/// Part `part` of the two rows of a square. Sums are numbers: two of each part.
void TileMatmul::addHalf(ValueRange left, ValueRange right, MutableArrayRef<Value> sums, int64_t down, int64_t part) {
  MutableArrayRef<Value> upper = sums.slice(2 * (2 * down * layout.partsOfRow() + part), 2);
  MutableArrayRef<Value> lower = sums.slice(2 * ((2 * down + 1) * layout.partsOfRow() + part), 2);
  Values after = multiply(b, matmul, left, right, Values{upper[0], upper[1], lower[0], lower[1]});
  llvm::copy(ArrayRef(after).take_front(2), upper.begin());
  llvm::copy(ArrayRef(after).drop_front(2), lower.begin());
}

Values TileMatmul::addTerms(Value first, ValueRange sums) {
  Values next(sums);
  SmallVector<Values> lefts;
  for (int64_t down = 0; down < layout.downOfWarp; ++down)
    lefts.push_back(factorOf(Factor::left, down, first));
  for (int64_t across = 0; across < layout.acrossOfWarp; ++across) {
    Values rights = factorOf(Factor::right, across, first); // of both halves
    for (int64_t half : {0, 1})
      for (auto [down, left] : llvm::enumerate(lefts))
        addHalf(left, ArrayRef(rights).slice(2 * half, 2), next, down, 2 * across + half);
  }
  return next;
}

Values TileMatmul::addTo(Values sums) {
  Values numbers;
  for (Value pair : sums)
    for (int64_t lane : {0, 1})
      numbers.push_back(vector::ExtractOp::create(b, pair, lane));
  numbers = forEach(b, b.index(0), b.index(op.getDepth()), matmul.inner, numbers,
                    [&](Value first, ValueRange now) { return addTerms(first, now); });
  for (auto [i, pair] : llvm::enumerate(sums))
    pair = vector::InsertOp::create(b, numbers[2 * i + 1], b.splat(numbers[2 * i], 2), 1);
  return sums;
}

Values stretto::codegen::multiplyByWarps(TileEmitter &tiles, kern::TileMatmulOp op, Values sums) {
  return TileMatmul(tiles, op).addTo(std::move(sums));
}
