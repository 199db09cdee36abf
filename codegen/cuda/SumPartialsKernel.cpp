//===- SumPartialsKernel.cpp - the function of a kern.sum_partials --------------===//
//
// A block has a tile of columns, a thread the vector `threadIdx % tile` of it and every `groups`-th entry. Where
// columns are few and do not divide into vectors of 16 bytes, `fold` entries count as one of as many times the columns.
// What threads have added up meets in shared memory, laid out [group][column].
#include "codegen/cuda/ControlFlow.h"
#include "codegen/cuda/KernelFunction.h"

#include "codegen/rows/ElementMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
constexpr int64_t mostThreads = 512, vectorBytes = 16, loadsInFlight = 8;
constexpr int64_t wantedBlocks = 132; // a block for each multiprocessor of an H200
constexpr int64_t leastEntries = 4;   // that a thread adds up, where there are as many

/// How the sum is divided.
struct SumShape {
  SumShape(int64_t entries, int64_t columns, int64_t elementBytes);

  int64_t lanes;   // of a vector
  int64_t fold;    // entries that count as one
  int64_t entries; // after folding
  int64_t vectors; // of an entry, after folding
  int64_t tile;    // vectors of a block
  int64_t groups;  // of threads, each with entries of its own; a power of two
  int64_t blocks;

  int64_t threads() const { return tile * groups; }
  bool usesShared() const { return groups * fold > 1; }

private:
  void chooseVectors(int64_t entryCount, int64_t columns, int64_t elementBytes);
};
} // namespace

/// The widest vector that divides the columns, or as many entries of few columns as make it divide.
void SumShape::chooseVectors(int64_t entryCount, int64_t columns, int64_t elementBytes) {
  constexpr int64_t mostFolded = warpThreads / 2; // vectors: so no entry is wider than a warp
  for (lanes = vectorBytes / elementBytes;; lanes /= 2) {
    fold = lanes / std::gcd(lanes, columns);
    entries = entryCount / fold;
    vectors = columns * fold / lanes;
    if (fold == 1 || (entryCount % fold == 0 && vectors <= mostFolded))
      return;
  }
}

SumShape::SumShape(int64_t entryCount, int64_t columns, int64_t elementBytes) {
  chooseVectors(entryCount, columns, elementBytes);
  tile = vectors;
  if (fold == 1 && vectors > 4)
    for (tile = warpThreads; tile > 4 && llvm::divideCeil(vectors, tile) < wantedBlocks;)
      tile /= 2;
  blocks = llvm::divideCeil(vectors, tile);
  groups = warpThreads / std::gcd(warpThreads, tile);
  while (2 * threads() <= mostThreads && 2 * groups * leastEntries <= entries)
    groups *= 2;
}

namespace {
class SumBuilder {
public:
  SumBuilder(CudaBuilder &b, KernelFunction &function, kern::SumPartialsOp op, const SumShape &shape)
      : b(b), function(function), shape(shape), element(getElementTypeOrSelf(op.getType())),
        columns(elementCount(op.getResult())), partials(function.buffer(0)),
        accumulator(op.getAccumulator() ? function.buffer(1) : Value()), result(function.buffer(accumulator ? 2 : 1)),
        thread(b.threadIndex(shape.threads())) {}

  void build();

private:
  Value addEntries(Value column);
  Value addGroups(Value sum, Value shared);
  void finish(Value sum, Value column, int64_t lanes);
  int64_t alignment() const { return shape.lanes * element.getIntOrFloatBitWidth() / 8; }

  CudaBuilder &b;
  KernelFunction &function;
  const SumShape &shape;
  Type element;
  int64_t columns;
  Value partials, accumulator, result, thread;
};
} // namespace

/// The sum of entries g, g + groups, g + 2 groups, ... at vector `column`, in that order, for group g.
Value SumBuilder::addEntries(Value column) {
  int64_t entryElements = shape.vectors * shape.lanes, stride = shape.groups * entryElements;
  Value group = b.divide(thread, shape.tile);
  Value base =
      b.address(b.address(partials, element, b.mul(column, shape.lanes)), element, b.mul(group, entryElements));
  auto read = [&](Value from, int64_t step) {
    return b.loadAligned(element, shape.lanes, b.address(from, element, step * stride), alignment());
  };
  auto addSteps = [&](Value sum, Value from, int64_t steps) {
    Values loaded;
    for (int64_t step = 0; step < steps; ++step)
      loaded.push_back(read(from, step));
    for (Value value : loaded)
      sum = arith::AddFOp::create(b, sum, value);
    return sum;
  };
  int64_t atOnce = loadsInFlight * shape.groups, whole = shape.entries / atOnce, rest = shape.entries % atOnce;
  Value sum = b.real(withLanes(element, shape.lanes), 0);
  if (whole > 0)
    sum = forEach(b, b.index(0), b.index(whole), 1, sum, [&](Value i, ValueRange carried) -> Values {
      return {addSteps(carried[0], b.address(base, element, b.mul(i, loadsInFlight * stride)), loadsInFlight)};
    })[0];
  Value behind = b.address(base, element, whole * loadsInFlight * stride);
  int64_t steps = rest / shape.groups, last = rest % shape.groups;
  sum = addSteps(sum, behind, steps);
  if (last == 0)
    return sum;
  return branch(b, b.less(group, last), sum,
                [&]() -> Values { return {arith::AddFOp::create(b, sum, read(behind, steps))}; })[0];
}

/// Halves of the groups are added until one is left; returns its sum where `thread` is below the tile.
Value SumBuilder::addGroups(Value sum, Value shared) {
  auto slot = [&](int64_t ahead) {
    return b.address(b.address(shared, element, b.mul(thread, shape.lanes)), element, ahead * shape.lanes);
  };
  b.storeAligned(sum, slot(0), alignment());
  for (int64_t half = shape.groups / 2; half > 0; half /= 2) {
    b.barrier();
    b.when(b.less(thread, half * shape.tile), [&] {
      Value mine = b.loadAligned(element, shape.lanes, slot(0), alignment());
      Value other = b.loadAligned(element, shape.lanes, slot(half * shape.tile), alignment());
      b.storeAligned(arith::AddFOp::create(b, mine, other), slot(0), alignment());
    });
  }
  return b.loadAligned(element, shape.lanes, slot(0), alignment());
}

/// Stores a sum at element `column` and those behind it.
void SumBuilder::finish(Value sum, Value column, int64_t lanes) {
  int64_t aligned = lanes * element.getIntOrFloatBitWidth() / 8;
  if (accumulator)
    sum =
        arith::AddFOp::create(b, b.loadAligned(element, lanes, b.address(accumulator, element, column), aligned), sum);
  b.storeAligned(sum, b.address(result, element, column), aligned);
}

void SumBuilder::build() {
  Value first = b.mul(b.blockIndexX(shape.blocks), shape.tile);
  Value column = b.add(first, b.remainder(thread, shape.tile));
  Value inside;
  if (shape.vectors % shape.tile != 0) {
    inside = b.less(column, shape.vectors);
    column = b.minimum(column, b.index(shape.vectors - 1));
  }
  Value sum = addEntries(column);
  if (!shape.usesShared())
    return b.when(inside, [&] { finish(sum, b.mul(column, shape.lanes), shape.lanes); });
  Value shared = function.shared("sums", shape.threads() * alignment());
  sum = addGroups(sum, shared);
  if (shape.fold == 1)
    return b.when(b.both(inside, b.less(thread, shape.tile)),
                  [&] { finish(sum, b.mul(column, shape.lanes), shape.lanes); });
  b.barrier();
  b.when(b.less(thread, columns), [&] {
    Value total;
    for (int64_t entry = 0; entry < shape.fold; ++entry) {
      Value part = b.load(element, 1, b.address(b.address(shared, element, thread), element, entry * columns));
      total = total ? arith::AddFOp::create(b, total, part) : part;
    }
    finish(total, thread, 1);
  });
}

LogicalResult stretto::codegen::buildSumPartialsKernel(CudaBuilder &b, gpu::GPUModuleOp kernels,
                                                       kern::SumPartialsOp op) {
  KernelFunction function(b, kernels, op);
  Type element = getElementTypeOrSelf(op.getType());
  int64_t entries = cast<RankedTensorType>(op.getPartials().getType()).getDimSize(0),
          columns = elementCount(op.getResult());
  SumShape shape(entries, columns, element.getIntOrFloatBitWidth() / 8);
  SumBuilder(b, function, op, shape).build();
  function.finish({{shape.blocks, 1}, shape.threads(), entries * columns});
  return success();
}
