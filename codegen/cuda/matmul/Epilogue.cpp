//===- Epilogue.cpp - what the epilogue of a matmul does with its tiles ------------===//
#include "codegen/cuda/matmul/Epilogue.h"

#include "codegen/cuda/SharedMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Few warps walk the rows of tiles, none of which hides the way of another one's loads.
static kern::ThreadScheduleAttr scheduleOf(MLIRContext *context, const MatmulTiling &tiling) {
  return kern::ThreadScheduleAttr::get(context, tiling.stepRows, tiling.lanes, tiling.groupRows(), tiling.groupThreads,
                                       tiling.groups(), /*tiles=*/1, usualPlaces);
}

int64_t stretto::codegen::sumBytes(kern::MatmulOp op, const StripPlans &plans, const MatmulTiling &tiling) {
  CudaBuilder b(op.getLoc(), op.getContext());
  int64_t bytes = 0;
  for (const StripPlans::Run &run : plans.runs())
    bytes += RowWalk(run.plan, scheduleOf(op.getContext(), tiling)).sumBytes(b);
  return bytes;
}

MatmulEpilogue::MatmulEpilogue(CudaBuilder &b, KernelFunction &function, kern::MatmulOp op, const MatmulTiling &tiling,
                               Value shared)
    : b(b), function(function), tiling(tiling), plans(op, {tiling.pieces, tiling.strip}), shared(shared),
      roomStart(tiling.roomStart()) {
  for (const StripPlans::Run &run : plans.runs()) {
    const Kind &kind = kinds.emplace_back(run, scheduleOf(b.getContext(), tiling), roomStart);
    roomStart += kind.walk.sumBytes(b);
  }
  if (roomStart > tiling.roomStart())
    function.growDynamicShared(roomStart);
}

Value MatmulEpilogue::staging() { return sharedFrom(tiling.stagingStart()); }

Values MatmulEpilogue::forStrip(Value strip, Value thread, ValueRange carried, OfStrip body) {
  Values now(carried);
  for (const Kind &kind : kinds) {
    auto compute = [&] {
      RowwiseBuilder rows(b, function, kind.walk, kind.walk.parts[0]);
      rows.enterStrip(groupOf(thread), b.remainder(thread, tiling.groupThreads), b.add(strip, b.index(-kind.run.first)),
                      sharedFrom(kind.sumsStart), roomOf(thread));
      return body(rows);
    };
    if (kinds.size() == 1)
      return compute();
    Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, b.add(strip, b.index(-kind.run.first)),
                                         b.index(kind.run.count));
    now = branch(b, inside, now, compute);
  }
  return now;
}

SharedRoom MatmulEpilogue::roomOf(Value thread) {
  return {sharedFrom(roomStart),
          groupOf(thread),
          b.remainder(thread, tiling.groupThreads),
          tiling.groups(),
          tiling.groupThreads,
          mostShared - roomStart,
          [this](int64_t bytes) { function.growDynamicShared(roomStart + bytes); }};
}

/// The rows of a sequence among some of all sequences.
RowSpan MatmulEpilogue::spanOf(Value sequence, Value from, Value to) {
  Value before = b.mul(sequence, -tiling.time);
  return {sequence, b.maximum(b.add(from, before), b.index(0)), b.minimum(b.add(to, before), b.index(tiling.time))};
}

Value MatmulEpilogue::renew(Value number, int64_t end, int64_t step) {
  return b.renew(number, static_cast<int64_t>(llvm::PowerOf2Ceil(end)), step);
}

Values MatmulEpilogue::walkTile(RowwiseBuilder &rows, const MatmulItem &item, Value number, Value thread,
                                ValueRange sums, Operation *loop) {
  Value row = b.add(item.begin, b.mul(number, tiling.tileRows)), end = b.add(row, b.index(tiling.tileRows));
  StagedRows staged{b.address(staging(), b.getI8Type(), b.mul(row, -tiling.pitch())), tiling.pitch() / 2, end};
  // What is stored ends so many rows before those that are there, but for the last tile.
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, b.add(number, b.index(1)), item.tiles);
  Value first = b.maximum(b.add(row, b.index(-tiling.halo.high)), item.first);
  Value last = b.select(isLast, item.last, b.add(end, b.index(-tiling.halo.high)));
  if (tiling.tilesDiffer()) {
    Value isOwn = b.less(number, item.tiles);
    first = b.select(isOwn, first, item.last);
    last = b.select(isOwn, last, item.last);
  }
  auto roundUp = [&](Value rows, int64_t by) { return b.divide(b.add(rows, b.index(by - 1)), by); };
  Value share = roundUp(b.add(last, b.mul(first, -1)), tiling.groups() * tiling.stepRows);
  share = b.mul(share, tiling.stepRows);
  Value from = b.minimum(b.add(first, arith::MulIOp::create(b, groupOf(thread), share)), last);
  Value to = b.minimum(b.add(from, share), last);
  // A group without rows at the end of all of them walks no sequence.
  return forEach(
      b, b.divide(from, tiling.time), roundUp(to, tiling.time), 1, sums, [&](Value sequence, ValueRange now) {
        return rows.walkSpan(spanOf(renew(sequence, tiling.rows / tiling.time), from, to), staged, now, loop);
      });
}

void MatmulEpilogue::keepRows(Value thread) {
  if (tiling.span() == 0)
    return;
  constexpr int64_t alignment = widestAccess, lanes = alignment / 2, barrier = RowwiseBuilder::firstGroupBarrier - 1;
  int64_t threads = tiling.activeWarps() * warpThreads, vectors = tiling.tileColumns() / lanes;
  b.barrier(b.index(barrier), threads);
  Type element = b.getBF16Type();
  Value last = b.address(waiting(), b.getI8Type(), tiling.tileRows * tiling.pitch());
  forEach(b, thread, b.index(tiling.span() * vectors), threads, {}, [&](Value vector, ValueRange) {
    Value place =
        b.add(b.mul(b.divide(vector, vectors), tiling.pitch() / 2), b.mul(b.remainder(vector, vectors), lanes));
    Value numbers = b.loadAligned(element, lanes, b.address(last, element, place), alignment);
    b.storeAligned(numbers, b.address(waiting(), element, place), alignment);
    return Values();
  });
}
