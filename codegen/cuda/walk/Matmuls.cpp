//===- Matmuls.cpp - matmuls of tiles by multiply-adds ------------------===//
#include "codegen/cuda/walk/TileOperations.h"

#include "codegen/cuda/ControlFlow.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// A matmul whose operands lie in shared memory. Each thread computes its parts of the result, some terms at a time.
class ThreadMatmul {
public:
  ThreadMatmul(TileEmitter &tiles, kern::TileMatmulOp op)
      : tiles(tiles), b(tiles.b), op(op), a(*tiles.sharedOf(op.getA())), c(*tiles.sharedOf(op.getB())),
        places(tiles.placesOf(typeOf(op.getResult()).getShape())), layout(places.layout()) {}

  Values addTo(Values sums);

private:
  static constexpr int64_t together = 4; // terms; divides what tiles may have

  Values addTerms(Value first, ValueRange sums);
  Values pairsOf(const TilePlace &place, Value first);
  Values factors(const SharedTile &from, bool areTogether, Value line, int64_t more, Value first);

  TileEmitter &tiles;
  CudaBuilder &b;
  kern::TileMatmulOp op;
  SharedTile a, c;
  TilePlaces &places;
  const TileLayout &layout;
};
} // namespace

/// The `together` terms from `first` on, of one row of a or one column of b. `areTogether`: they are neighbours in
/// memory, in row line + more; else they are in that column.
Values ThreadMatmul::factors(const SharedTile &from, bool areTogether, Value line, int64_t more, Value first) {
  Values terms;
  if (areTogether) {
    Value vector = tiles.load(from, {line, first, more, 0, {}}, together);
    for (int64_t i = 0; i < together; ++i)
      terms.push_back(vector::ExtractOp::create(b, vector, i));
    return terms;
  }
  for (int64_t i = 0; i < together; ++i)
    terms.push_back(tiles.load(from, {first, line, i, more, {}}, 1));
  return terms;
}

/// Pairs of neighbouring columns of b, by term.
Values ThreadMatmul::pairsOf(const TilePlace &place, Value first) {
  Values pairs;
  for (int64_t i = 0; !op.getTransposeB() && i < together; ++i)
    pairs.push_back(tiles.load(c, {first, place.column, i, place.moreColumns, {}}, 2));
  if (!op.getTransposeB())
    return pairs;
  Values left = factors(c, true, place.column, place.moreColumns, first);
  Values right = factors(c, true, place.column, place.moreColumns + 1, first);
  for (int64_t i = 0; i < together; ++i)
    pairs.push_back(vector::InsertOp::create(b, right[i], b.splat(left[i], 2), 1));
  return pairs;
}

Values ThreadMatmul::addTerms(Value first, ValueRange sums) {
  SmallVector<Values> rows; // of a, by term
  for (int64_t row = 0; row < layout.rowsOfThread(); ++row) {
    TilePlace place = places.at(row * layout.partsOfRow());
    rows.push_back(factors(a, !op.getTransposeA(), place.row, place.moreRows, first));
  }
  Values next(sums);
  for (int64_t part = 0; part < layout.partsOfRow(); ++part)
    for (auto [i, pair] : llvm::enumerate(pairsOf(places.at(part), first)))
      for (auto [row, terms] : llvm::enumerate(rows)) {
        Value &sum = next[row * layout.partsOfRow() + part];
        sum = b.mulAdd(b.splat(terms[i], 2), pair, sum);
      }
  return next;
}

Values ThreadMatmul::addTo(Values sums) {
  return forEach(b, b.index(0), b.index(op.getDepth()), together, sums,
                 [&](Value first, ValueRange now) { return addTerms(first, now); });
}

Values stretto::codegen::multiplyByThreads(TileEmitter &tiles, kern::TileMatmulOp op, Values sums) {
  return ThreadMatmul(tiles, op).addTo(std::move(sums));
}

void stretto::codegen::emitMatmul(TileEmitter &tiles, kern::TileMatmulOp op, Value sums, Value result) {
  for (Value operand : op->getOperands())
    tiles.inShared(operand);
  tiles.beginStep();
  const TileLayout &layout = tiles.layoutOf(result);
  Type pair = withLanes(typeOf(result).getElementType(), layout.lanes());
  Values start = sums ? tiles.parts(sums) : Values(layout.parts(), tiles.b.real(pair, 0));
  bool areRounded = getElementTypeOrSelf(op.getA()).isBF16();
  tiles.setParts(result, areRounded ? multiplyByWarps(tiles, op, start) : multiplyByThreads(tiles, op, start));
}
