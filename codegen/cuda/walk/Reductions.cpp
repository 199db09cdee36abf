//===- Reductions.cpp - sums and extremes of tiles -------------------------------===//
#include "codegen/cuda/walk/TileOperations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// What the threads of a warp know of the lines of a matrix goes to shared memory, one list for each of the warps that
/// share lines; the lists are combined in order.
class Reduction {
public:
  Reduction(TileEmitter &tiles, seq::ReduceKind kind, Value operand, Value result)
      : tiles(tiles), b(tiles.b), kind(kind), operand(operand), result(result),
        element(typeOf(result).getElementType()) {}

  void alongColumns();
  void alongRows();
  void ofList();

private:
  Value known(const TilePlace &place, Value value) {
    return b.select(place.owned, value, b.identity(kind, value.getType()));
  }
  Value combineLanes(Value value, ArrayRef<int64_t> masks);
  void combineWarps(const SharedTile &lists, int64_t count);

  TileEmitter &tiles;
  CudaBuilder &b;
  seq::ReduceKind kind;
  Value operand, result;
  Type element;
};
} // namespace

/// Over the lanes whose numbers differ in the bits of the masks.
Value Reduction::combineLanes(Value value, ArrayRef<int64_t> masks) {
  for (int64_t mask : masks)
    value = b.combine(kind, value, b.exchange(value, mask));
  return value;
}

/// `lists` has `count` lists behind each other.
void Reduction::combineWarps(const SharedTile &lists, int64_t count) {
  if (count == 1)
    return tiles.setShared(result, lists);
  tiles.beginStep();
  TilePlaces &places = tiles.placesOf(typeOf(result).getShape());
  int64_t length = elementsOf(result);
  Values parts;
  for (int64_t part = 0; part < places.layout().parts(); ++part) {
    TilePlace place = places.at(part);
    Value value = tiles.load(lists, place, 1);
    for (int64_t list = 1; list < count; ++list) {
      place.moreColumns = list * length;
      value = b.combine(kind, value, tiles.load(lists, place, 1));
    }
    parts.push_back(value);
  }
  tiles.setParts(result, parts);
}

void Reduction::alongColumns() {
  TilePlaces &places = tiles.placesOf(typeOf(operand).getShape());
  const TileLayout &layout = places.layout();
  int64_t rows = layout.shape[0];
  SharedTile lists = tiles.shared.add(element, {layout.warpsAcross * rows});
  tiles.beginStep();
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, b.remainder(places.lane, 4), b.index(0));
  for (int64_t row = 0; row < layout.rowsOfThread(); ++row) {
    Value value;
    for (int64_t i = 0; i < layout.partsOfRow(); ++i) {
      int64_t part = row * layout.partsOfRow() + i;
      Value next = known(places.at(part), tiles.part(operand, part));
      value = value ? b.combine(kind, value, next) : next;
    }
    value = combineLanes(b.horizontal(kind, value), {1, 2});
    TilePlace place = places.at(row * layout.partsOfRow());
    Value column = b.add(b.mul(places.warpAcross, rows), place.row);
    tiles.store(lists, {{}, column, 0, place.moreRows, b.both(isFirst, place.owned)}, value);
  }
  combineWarps(lists, layout.warpsAcross);
}

void Reduction::alongRows() {
  TilePlaces &places = tiles.placesOf(typeOf(operand).getShape());
  const TileLayout &layout = places.layout();
  int64_t columns = layout.shape[1];
  SharedTile lists = tiles.shared.add(element, {layout.warpsDown * columns});
  tiles.beginStep();
  for (int64_t i = 0; i < layout.partsOfRow(); ++i) {
    Value value;
    for (int64_t row = 0; row < layout.rowsOfThread(); ++row) {
      int64_t part = row * layout.partsOfRow() + i;
      Value next = known(places.at(part), tiles.part(operand, part));
      value = value ? b.combine(kind, value, next) : next;
    }
    Value pair = b.real(value.getType(), 0);
    for (int64_t lane : {0, 1})
      pair =
          vector::InsertOp::create(b, combineLanes(vector::ExtractOp::create(b, value, lane), {16, 8, 4}), pair, lane);
    TilePlace place = places.at(i);
    Value column = b.add(b.mul(places.warpDown, columns), place.column);
    tiles.store(lists, {{}, column, 0, place.moreColumns, b.both(b.less(places.lane, 4), place.owned)}, pair);
  }
  combineWarps(lists, layout.warpsDown);
}

/// Each warp by itself, so that all threads know the result.
void Reduction::ofList() {
  SharedTile list = tiles.inShared(operand);
  tiles.beginStep();
  int64_t length = elementsOf(operand);
  Value lane = tiles.lane(), value = b.identity(kind, element);
  for (int64_t first = 0; first < length; first += warpThreads) {
    Value number = b.add(lane, b.index(first)), isThere;
    if (first + warpThreads > length)
      isThere = b.less(number, length);
    Value inside = isThere ? b.minimum(number, b.index(length - 1)) : number;
    Value next = b.select(isThere, tiles.loadAt(list, {}, inside), b.identity(kind, element));
    value = b.combine(kind, value, next);
  }
  tiles.setParts(result, {b.reduceLanes(kind, value, warpThreads)});
}

void stretto::codegen::emitReduction(TileEmitter &tiles, seq::ReduceOp op) {
  Reduction reduction(tiles, op.getKind(), op.getOperand(), op.getResult());
  typeOf(op.getOperand()).getRank() == 2 ? reduction.alongColumns() : reduction.ofList();
}

void stretto::codegen::emitTileSum(TileEmitter &tiles, kern::TileSumOp op) {
  Reduction reduction(tiles, seq::ReduceKind::add, op.getOperand(), op.getResult());
  typeOf(op.getOperand()).getRank() == 2 ? reduction.alongRows() : reduction.ofList();
}
