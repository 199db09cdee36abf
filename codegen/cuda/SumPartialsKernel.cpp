//===- SumPartialsKernel.cpp - the function of a kern.sum_partials --------------===//
//
// A block has a tile of columns of one sum, a thread the vector `threadIdx % tile` of it and every `groups`-th entry.
// Where columns are few and do not divide into vectors of 16 bytes, `fold` entries count as one of as many times the
// columns. What threads have added up meets in shared memory, laid out [group][column]. Of several sums each has the
// blocks behind those of the sums before it, and is divided as it would be alone: threads that only others need meet at
// its barriers and do nothing else.
#include "codegen/cuda/ControlFlow.h"
#include "codegen/cuda/EstimatedGpu.h"
#include "codegen/cuda/KernelFunction.h"

#include "codegen/rows/ElementMap.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
constexpr int64_t mostThreads = 512, loadsInFlight = 8;
constexpr int64_t wantedBlocks = multiprocessors;
constexpr int64_t leastEntries = 4; // that a thread adds up, where there are as many

/// How the sum is divided.
struct SumShape {
  SumShape(int64_t entries, int64_t columns, int64_t elementBytes);

  int64_t elementBytes;
  int64_t lanes;   // of a vector
  int64_t fold;    // entries that count as one
  int64_t entries; // after folding
  int64_t vectors; // of an entry, after folding
  int64_t tile;    // vectors of a block
  int64_t groups;  // of threads, each with entries of its own; a power of two
  int64_t blocks;

  int64_t threads() const { return tile * groups; }
  bool usesShared() const { return groups * fold > 1; }
  int64_t sharedBytes() const { return usesShared() ? threads() * lanes * elementBytes : 0; }

private:
  void chooseVectors(int64_t entryCount, int64_t columns);
};
} // namespace

/// The widest vector that divides the columns, or as many entries of few columns as make it divide.
void SumShape::chooseVectors(int64_t entryCount, int64_t columns) {
  constexpr int64_t mostFolded = warpThreads / 2; // vectors: so no entry is wider than a warp
  for (lanes = widestAccess / elementBytes;; lanes /= 2) {
    fold = lanes / std::gcd(lanes, columns);
    entries = entryCount / fold;
    vectors = columns * fold / lanes;
    if (fold == 1 || (entryCount % fold == 0 && vectors <= mostFolded))
      return;
  }
}

SumShape::SumShape(int64_t entryCount, int64_t columns, int64_t elementBytes) : elementBytes(elementBytes) {
  chooseVectors(entryCount, columns);
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
/// One sum of a kernel.
struct Sum {
  Type element;
  int64_t columns;
  SumShape shape;
  int64_t firstBlock; // of the kernel
  Value partials, accumulator, result;
};

class SumBuilder {
public:
  /// `threads` threads of a block, of which this is number `thread`; `shared` may be null if the sum needs none.
  SumBuilder(CudaBuilder &b, const Sum &sum, int64_t threads, Value thread, Value shared)
      : b(b), sum(sum), shape(sum.shape), element(sum.element), thread(thread), shared(shared) {
    if (shape.threads() < threads)
      works = b.less(thread, shape.threads());
  }

  /// What a block of the kernel does, which is one of the sum's.
  void build(Value block);

private:
  Value addOwnEntries(Value column);
  Value addEntries(Value column);
  void addGroups(Value own);
  void finish(Value total, Value column, int64_t lanes);
  void finishFolded();
  Value slot(int64_t vectorsAhead);
  int64_t alignment() const { return shape.lanes * elementBytes(element); }

  CudaBuilder &b;
  const Sum &sum;
  const SumShape &shape;
  Type element;
  Value thread, shared;
  Value works; // whether the thread is one of the sum's; null: all are
};
} // namespace

/// The sum of entries g, g + groups, g + 2 groups, ... at vector `column`, in that order, for group g. Groups without a
/// last entry read that of another one and drop it: a warp whose lanes went two ways here would not always be one again
/// at the next barrier, as `ptxas` (13.0) loses them where several sums share what follows.
Value SumBuilder::addEntries(Value column) {
  int64_t entryElements = shape.vectors * shape.lanes;
  Value group = b.divide(thread, shape.tile), first = b.address(sum.partials, element, b.mul(column, shape.lanes));
  auto read = [&](Value entry) {
    return b.loadAligned(element, shape.lanes, b.address(first, element, b.mul(entry, entryElements)), alignment());
  };
  auto addSteps = [&](Value total, Value entry, int64_t steps) {
    Values loaded;
    for (int64_t step = 0; step < steps; ++step)
      loaded.push_back(read(b.add(entry, b.index(step * shape.groups))));
    for (Value value : loaded)
      total = arith::AddFOp::create(b, total, value);
    return total;
  };
  int64_t atOnce = loadsInFlight * shape.groups, whole = shape.entries / atOnce, rest = shape.entries % atOnce;
  Value total = b.real(withLanes(element, shape.lanes), 0);
  if (whole > 0)
    total = forEach(b, b.index(0), b.index(whole), 1, total, [&](Value i, ValueRange carried) -> Values {
      return {addSteps(carried[0], b.add(group, b.mul(i, atOnce)), loadsInFlight)};
    })[0];
  int64_t steps = rest / shape.groups, last = rest % shape.groups;
  total = addSteps(total, b.add(group, b.index(whole * atOnce)), steps);
  if (last == 0)
    return total;
  Value entry = b.minimum(b.add(group, b.index(shape.entries - last)), b.index(shape.entries - 1));
  return b.select(b.less(group, last), arith::AddFOp::create(b, total, read(entry)), total);
}

/// The same where the thread is one of the sum's; else nothing is read.
Value SumBuilder::addOwnEntries(Value column) {
  if (!works)
    return addEntries(column);
  Value none = b.real(withLanes(element, shape.lanes), 0);
  return branch(b, works, none, [&]() -> Values { return {addEntries(column)}; })[0];
}

/// The place in shared memory so many vectors behind that of the thread.
Value SumBuilder::slot(int64_t vectorsAhead) {
  Value own = b.address(shared, element, b.mul(thread, shape.lanes));
  return b.address(own, element, vectorsAhead * shape.lanes);
}

/// Halves of the groups are added until one is left; its sums lie in the slots of the first tile.
void SumBuilder::addGroups(Value own) {
  b.when(works, [&] { b.storeAligned(own, slot(0), alignment()); });
  for (int64_t half = shape.groups / 2; half > 0; half /= 2) {
    b.barrier();
    b.when(b.less(thread, half * shape.tile), [&] {
      Value mine = b.loadAligned(element, shape.lanes, slot(0), alignment());
      Value other = b.loadAligned(element, shape.lanes, slot(half * shape.tile), alignment());
      b.storeAligned(arith::AddFOp::create(b, mine, other), slot(0), alignment());
    });
  }
}

/// Stores a sum at element `column` and those behind it.
void SumBuilder::finish(Value total, Value column, int64_t lanes) {
  int64_t aligned = lanes * elementBytes(element);
  if (sum.accumulator) {
    Value before = b.loadAligned(element, lanes, b.address(sum.accumulator, element, column), aligned);
    total = arith::AddFOp::create(b, before, total);
  }
  b.storeAligned(total, b.address(sum.result, element, column), aligned);
}

/// Adds up the entries that counted as one.
void SumBuilder::finishFolded() {
  b.barrier();
  b.when(b.less(thread, sum.columns), [&] {
    Value total;
    for (int64_t entry = 0; entry < shape.fold; ++entry) {
      Value place = b.address(b.address(shared, element, thread), element, entry * sum.columns);
      Value part = b.load(element, 1, place);
      total = total ? arith::AddFOp::create(b, total, part) : part;
    }
    finish(total, thread, 1);
  });
}

void SumBuilder::build(Value block) {
  if (sum.firstBlock)
    block = b.add(block, b.index(-sum.firstBlock));
  Value column = b.add(b.mul(block, shape.tile), b.remainder(thread, shape.tile));
  Value inside;
  if (shape.vectors % shape.tile != 0) {
    inside = b.less(column, shape.vectors);
    column = b.minimum(column, b.index(shape.vectors - 1));
  }
  Value own = addOwnEntries(column), first = b.mul(column, shape.lanes);
  if (!shape.usesShared())
    return b.when(b.both(inside, works), [&] { finish(own, first, shape.lanes); });
  addGroups(own);
  if (shape.fold > 1)
    return finishFolded();
  b.when(b.both(inside, b.less(thread, shape.tile)),
         [&] { finish(b.loadAligned(element, shape.lanes, slot(0), alignment()), first, shape.lanes); });
}

/// The sums of a kernel, whose blocks follow one another.
static SmallVector<Sum> sumsOf(kern::SumPartialsOp op, KernelFunction &function) {
  SmallVector<Sum> sums;
  unsigned count = op.getSums().size(), results = op->getNumOperands();
  int64_t blocks = 0;
  for (unsigned i = 0; i < count; ++i) {
    Type element = getElementTypeOrSelf(op.getSums()[i].getType());
    int64_t entries = cast<RankedTensorType>(op.getPartials()[i].getType()).getDimSize(0),
            columns = elementCount(op.getSums()[i]);
    SumShape shape(entries, columns, elementBytes(element));
    sums.push_back({element, columns, shape, blocks, function.buffer(i),
                    op.getAccumulator() ? function.buffer(count) : Value(), function.buffer(results + i)});
    blocks += shape.blocks;
  }
  return sums;
}

/// Finds the sum of a block by bisection.
static void choose(CudaBuilder &b, ArrayRef<Sum> sums, Value block, llvm::function_ref<void(const Sum &)> build) {
  if (sums.size() == 1)
    return build(sums[0]);
  size_t half = sums.size() / 2;
  branch(
      b, b.less(block, sums[half].firstBlock), [&] { choose(b, sums.take_front(half), block, build); },
      [&] { choose(b, sums.drop_front(half), block, build); });
}

LogicalResult stretto::codegen::buildSumPartialsKernel(CudaBuilder &b, gpu::GPUModuleOp kernels,
                                                       kern::SumPartialsOp op) {
  KernelFunction function(b, kernels, op);
  SmallVector<Sum> sums = sumsOf(op, function);
  int64_t blocks = sums.back().firstBlock + sums.back().shape.blocks, threads = 0, sharedBytes = 0;
  for (const Sum &sum : sums) {
    threads = std::max(threads, sum.shape.threads());
    sharedBytes = std::max(sharedBytes, sum.shape.sharedBytes());
  }
  Value thread = b.threadIndex(threads), block = b.blockIndexX(blocks);
  Value shared = sharedBytes ? function.shared("sums", sharedBytes) : Value();
  choose(b, sums, block, [&](const Sum &sum) { SumBuilder(b, sum, threads, thread, shared).build(block); });
  function.finish({{blocks, 1}, threads, static_cast<int64_t>(op.getFlops())});
  return success();
}
