//===- SumPartialsKernel.cpp - the function of a kern.sum_partials -------------===//
//
// A chunk is a range of columns of one sum. Each column adds entry 0, 1, 2, ... in that order, starting from the
// accumulator or from zero, so the result does not depend on how columns are grouped.
#include "codegen/cpu/KernelFunction.h"
#include "codegen/cpu/NestBuilder.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// One sum of a kernel, and where its buffers are.
struct Sum {
  Sum(Value partials, Value sum, int64_t firstChunk)
      : element(getElementTypeOrSelf(sum.getType())), entries(cast<RankedTensorType>(partials.getType()).getDimSize(0)),
        columns(elementCount(sum)), firstChunk(firstChunk) {}

  int64_t chunks() const { return llvm::divideCeil(columns, sumPartialsColumns); }
  int64_t bytes() const { return elementBytes(element) * columns * (entries + 1 + (accumulator ? 1 : 0)); }

  Type element;
  int64_t entries, columns;
  int64_t firstChunk; // of the kernel
  Value partials, accumulator, result;
};

class SumBuilder {
public:
  SumBuilder(VectorBuilder &builder, const Sum &sum, const Target &target)
      : b(builder), sum(sum), lanes(target.lanes(elementBytes(sum.element))) {}

  /// Chunk `chunk` of the kernel, which is one of the sum's.
  void emitChunk(Value chunk);

private:
  void emitGroups(Value first, Value last, int64_t vectors);
  void emitGroup(Value column, int64_t vectors, Value mask);
  void emitColumns(Value first, Value last);

  VectorBuilder &b;
  const Sum &sum;
  int64_t lanes;
};
} // namespace

/// `vectors` vectors of columns from `column`.
void SumBuilder::emitGroup(Value column, int64_t vectors, Value mask) {
  Type element = sum.element;
  auto at = [&](Value pointer, int64_t v) {
    return b.address(b.address(pointer, element, column), element, v * lanes);
  };
  SmallVector<Value> sums;
  Type type = withLanes(element, lanes);
  for (int64_t v = 0; v < vectors; ++v)
    sums.push_back(sum.accumulator ? b.load(element, lanes, at(sum.accumulator, v), mask) : b.real(type, 0));
  auto loop = cast<scf::ForOp>(makeLoop(b, b.index(0), b.index(sum.entries), 1, sums));
  sums.clear();
  Value entry = b.address(sum.partials, element, b.mul(loop.getInductionVar(), sum.columns));
  for (int64_t v = 0; v < vectors; ++v)
    sums.push_back(arith::AddFOp::create(b, loop.getRegionIterArg(v), b.load(element, lanes, at(entry, v), mask)));
  closeLoop(b, loop, sums);
  for (int64_t v = 0; v < vectors; ++v)
    b.store(loop.getResult(v), at(sum.result, v), mask);
}

void SumBuilder::emitGroups(Value first, Value last, int64_t vectors) {
  Operation *loop = makeLoop(b, first, last, vectors * lanes);
  emitGroup(cast<scf::ForOp>(loop).getInductionVar(), vectors, {});
  closeLoop(b, loop);
}

/// Four vectors at a time, one at a time, and the last columns under a mask in the last chunk.
void SumBuilder::emitColumns(Value first, Value last) {
  auto whole = [&](int64_t step) {
    Value count = arith::SubIOp::create(b, last, first);
    Value rest = arith::RemSIOp::create(b, count, b.index(step));
    return arith::SubIOp::create(b, last, rest).getResult();
  };
  Value middle = whole(4 * lanes);
  emitGroups(first, middle, 4);
  emitGroups(middle, whole(lanes), 1);
  int64_t rest = sum.columns % lanes;
  if (rest == 0)
    return;
  Value isLast = b.compare(arith::CmpIPredicate::eq, last, b.index(sum.columns));
  auto branch = scf::IfOp::create(b, isLast, false);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  emitGroup(b.index(sum.columns - rest), 1, b.firstLanes(lanes, rest));
  b.setInsertionPointAfter(branch);
}

void SumBuilder::emitChunk(Value chunk) {
  if (sum.firstChunk)
    chunk = b.add(chunk, b.index(-sum.firstChunk));
  Value first = b.mul(chunk, sumPartialsColumns);
  emitColumns(first, b.minimum(b.add(first, b.index(sumPartialsColumns)), b.index(sum.columns)));
}

/// The sums of a kernel, whose chunks follow one another.
static SmallVector<Sum> sumsOf(kern::SumPartialsOp op) {
  SmallVector<Sum> sums;
  for (auto [partials, result] : llvm::zip_equal(op.getPartials(), op.getSums()))
    sums.emplace_back(partials, result, sums.empty() ? 0 : sums.back().firstChunk + sums.back().chunks());
  return sums;
}

static int64_t loadPointers(VectorBuilder &b, LLVM::LLVMFuncOp function, MutableArrayRef<Sum> sums, bool accumulates) {
  int64_t buffers = 0;
  for (Sum &sum : sums)
    sum.partials = bufferPointer(b, function, buffers++);
  if (accumulates)
    sums[0].accumulator = bufferPointer(b, function, buffers++);
  for (Sum &sum : sums)
    sum.result = bufferPointer(b, function, buffers++);
  return buffers;
}

/// Finds the sum of a chunk by bisection.
static void emitChunk(VectorBuilder &b, ArrayRef<Sum> sums, Value chunk, const Target &target) {
  if (sums.size() == 1)
    return SumBuilder(b, sums[0], target).emitChunk(chunk);
  size_t half = sums.size() / 2;
  Value isBefore = b.compare(arith::CmpIPredicate::slt, chunk, b.index(sums[half].firstChunk));
  auto branch = scf::IfOp::create(b, isBefore, /*withElseRegion=*/true);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  emitChunk(b, sums.take_front(half), chunk, target);
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  emitChunk(b, sums.drop_front(half), chunk, target);
  b.setInsertionPointAfter(branch);
}

FailureOr<KernelInfo> stretto::codegen::buildSumPartialsKernel(VectorBuilder &b, kern::SumPartialsOp op,
                                                               const Target &target) {
  auto function = makeKernelFunction(b, *op.getKernel());
  SmallVector<Sum> sums = sumsOf(op);
  KernelInfo info{op.getKernel()->str(), 0, loadPointers(b, function, sums, op.getAccumulator() != nullptr), 0, 0, 0};
  for (const Sum &sum : sums) {
    info.chunks += sum.chunks();
    info.bytesMoved += sum.bytes();
    info.flops += sum.columns * sum.entries;
  }
  Operation *chunks = makeLoop(b, function.getArgument(1), function.getArgument(2), 1);
  emitChunk(b, sums, cast<scf::ForOp>(chunks).getInductionVar(), target);
  closeLoop(b, chunks);
  LLVM::ReturnOp::create(b, ValueRange());
  return info;
}
