//===- Windows.cpp - the parts of values that a program of a walk has as tiles --===//
#include "codegen/cuda/walk/Windows.h"

#include "codegen/cuda/ControlFlow.h"
#include "codegen/memory/Views.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

//===- Where tiles lie ----------------------------------------------------------===//

namespace {
/// Finds the tile of one value.
class Locator {
public:
  Locator(CudaBuilder &b, kern::WalkOp walk, Value value, kern::WindowAttr window, const WalkPosition &position)
      : b(b), walk(walk), value(value), window(window), position(position),
        part(b.divide(position.program, walk.getPrograms() / window.getParts())) {}

  WindowTile locate(Value pointer, ArrayRef<int64_t> shape);

private:
  void inRows(WindowTile &tile, ArrayRef<int64_t> shape);
  void inColumns(WindowTile &tile, ArrayRef<int64_t> shape);
  void inStates(WindowTile &tile, ArrayRef<int64_t> shape);
  Value isStored(int64_t every);
  void limitColumns(WindowTile &tile, int64_t columns, int64_t width);

  CudaBuilder &b;
  kern::WalkOp walk;
  Value value;
  kern::WindowAttr window;
  const WalkPosition &position;
  Value part;
  Value first; // number of the tile's first element
};
} // namespace

WindowTile Locator::locate(Value pointer, ArrayRef<int64_t> shape) {
  WindowTile tile{pointer, getElementTypeOrSelf(value), 0, 0, {}, {}, {}, 0};
  switch (window.getKind()) {
  case kern::WindowKind::rows:
    inRows(tile, shape);
    break;
  case kern::WindowKind::shared:
    inColumns(tile, shape);
    break;
  case kern::WindowKind::states:
  case kern::WindowKind::ends:
    inStates(tile, shape);
    break;
  }
  tile.pointer = b.address(pointer, tile.element, first);
  return tile;
}

void Locator::limitColumns(WindowTile &tile, int64_t columns, int64_t width) {
  if (columns > width)
    tile.columnLimit = width;
}

void Locator::inRows(WindowTile &tile, ArrayRef<int64_t> shape) {
  auto [batch, time] = walk.getRows();
  int64_t chunk = walk.getChunk(), columns = typeOf(value).getRank() == 3 ? columnsOf(value) : 1;
  int64_t width = columns / window.getParts(), stride = typeOf(value).getRank() == 3 ? rowStride(value) : 1;
  Value begin = b.mul(position.chunk, chunk), row = b.add(b.mul(position.batch, time), begin);
  first = b.add(b.mul(row, stride), b.mul(part, width));
  if (time % chunk != 0)
    tile.rowLimit = arith::SubIOp::create(b, b.index(time), begin);
  tile.rowStride = stride;
  if (shape.size() == 2) {
    tile.columnStride = 1;
    limitColumns(tile, shape[1], width);
  }
  tile.alignment = commonAlignment({stride, width, firstColumn(value)}, tile.element);
}

void Locator::inColumns(WindowTile &tile, ArrayRef<int64_t> shape) {
  int64_t width = columnsOf(value) / window.getParts();
  first = b.mul(part, width);
  tile.columnStride = 1;
  if (!shape.empty())
    limitColumns(tile, shape[0], width);
  tile.alignment = commonAlignment({width}, tile.element);
}

void Locator::inStates(WindowTile &tile, ArrayRef<int64_t> shape) {
  auto dims = typeOf(value).getShape(); // batch, heads, entries, rows * columns
  int64_t width = window.getWidth(), partsOfHead = window.getParts() / dims[1], every = window.getEvery();
  tile.rowStride = partsOfHead * width;
  Value head = b.add(b.mul(position.batch, dims[1]), b.divide(part, partsOfHead));
  Value entry = b.add(b.mul(head, dims[2]), b.divide(position.chunk, every));
  first = b.add(b.mul(entry, dims[3]), b.mul(b.remainder(part, partsOfHead), width));
  if (int64_t rows = dims[3] / tile.rowStride; rows < shape[0])
    tile.rowLimit = b.index(rows);
  if (shape.size() == 2) {
    tile.columnStride = 1;
    limitColumns(tile, shape[1], width);
  }
  if (every > 1)
    tile.stored = isStored(every);
  tile.alignment = commonAlignment({tile.rowStride, width}, tile.element);
}

/// Whether the chunk is the one that stores an entry, of those that have it.
Value Locator::isStored(int64_t every) {
  auto isAt = [&](Value chunk, int64_t number) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, chunk, b.index(number)).getResult();
  };
  Value number = b.remainder(position.chunk, every);
  if (window.getKind() == kern::WindowKind::states)
    return isAt(number, 0);
  Value ends = isAt(number, every - 1), isLast = isAt(position.chunk, walk.getChunks() - 1);
  return arith::OrIOp::create(b, ends, isLast);
}

WindowTile stretto::codegen::locateWindow(CudaBuilder &b, kern::WalkOp walk, unsigned number, Value pointer,
                                          ArrayRef<int64_t> tile, const WalkPosition &position) {
  unsigned operands = walk.getNumOperands();
  bool isOperand = number < operands;
  Value value = isOperand ? walk.getOperand(number) : Value(walk.getResult(number - operands));
  auto window = isOperand ? walk.getWindow(number) : walk.getResultWindow(number - operands);
  return Locator(b, walk, value, window, position).locate(pointer, tile);
}

//===- Reading ------------------------------------------------------------------===//

/// Whether an index is below a limit; null: always.
static Value isBelow(CudaBuilder &b, Value index, Value limit) { return limit ? b.less(index, limit) : Value(); }

/// The index, or the last one below the limit where it is not.
static Value clamp(CudaBuilder &b, Value index, Value limit) {
  return limit ? b.minimum(index, b.add(limit, b.index(-1))) : index;
}

namespace {
/// Some neighbouring elements of a row in memory.
struct Lanes {
  Value pointer; // where they are, or others that are there
  Value exist;   // null: they do
};
} // namespace

static Lanes findLanes(CudaBuilder &b, const WindowTile &from, Value row, Value column, int64_t lanes) {
  Value columnLimit = from.columnLimit ? b.index(*from.columnLimit) : Value();
  Value lastColumn = from.columnLimit ? b.index(*from.columnLimit - lanes + 1) : Value();
  Value offset = b.add(b.mul(clamp(b, row, from.rowLimit), from.rowStride),
                       b.mul(clamp(b, column, lastColumn), from.columnStride));
  return {b.address(from.pointer, from.element, offset),
          b.both(isBelow(b, row, from.rowLimit), isBelow(b, column, columnLimit))};
}

/// Zeros where they do not exist; the load is made in any case.
static Value loadLanes(CudaBuilder &b, const WindowTile &from, const Lanes &where, int64_t lanes) {
  Value loaded = b.loadAligned(from.element, lanes, where.pointer, lanes * elementBytes(from.element));
  Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(loaded.getType())));
  return b.select(where.exist, loaded, zero);
}

namespace {
/// A vector of a matrix that a thread brings to shared memory.
struct MovedVector {
  Value isOwn; // null: it is
  Lanes from;
  Value to;
};
} // namespace

/// All vectors of a matrix, shared out to the threads; `move` moves some of them.
static void moveMatrix(CudaBuilder &b, const WindowTile &from, const SharedTile &to, ArrayRef<int64_t> shape,
                       int64_t threads, Value thread, llvm::function_ref<void(ArrayRef<MovedVector>)> move) {
  constexpr int64_t most = 8; // vectors of a thread in flight
  int64_t lanes = from.alignment / elementBytes(from.element), ofRow = shape[1] / lanes, count = shape[0] * ofRow;
  int64_t turns = llvm::divideCeil(count, threads), together = std::min(turns, most);
  Value end = b.index(llvm::alignTo(turns, together) * threads);
  forEach(b, b.index(0), end, together * threads, {}, [&](Value begin, ValueRange) {
    SmallVector<MovedVector> vectors;
    for (int64_t i = 0; i < together; ++i) {
      Value number = b.add(b.add(begin, b.index(i * threads)), thread);
      Value isOwn = count % (together * threads) ? b.less(number, count) : Value();
      number = isOwn ? b.minimum(number, b.index(count - 1)) : number;
      Value row = b.divide(number, ofRow), column = b.mul(b.remainder(number, ofRow), lanes);
      Value place = b.address(to.pointer, to.element, b.add(b.mul(row, to.stride), column));
      vectors.push_back({isOwn, findLanes(b, from, row, column, lanes), place});
    }
    move(vectors);
    return Values();
  });
}

void stretto::codegen::loadMatrix(CudaBuilder &b, const WindowTile &from, const SharedTile &to, ArrayRef<int64_t> shape,
                                  int64_t threads, Value thread) {
  moveMatrix(b, from, to, shape, threads, thread, [&](ArrayRef<MovedVector> vectors) {
    Values loaded;
    for (const MovedVector &vector : vectors)
      loaded.push_back(loadLanes(b, from, vector.from, from.alignment / elementBytes(from.element)));
    for (auto [vector, value] : llvm::zip_equal(vectors, loaded))
      b.when(vector.isOwn, [&, value = value, to = vector.to] { b.storeAligned(value, to, from.alignment); });
  });
}

bool stretto::codegen::isCopied(const WindowTile &from) { return from.alignment == widestAccess; }

void stretto::codegen::copyMatrix(CudaBuilder &b, const WindowTile &from, const SharedTile &to, ArrayRef<int64_t> shape,
                                  int64_t threads, Value thread) {
  moveMatrix(b, from, to, shape, threads, thread, [&](ArrayRef<MovedVector> vectors) {
    for (const MovedVector &vector : vectors)
      b.when(vector.isOwn, [&] { b.copyAsync(vector.to, vector.from.pointer, vector.from.exist); });
  });
  b.commitCopies();
}

Value stretto::codegen::loadElement(CudaBuilder &b, const WindowTile &from, const TilePlace &place) {
  Value element = place.column ? place.column : b.index(0);
  bool isRow = from.columnStride == 0;
  return loadLanes(b, from, findLanes(b, from, isRow ? element : b.index(0), isRow ? b.index(0) : element, 1), 1);
}

//===- Writing ------------------------------------------------------------------===//

namespace {
/// Stores the parts of one tile.
class PartStore {
public:
  PartStore(CudaBuilder &b, const WindowTile &to, TilePlaces &places, ValueRange parts)
      : b(b), to(to), places(places), parts(parts) {}

  void storeMatrix();
  void storeList();

private:
  void storePair(const TilePlace &place, Value pair);

  CudaBuilder &b;
  const WindowTile &to;
  TilePlaces &places;
  ValueRange parts;
};
} // namespace

/// Two neighbours, one by one where they lie badly, or where only the first may be there.
void PartStore::storePair(const TilePlace &place, Value pair) {
  int64_t bytes = elementBytes(to.element);
  Value column = b.add(place.column, b.index(place.moreColumns));
  Value row = b.add(place.row, b.index(place.moreRows));
  Value address = b.address(to.pointer, to.element, b.add(b.mul(row, to.rowStride), column));
  auto isThere = [&](int64_t lane) {
    return to.columnLimit ? b.both(place.owned, b.less(b.add(column, b.index(lane)), *to.columnLimit)) : place.owned;
  };
  if (to.alignment >= 2 * bytes) // the limit is even, too
    return b.when(isThere(0), [&] { b.storeAligned(pair, address, 2 * bytes); });
  for (int64_t lane : {0, 1}) {
    Value element = vector::ExtractOp::create(b, pair, lane);
    b.when(isThere(lane), [&] { b.storeAligned(element, b.address(address, to.element, lane), bytes); });
  }
}

void PartStore::storeMatrix() {
  const TileLayout &layout = places.layout();
  for (int64_t row = 0; row < layout.rowsOfThread(); ++row) {
    int64_t first = row * layout.partsOfRow();
    TilePlace begin = places.at(first);
    Value isThere = isBelow(b, b.add(begin.row, b.index(begin.moreRows)), to.rowLimit);
    b.when(b.both(to.stored, isThere), [&] {
      for (int64_t part = first; part < first + layout.partsOfRow(); ++part)
        storePair(places.at(part), parts[part]);
    });
  }
}

/// Of a number, the first thread stores it.
void PartStore::storeList() {
  for (auto [part, value] : llvm::enumerate(parts)) {
    TilePlace place = places.at(part);
    Value element = place.column ? place.column : places.thread;
    Value limit = to.columnStride == 0 ? to.rowLimit : to.columnLimit ? b.index(*to.columnLimit) : Value();
    Value condition = b.both(place.owned, place.column ? isBelow(b, element, limit) : Value());
    int64_t stride = to.columnStride == 0 ? to.rowStride : to.columnStride;
    b.when(b.both(to.stored, condition),
           [&, value = value] { b.store(value, b.address(to.pointer, to.element, b.mul(element, stride))); });
  }
}

void stretto::codegen::storeParts(CudaBuilder &b, const WindowTile &to, TilePlaces &places, ValueRange parts) {
  PartStore store(b, to, places, parts);
  places.layout().rank() == 2 ? store.storeMatrix() : store.storeList();
}

//===- Bytes --------------------------------------------------------------------===//

/// Elements of the part of a program, for all chunks that read or write it.
static int64_t elementsOfProgram(kern::WalkOp walk, Value value, kern::WindowAttr window, bool isInitial) {
  switch (window.getKind()) {
  case kern::WindowKind::rows:
    return elementsOf(value) / window.getParts();
  case kern::WindowKind::shared:
    return elementsOf(value) / window.getParts() * walk.getRows().first * walk.getSpans();
  case kern::WindowKind::states:
  case kern::WindowKind::ends: {
    auto dims = typeOf(value).getShape();
    int64_t ofPart = dims[0] * dims[1] * dims[3] / window.getParts();
    return ofPart * (isInitial ? walk.getSpans() : dims[2]);
  }
  }
  llvm_unreachable("unknown kind of window");
}

int64_t stretto::codegen::bytesOfWalk(kern::WalkOp walk) {
  int64_t bytes = 0, programs = walk.getPrograms();
  auto add = [&](Value value, kern::WindowAttr window, bool isInitial) {
    bytes += programs * elementsOfProgram(walk, value, window, isInitial) * elementBytes(value);
  };
  for (auto [i, operand] : llvm::enumerate(walk.getOperands()))
    add(operand, walk.getWindow(i), i >= walk.getInputs().size());
  for (auto [i, result] : llvm::enumerate(walk.getResults()))
    add(result, walk.getResultWindow(i), false);
  return bytes;
}
