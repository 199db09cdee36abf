//===- ThreadLayout.cpp - which thread computes which elements of a row --------===//
#include "codegen/cuda/ThreadLayout.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

ThreadLayout stretto::codegen::layOutThreads(Domain domain, int64_t threads, int64_t maxLanes, bool perHead) {
  ThreadLayout layout{domain, threads, 1, 0, 0, 1, 1, 1};
  while (layout.lanes < maxLanes && domain.length % (2 * layout.lanes) == 0)
    layout.lanes *= 2;
  layout.vectors = layout.pad = domain.length / layout.lanes;
  if (perHead)
    layout.pad =
        layout.vectors <= warpThreads ? llvm::PowerOf2Ceil(layout.vectors) : llvm::alignTo(layout.vectors, warpThreads);
  if (layout.pad <= threads)
    layout.headsPerPass = threads / layout.pad;
  else
    layout.slotsPerHead = llvm::divideCeil(layout.vectors, threads);
  layout.slots = llvm::divideCeil(domain.heads, layout.headsPerPass) * layout.slotsPerHead;
  return layout;
}

namespace {
/// Positions from the vector's number in its head and what is known about both.
Position finish(CudaBuilder &b, const ThreadLayout &layout, Value head, Value vector, Value inHead, Value inRow) {
  Position position;
  position.inHead = inHead;
  position.valid = b.both(inHead, inRow);
  Value zero = b.index(0);
  position.head = b.select(position.valid, head, zero);
  position.column = b.mul(b.select(position.valid, vector, zero), layout.lanes);
  position.end = layout.domain.length;
  return position;
}
} // namespace

Position stretto::codegen::positionOf(CudaBuilder &b, const ThreadLayout &layout, Value thread, int64_t slot) {
  if (layout.slotsPerHead > 1) {
    int64_t pass = slot % layout.slotsPerHead, first = pass * layout.threads;
    Value vector = b.add(thread, b.index(first));
    Value inRow = first + layout.threads <= layout.vectors ? Value() : b.less(vector, layout.vectors);
    Position position = finish(b, layout, b.index(slot / layout.slotsPerHead), vector, {}, inRow);
    position.end = std::min(position.end, (first + layout.threads) * layout.lanes);
    return position;
  }
  Value number = b.divide(thread, layout.pad), vector = b.remainder(thread, layout.pad);
  int64_t first = slot * layout.headsPerPass, left = layout.domain.heads - first;
  Value inHead;
  if (left < layout.headsPerPass || layout.threads % layout.pad != 0)
    inHead = b.less(number, std::min(left, layout.headsPerPass));
  Value inRow = layout.pad == layout.vectors ? Value() : b.less(vector, layout.vectors);
  return finish(b, layout, b.add(number, b.index(first)), vector, inHead, inRow);
}

Position stretto::codegen::positionOf(CudaBuilder &b, const ThreadLayout &layout, Value thread, Value slot) {
  Value pass = b.remainder(slot, layout.slotsPerHead);
  Value vector = b.add(thread, b.mul(pass, layout.threads));
  if (layout.slotsPerHead > 1)
    return finish(b, layout, b.divide(slot, layout.slotsPerHead), vector, {}, b.less(vector, layout.vectors));
  Value number = b.divide(thread, layout.pad);
  Value head = b.add(number, b.mul(slot, layout.headsPerPass));
  Value inHead = b.both(b.less(number, layout.headsPerPass), b.less(head, layout.domain.heads));
  vector = b.remainder(thread, layout.pad);
  Value inRow = layout.pad == layout.vectors ? Value() : b.less(vector, layout.vectors);
  return finish(b, layout, head, vector, inHead, inRow);
}
