//===- Columns.cpp - operations on tiles that go down their columns --------------===//
#include "codegen/cuda/walk/TileOperations.h"

#include "codegen/cuda/ControlFlow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static int64_t columnsOfTile(Value tile) { return typeOf(tile).getRank() == 2 ? columnsOf(tile) : 1; }

//===- One row ------------------------------------------------------------------===//

/// The threads that own parts of the row leave them in shared memory.
static SharedTile leaveRow(TileEmitter &tiles, kern::TileRowOp op) {
  CudaBuilder &b = tiles.b;
  TilePlaces &places = tiles.placesOf(typeOf(op.getOperand()).getShape());
  SharedTile row = tiles.shared.add(typeOf(op.getResult()).getElementType(), typeOf(op.getResult()).getShape());
  tiles.beginStep();
  for (int64_t part = 0; part < places.layout().parts(); ++part) {
    TilePlace place = places.at(part);
    Value number = b.add(place.row, b.index(place.moreRows));
    Value isRow = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, b.index(op.getRow()));
    Value value = tiles.part(op.getOperand(), part);
    tiles.store(row, {{}, place.column, 0, place.moreColumns, b.both(place.owned, isRow)}, value);
  }
  return row;
}

void stretto::codegen::emitTileRow(TileEmitter &tiles, kern::TileRowOp op) {
  CudaBuilder &b = tiles.b;
  Value operand = op.getOperand(), result = op.getResult();
  int64_t row = op.getRow();
  if (typeOf(operand).getRank() == 2 && !tiles.sharedOf(operand))
    return tiles.setShared(result, leaveRow(tiles, op));
  SharedTile from = tiles.inShared(operand);
  tiles.beginStep();
  TilePlaces &places = tiles.placesOf(typeOf(result).getShape());
  Values parts;
  for (int64_t part = 0; part < places.layout().parts(); ++part) {
    Value column = places.at(part).column;
    parts.push_back(column ? tiles.loadAt(from, b.index(row), column) : tiles.loadAt(from, {}, b.index(row)));
  }
  tiles.setParts(result, parts);
}

//===- Sums up to each row ------------------------------------------------------===//

namespace {
/// A thread goes down each column of each block of rows.
class PrefixSum {
public:
  PrefixSum(TileEmitter &tiles, kern::PrefixSumOp op)
      : tiles(tiles), b(tiles.b), op(op), from(tiles.inShared(op.getOperand())),
        to(tiles.shared.add(typeOf(op.getResult()).getElementType(), typeOf(op.getResult()).getShape())),
        columns(columnsOfTile(op.getOperand())), rows(op.getRows()) {}

  SharedTile sumAll();

private:
  void sumChain(Value chain);
  Value load(Value row, Value column) {
    return isMatrix() ? tiles.loadAt(from, row, column) : tiles.loadAt(from, {}, row);
  }
  void store(Value row, Value column, Value value) {
    isMatrix() ? tiles.storeAt(to, row, column, value) : tiles.storeAt(to, {}, row, value);
  }
  bool isMatrix() { return typeOf(op.getOperand()).getRank() == 2; }

  TileEmitter &tiles;
  CudaBuilder &b;
  kern::PrefixSumOp op;
  SharedTile from, to;
  int64_t columns, rows;
};
} // namespace

void PrefixSum::sumChain(Value chain) {
  const int64_t together = std::gcd<int64_t>(rows, 8); // loads in flight
  Value column = b.remainder(chain, columns), block = b.mul(b.divide(chain, columns), rows);
  Value zero = b.real(typeOf(op.getResult()).getElementType(), 0);
  auto rowOf = [&](Value first, int64_t i) -> Value {
    Value number = b.add(first, b.index(i));
    number = op.getReverse() ? arith::SubIOp::create(b, b.index(rows - 1), number) : number;
    return b.add(block, number);
  };
  auto loop = tiles.isRolled() ? forEachRolled : forEach;
  loop(b, b.index(0), b.index(rows), together, zero, [&](Value first, ValueRange sums) -> Values {
    Values values;
    for (int64_t i = 0; i < together; ++i)
      values.push_back(load(rowOf(first, i), column));
    Value sum = sums[0];
    for (auto [i, value] : llvm::enumerate(values)) {
      Value next = arith::AddFOp::create(b, sum, value);
      store(rowOf(first, i), column, op.getExclusive() ? sum : next);
      sum = next;
    }
    return {sum};
  });
}

SharedTile PrefixSum::sumAll() {
  int64_t blocks = typeOf(op.getOperand()).getDimSize(0) / rows;
  tiles.beginStep();
  tiles.forEachOf(columns * blocks, [&](Value chain) { sumChain(chain); });
  return to;
}

void stretto::codegen::emitPrefixSum(TileEmitter &tiles, kern::PrefixSumOp op) {
  tiles.setShared(op.getResult(), PrefixSum(tiles, op).sumAll());
}
