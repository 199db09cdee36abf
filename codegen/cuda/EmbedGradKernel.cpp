//===- EmbedGradKernel.cpp - the function of a seq.embed_grad ---------------------===//
//
// A block owns some neighbouring ids and a tile of columns of the table, so that nobody else adds to them. It lists
// where its ids stand (TokenLists.h), and cuts the sorted list into pieces of one length, one for each group of
// threads. A group adds the rows of each id in its piece in order. The first id of a piece may have begun in the piece
// before: its sum is left in shared memory, and added when all groups are done.
#include "codegen/cuda/EstimatedGpu.h"
#include "codegen/cuda/LibraryKernels.h"
#include "codegen/cuda/TokenLists.h"
#include "codegen/rows/ElementMap.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
constexpr int64_t loadsInFlight = 4;
constexpr int64_t residentBlocks = 4; // of a multiprocessor: 64 registers for each thread, fewer would spill
constexpr int64_t wantedBlocks = residentBlocks * multiprocessors;
constexpr int64_t leastTile = 8; // vectors, a line of the cache, where a row has as many

/// How the table is divided.
struct GradShape {
  explicit GradShape(seq::EmbedGradOp op);

  int64_t positions, vocabulary, width;
  int64_t lanes;   // of a vector of the gradient: as wide as an access where that divides the width
  int64_t vectors; // of a row
  int64_t tile;    // vectors of a block's tile, at most a warp; a power of two
  int64_t ids;     // of a block; a power of two
  int64_t groups() const { return TokenLists::threads / tile; }
  int64_t tiles() const { return llvm::divideCeil(vectors, tile); }
  int64_t parts() const { return llvm::divideCeil(vocabulary, ids); }
};
} // namespace

/// Narrow tiles and few ids where there would be too few blocks; many ids else, since each block reads all tokens.
GradShape::GradShape(seq::EmbedGradOp op)
    : positions(elementCount(op.getTokens())), vocabulary(op.getType().getDimSize(0)),
      width(lastDimension(op.getResult())), lanes(rowLanes(width, elementBytes(op.getGrad()))), vectors(width / lanes) {
  tile = std::min<int64_t>(warpThreads, llvm::PowerOf2Ceil(vectors));
  while (tile > leastTile && vocabulary * tiles() < wantedBlocks)
    tile /= 2;
  int64_t mostIds = std::min<int64_t>(TokenLists::mostIds, (int64_t(1) << 32) / llvm::PowerOf2Ceil(positions));
  for (ids = 1; 2 * ids <= mostIds && llvm::divideCeil(vocabulary, 2 * ids) * tiles() >= wantedBlocks;)
    ids *= 2;
}

namespace {
class EmbedGradBuilder {
public:
  EmbedGradBuilder(CudaBuilder &b, KernelFunction &function, seq::EmbedGradOp op, const GradShape &shape);

  void build();

private:
  Value rowOf(Value buffer, Value id);
  Value readRow(Value buffer, Value id);
  Value start(Value id, Value isFirst);
  Value addRows(Value begin, Value end);
  void addPiece(Value isFirst);
  void addCarried();
  void fillAbsent();
  Value carriedSlot(Value group);
  int64_t alignment(Type type) const { return commonAlignment(shape.lanes, type); }
  Value equals(Value a, Value c) { return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, a, c); }

  CudaBuilder &b;
  const GradShape &shape;
  Type from, to;
  Value gradient, accumulator, result;
  Value group, column, inside; // `inside`: whether the thread has a column, or null
  Value firstId, count;
  TokenLists lists;
  Value carried; // [group][vector]: sums of the ids that had begun before their piece
  Value piece;   // items of a piece
};
} // namespace

static Value partOfVocabulary(CudaBuilder &b, const GradShape &shape) {
  return b.mul(b.blockIndexX(shape.parts()), shape.ids);
}

EmbedGradBuilder::EmbedGradBuilder(CudaBuilder &b, KernelFunction &function, seq::EmbedGradOp op,
                                   const GradShape &shape)
    : b(b), shape(shape), from(getElementTypeOrSelf(op.getGrad())), to(getElementTypeOrSelf(op.getType())),
      gradient(function.buffer(1)), accumulator(op.getAccumulator() ? function.buffer(2) : Value()),
      result(function.buffer(accumulator ? 3 : 2)), firstId(partOfVocabulary(b, shape)),
      count(b.minimum(b.index(shape.ids), arith::SubIOp::create(b, b.index(shape.vocabulary), firstId))),
      lists(b, function, function.buffer(0), shape.positions, shape.ids, firstId, count,
            b.threadIndex(TokenLists::threads)),
      carried(function.shared("carried", TokenLists::threads * shape.lanes * elementBytes(to))) {
  Value thread = b.threadIndex(TokenLists::threads);
  group = b.divide(thread, shape.tile);
  Value vector = b.add(b.mul(b.blockIndexY(shape.tiles()), shape.tile), b.remainder(thread, shape.tile));
  if (shape.vectors % shape.tile != 0)
    inside = b.less(vector, shape.vectors);
  column = b.mul(vector, shape.lanes);
}

/// The thread's vector of the row of a block's id in the table or what is laid out like it.
Value EmbedGradBuilder::rowOf(Value buffer, Value id) {
  return b.address(b.address(buffer, to, b.mul(b.add(firstId, id), shape.width)), to, column);
}

Value EmbedGradBuilder::readRow(Value buffer, Value id) {
  return b.loadAligned(to, shape.lanes, rowOf(buffer, id), alignment(to));
}

/// What an id has before the sums of this filling.
Value EmbedGradBuilder::start(Value id, Value isFirst) {
  if (accumulator)
    return readRow(b.select(isFirst, accumulator, result), id);
  Value zero = b.real(withLanes(to, shape.lanes), 0);
  Value isLater = arith::XOrIOp::create(b, isFirst, arith::ConstantOp::create(b, b.getBoolAttr(true)));
  return branch(b, isLater, zero, [&]() -> Values { return {readRow(result, id)}; })[0];
}

/// The sum of the rows of the items begin .. end-1, in order.
Value EmbedGradBuilder::addRows(Value begin, Value end) {
  auto read = [&](Value item) {
    Value row = b.address(gradient, from, b.mul(lists.positionOf(item), shape.width));
    return b.loadAligned(from, shape.lanes, b.address(row, from, column), alignment(from));
  };
  auto addLoop = [&](Value first, Value last, int64_t step, Value sum) {
    return forEach(b, first, last, step, sum, [&](Value item, ValueRange sums) -> Values {
      Values rows;
      for (int64_t i = 0; i < step; ++i)
        rows.push_back(read(b.add(item, b.index(i))));
      Value next = sums[0];
      for (Value row : rows)
        next = arith::AddFOp::create(b, next, from == to ? row : arith::ExtFOp::create(b, next.getType(), row));
      return {next};
    })[0];
  };
  Value length = arith::SubIOp::create(b, end, begin);
  Value middle = arith::SubIOp::create(b, end, b.remainder(length, loadsInFlight));
  Value sum = addLoop(begin, middle, loadsInFlight, b.real(withLanes(to, shape.lanes), 0));
  return addLoop(middle, end, 1, sum);
}

Value EmbedGradBuilder::carriedSlot(Value number) {
  Value thread = b.threadIndex(TokenLists::threads);
  Value place = b.add(b.mul(number, shape.tile), b.remainder(thread, shape.tile));
  return b.address(carried, to, b.mul(place, shape.lanes));
}

/// Adds what the thread's group has of the list.
void EmbedGradBuilder::addPiece(Value isFirst) {
  Value size = lists.size(), begin = b.minimum(arith::MulIOp::create(b, group, piece), size);
  Value end = b.minimum(b.add(begin, piece), size);
  whileHolds(
      b, begin, [&](ValueRange now) { return b.less(now[0], end); },
      [&](ValueRange now) -> Values {
        Value item = now[0], id = lists.idOf(item);
        Value last = b.minimum(lists.start(b.add(id, b.index(1))), end), sum = addRows(item, last);
        branch(
            b, equals(item, lists.start(id)),
            [&] {
              Value total = arith::AddFOp::create(b, start(id, isFirst), sum);
              b.storeAligned(total, rowOf(result, id), alignment(to));
            },
            [&] { b.storeAligned(sum, carriedSlot(group), alignment(to)); });
        return {last};
      });
}

/// Adds the sums that pieces have left of ids that began before them: the group whose piece is the first of such an id
/// adds those of all.
void EmbedGradBuilder::addCarried() {
  auto firstOf = [&](Value number) { return arith::MulIOp::create(b, number, piece).getResult(); };
  Value first = firstOf(group), before = arith::SubIOp::create(b, first, piece);
  b.when(b.both(b.less(b.index(0), group), b.less(first, lists.size())), [&] {
    Value id = lists.idOf(first), begin = lists.start(id), end = lists.start(b.add(id, b.index(1)));
    Value beginsBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, before, begin);
    b.when(b.both(b.less(begin, first), beginsBefore), [&] {
      Values sums = whileHolds(
          b, {group, readRow(result, id)}, [&](ValueRange now) { return b.less(firstOf(now[0]), end); },
          [&](ValueRange now) -> Values {
            Value part = b.loadAligned(to, shape.lanes, carriedSlot(now[0]), alignment(to));
            return {b.add(now[0], b.index(1)), arith::AddFOp::create(b, now[1], part)};
          });
      b.storeAligned(sums[1], rowOf(result, id), alignment(to));
    });
  });
}

/// Rows of ids that the first filling does not have: zero, or the accumulator's where that is another buffer.
void EmbedGradBuilder::fillAbsent() {
  auto fill = [&] {
    forEach(b, group, count, shape.groups(), {}, [&](Value id, ValueRange) -> Values {
      b.when(equals(lists.start(id), lists.start(b.add(id, b.index(1)))), [&] {
        Value row = accumulator ? readRow(accumulator, id) : b.real(withLanes(to, shape.lanes), 0);
        b.storeAligned(row, rowOf(result, id), alignment(to));
      });
      return {};
    });
  };
  if (!accumulator)
    return fill();
  b.when(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, accumulator, result), fill);
}

void EmbedGradBuilder::build() {
  lists.forEachFilling([&](Value isFirst) {
    piece = b.divide(b.add(lists.size(), b.index(shape.groups() - 1)), shape.groups());
    b.when(inside, [&] {
      addPiece(isFirst);
      b.when(isFirst, [&] { fillAbsent(); });
    });
    b.barrier();
    b.when(inside, [&] { addCarried(); });
  });
}

static LogicalResult buildEmbedGrad(CudaBuilder &b, gpu::GPUModuleOp kernels, Operation *op) {
  auto grad = cast<seq::EmbedGradOp>(op);
  KernelFunction function(b, kernels, grad);
  GradShape shape(grad);
  EmbedGradBuilder(b, function, grad, shape).build();
  CudaLaunch launch{{shape.parts(), shape.tiles()}, TokenLists::threads, shape.positions * shape.width};
  launch.resident = residentBlocks;
  function.finish(launch);
  return success();
}

const LibraryKernel stretto::codegen::embedGradKernel = {seq::EmbedGradOp::getOperationName(), "embed", buildEmbedGrad};
