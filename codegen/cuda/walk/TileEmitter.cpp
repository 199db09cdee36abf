//===- TileEmitter.cpp - the tiles of a walk's body as device code --------------===//
#include "codegen/cuda/walk/TileEmitter.h"

#include "codegen/cuda/ControlFlow.h"
#include "codegen/cuda/Functions.h"
#include "codegen/rows/Elementwise.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

TileEmitter::TileEmitter(CudaBuilder &b, int64_t warps, bool rolled) : b(b), shared(b), warps(warps), rolled(rolled) {
  number = b.threadIndex(threads());
}

void TileEmitter::renewThread(int64_t step) {
  number = b.renew(number, threads(), step);
  for (auto &[shape, known] : places)
    known.follow(number);
}

void TileEmitter::beginStep() {
  renewThread(++steps);
  shared.beginStep();
  loaded.clear();
}

//===- Places -------------------------------------------------------------------===//

TilePlaces &TileEmitter::placesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 2> key(shape);
  auto found = places.find(key);
  if (found == places.end()) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(number);
    found = places.emplace(key, TilePlaces(b, TileLayout(shape, warps), number)).first;
  }
  return found->second;
}

const TileLayout &TileEmitter::layoutOf(Value tile) { return placesOf(typeOf(tile).getShape()).layout(); }

//===- Shared memory ------------------------------------------------------------===//

/// A comparison is a byte in memory.
static Value toMemory(CudaBuilder &b, const SharedTile &tile, Value value) {
  if (!getElementTypeOrSelf(value).isInteger(1))
    return value;
  return arith::ExtUIOp::create(b, withLanes(tile.element, lanesOf(value)), value);
}

static Value toRegister(CudaBuilder &b, Value tile, Value value) {
  Type type = withLanes(typeOf(tile).getElementType(), lanesOf(value));
  return value.getType() == type ? value : arith::TruncIOp::create(b, type, value).getResult();
}

Value TileEmitter::addressOf(const SharedTile &tile, const TilePlace &place) {
  Value offset = place.row ? b.add(b.mul(place.row, tile.stride), place.column) : place.column;
  Value address = offset ? b.address(tile.pointer, tile.element, offset) : tile.pointer;
  return b.address(address, tile.element, place.moreRows * tile.stride + place.moreColumns);
}

Value TileEmitter::load(const SharedTile &from, const TilePlace &place, int64_t lanes) {
  shared.read(from);
  return b.loadAligned(from.element, lanes, addressOf(from, place), commonAlignment(lanes, from.element));
}

void TileEmitter::store(const SharedTile &to, const TilePlace &place, Value value) {
  shared.write(to);
  value = toMemory(b, to, value);
  int64_t alignment = commonAlignment(lanesOf(value), to.element);
  b.when(place.owned, [&] { b.storeAligned(value, addressOf(to, place), alignment); });
}

Value TileEmitter::loadAt(const SharedTile &from, Value row, Value column) {
  return load(from, {row, column, 0, 0, {}}, 1);
}

void TileEmitter::storeAt(const SharedTile &to, Value row, Value column, Value value) {
  store(to, {row, column, 0, 0, {}}, value);
}

/// body(i) for i = own, own + workers, ... below `count`.
static void shareOut(CudaBuilder &b, Value own, int64_t workers, int64_t count, llvm::function_ref<void(Value)> body) {
  if (count <= workers)
    return b.when(count < workers ? b.less(own, count) : Value(), [&] { body(own); });
  forEach(b, own, b.index(count), workers, {}, [&](Value i, ValueRange) {
    body(i);
    return Values();
  });
}

void TileEmitter::forEachOf(int64_t count, llvm::function_ref<void(Value)> body) {
  shareOut(b, number, threads(), count, body);
}

void TileEmitter::forEachByWarp(int64_t count, llvm::function_ref<void(Value)> body) {
  shareOut(b, b.divide(number, warpThreads), warps, count, body);
}

SharedTile TileEmitter::inShared(Value tile) {
  if (auto there = sharedOf(tile))
    return *there;
  RankedTensorType type = typeOf(tile);
  SharedTile to = shared.add(type.getElementType(), type.getShape());
  beginStep();
  copy(tile, to);
  setShared(tile, to);
  return to;
}

void TileEmitter::copy(Value tile, const SharedTile &to) {
  const TileLayout &layout = layoutOf(tile);
  if (rolled && layout.rank() == 2 && layout.partsOfRow() > 1 && isInMemory(tile))
    return copyByHalves(tile, to);
  for (int64_t i = 0; i < layout.parts(); ++i)
    store(to, placesOf(layout.shape).at(i), part(tile, i));
}

/// Whether no part of a tile is in a register.
bool TileEmitter::isInMemory(Value tile) {
  if (typeOf(tile).getRank() < 2)
    return true;
  if (!forms[tile].parts.empty())
    return false;
  return sharedOf(tile) ||
         llvm::all_of(tile.getDefiningOp()->getOperands(), [&](Value from) { return isInMemory(from); });
}

/// A loop over the halves of the squares that a warp has side by side.
void TileEmitter::copyByHalves(Value tile, const SharedTile &to) {
  const TileLayout &layout = layoutOf(tile);
  loaded.clear();
  forEachRolled(b, b.index(0), b.index(layout.partsOfRow()), 1, {}, [&](Value number, ValueRange) {
    half = number;
    for (int64_t row = 0; row < layout.rowsOfThread(); ++row) {
      int64_t first = row * layout.partsOfRow();
      store(to, placeOf(layout, first), part(tile, first));
    }
    return Values();
  });
  half = {};
  loaded.clear();
}

TilePlace TileEmitter::placeOf(const TileLayout &layout, int64_t number) {
  TilePlaces &where = placesOf(layout.shape);
  return half && layout.rank() == 2 ? where.atHalf(number / layout.partsOfRow(), half) : where.at(number);
}

//===- Registers ----------------------------------------------------------------===//

Values TileEmitter::parts(Value tile) {
  Values all;
  for (int64_t i = 0; i < layoutOf(tile).parts(); ++i)
    all.push_back(part(tile, i));
  return all;
}

Value TileEmitter::part(Value tile, int64_t number) {
  if (Values &known = forms[tile].parts; !known.empty())
    return known[number];
  return inStep(tile, number, [&] { return compute(tile, number); });
}

Value TileEmitter::inStep(Value tile, int64_t number, llvm::function_ref<Value()> make) {
  auto key = std::pair(tile.getAsOpaquePointer(), number);
  auto found = loaded.find(key);
  return found != loaded.end() ? found->second : loaded[key] = make();
}

Value TileEmitter::compute(Value tile, int64_t number) {
  const TileLayout &layout = layoutOf(tile);
  if (auto from = sharedOf(tile))
    return toRegister(b, tile, load(*from, placeOf(layout, number), layout.lanes()));
  Operation *op = tile.getDefiningOp();
  if (op->hasTrait<OpTrait::ConstantLike>())
    return b.splat(emitConstant(b, op), layout.lanes());
  if (auto repeat = dyn_cast<seq::BroadcastOp>(op))
    return broadcast(repeat, number);
  if (auto index = dyn_cast<seq::ColumnIndexOp>(op))
    return columnNumbers(index, number);
  Values operands;
  for (Value operand : op->getOperands())
    operands.push_back(part(operand, number));
  return emitOnDevice(b, op, operands);
}

/// A number of all, of the row or of the columns.
Value TileEmitter::broadcast(seq::BroadcastOp op, int64_t number) {
  Value from = op.getOperand();
  const TileLayout &layout = layoutOf(op.getResult());
  if (typeOf(from).getRank() == 0)
    return b.splat(part(from, 0), layout.lanes());
  if (typeOf(from).getRank() == layout.rank())
    return part(from, number);
  bool ofRow = op.getDims()[0] == 0;
  int64_t line = ofRow ? number / layout.partsOfRow() : number % layout.partsOfRow();
  Value value = inStep(op.getResult(), -1 - line, [&] {
    TilePlace place = placeOf(layout, number);
    return loadLine(from, ofRow ? place.row : place.column, ofRow ? place.moreRows : place.moreColumns,
                    ofRow ? 1 : layout.lanes());
  });
  return b.splat(value, layout.lanes());
}

static bool needsNoMemory(Value list) {
  Operation *op = list.getDefiningOp();
  return op && (isa<seq::ColumnIndexOp>(op) || op->hasTrait<OpTrait::ConstantLike>());
}

void TileEmitter::prepareLine(Value list) {
  if (!needsNoMemory(list))
    inShared(list);
}

/// Neighbours in a list.
Value TileEmitter::loadLine(Value list, Value first, int64_t more, int64_t lanes) {
  if (!needsNoMemory(list))
    return toRegister(b, list, load(*sharedOf(list), {{}, first, 0, more, {}}, lanes));
  if (isa<seq::ColumnIndexOp>(list.getDefiningOp()))
    return emitColumnNumbers(b, typeOf(list).getElementType(), b.add(first, b.index(more)), lanes);
  return b.splat(emitConstant(b, list.getDefiningOp()), lanes);
}

Value TileEmitter::columnNumbers(seq::ColumnIndexOp op, int64_t number) {
  const TileLayout &layout = layoutOf(op.getResult());
  TilePlace place = placeOf(layout, number);
  Value first = place.column ? b.add(place.column, b.index(place.moreColumns)) : b.index(0);
  return emitColumnNumbers(b, typeOf(op.getResult()).getElementType(), first, layout.lanes());
}
