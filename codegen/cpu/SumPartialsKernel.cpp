//===- SumPartialsKernel.cpp - the function of a kern.sum_partials -------------===//
//
// A chunk is a range of columns. Each column adds entry 0, 1, 2, ... in that order, starting from the accumulator
// or from zero, so the result does not depend on how columns are grouped.
#include "codegen/cpu/KernelFunction.h"
#include "codegen/cpu/NestBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
class SumBuilder {
public:
  SumBuilder(VectorBuilder &builder, kern::SumPartialsOp op, int64_t lanes)
      : b(builder), op(op), lanes(lanes), columns(elementCount(op.getResult())),
        entries(cast<RankedTensorType>(op.getPartials().getType()).getDimSize(0)),
        element(getElementTypeOrSelf(op.getType())) {}

  KernelInfo build();

private:
  void emitGroups(Value first, Value last, int64_t vectors);
  void emitGroup(Value column, int64_t vectors, Value mask);
  void emitColumns(Value first, Value last);

  VectorBuilder &b;
  kern::SumPartialsOp op;
  int64_t lanes, columns, entries;
  Type element;
  Value partials, accumulator, result;
};
} // namespace

/// `vectors` vectors of columns from `column`.
void SumBuilder::emitGroup(Value column, int64_t vectors, Value mask) {
  auto at = [&](Value pointer, int64_t v) {
    return b.address(b.address(pointer, element, column), element, v * lanes);
  };
  SmallVector<Value> sums;
  Type type = withLanes(element, lanes);
  for (int64_t v = 0; v < vectors; ++v)
    sums.push_back(accumulator ? b.load(element, lanes, at(accumulator, v), mask) : b.real(type, 0));
  auto loop = cast<scf::ForOp>(makeLoop(b, b.index(0), b.index(entries), 1, sums));
  sums.clear();
  Value entry = b.address(partials, element, b.mul(loop.getInductionVar(), columns));
  for (int64_t v = 0; v < vectors; ++v)
    sums.push_back(arith::AddFOp::create(b, loop.getRegionIterArg(v), b.load(element, lanes, at(entry, v), mask)));
  closeLoop(b, loop, sums);
  for (int64_t v = 0; v < vectors; ++v)
    b.store(loop.getResult(v), at(result, v), mask);
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
  int64_t rest = columns % lanes;
  if (rest == 0)
    return;
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, last, b.index(columns));
  auto branch = scf::IfOp::create(b, isLast, false);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  emitGroup(b.index(columns - rest), 1, b.firstLanes(lanes, rest));
  b.setInsertionPointAfter(branch);
}

KernelInfo SumBuilder::build() {
  auto function = makeKernelFunction(b, *op.getKernel());
  int64_t buffers = 0;
  partials = bufferPointer(b, function, buffers++);
  if (op.getAccumulator())
    accumulator = bufferPointer(b, function, buffers++);
  result = bufferPointer(b, function, buffers++);
  Operation *chunks = makeLoop(b, function.getArgument(1), function.getArgument(2), 1);
  Value first = b.mul(cast<scf::ForOp>(chunks).getInductionVar(), sumPartialsColumns);
  emitColumns(first, b.minimum(b.add(first, b.index(sumPartialsColumns)), b.index(columns)));
  closeLoop(b, chunks);
  LLVM::ReturnOp::create(b, ValueRange());
  int64_t bytes = element.getIntOrFloatBitWidth() / 8 * columns * (entries + 1 + (accumulator ? 1 : 0));
  int64_t count = llvm::divideCeil(columns, sumPartialsColumns);
  return {op.getKernel()->str(), count, buffers, 0, bytes, columns * entries};
}

FailureOr<KernelInfo> stretto::codegen::buildSumPartialsKernel(VectorBuilder &b, kern::SumPartialsOp op,
                                                               const Target &target) {
  int64_t lanes = target.lanes(getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() / 8);
  return SumBuilder(b, op, lanes).build();
}
