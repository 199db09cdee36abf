//===- SharedTiles.cpp - tiles in the shared memory of a block ------------------===//
#include "codegen/cuda/walk/SharedTiles.h"

#include "codegen/memory/Allocate.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static constexpr int64_t tileAlignment = 16; // bytes

SharedTiles::SharedTiles(CudaBuilder &b) : b(b) {
  auto shared = LLVM::LLVMPointerType::get(b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  base = last = LLVM::UndefOp::create(b, shared);
}

SharedTile SharedTiles::add(Type element, ArrayRef<int64_t> shape) {
  Type stored = element.isInteger(1) ? Type(b.getI8Type()) : element;
  int64_t bytes = elementBytes(stored), stride = shape.empty() ? 1 : shape.back();
  if (shape.size() == 2)
    stride = (llvm::alignTo(stride * bytes, 2 * tileAlignment) + tileAlignment) / bytes;
  int64_t rows = shape.size() == 2 ? shape[0] : 1;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(last);
  Value offset = b.index(0);
  Value pointer = b.address(base->getResult(0), b.getI8Type(), offset);
  last = pointer.getDefiningOp();
  rooms.push_back({rows * stride * bytes, 0, offset.getDefiningOp()});
  return {static_cast<unsigned>(rooms.size() - 1), pointer, stored, stride};
}

void SharedTiles::beginStep() {
  auto barrier = NVVM::Barrier0Op::create(b);
  steps.push_back({barrier, {}, {}, {}});
}

int64_t SharedTiles::place() {
  SmallVector<BufferRequest> requests;
  for (auto [number, room] : llvm::enumerate(rooms)) {
    Interval live{INT64_MAX, -1};
    for (auto [i, step] : llvm::enumerate(steps))
      if (step.reads.contains(number) || step.writes.contains(number) || step.copies.contains(number))
        live = {std::min<int64_t>(live.first, i), i};
    requests.push_back({LivePiece{0, room.bytes, {live}}});
  }
  Allocation places = allocate(requests, {}, tileAlignment);
  for (auto [room, offset] : llvm::zip_equal(rooms, places.offsets)) {
    room.offset = offset;
    cast<arith::ConstantOp>(room.constant).setValueAttr(b.getI64IntegerAttr(offset));
  }
  return places.bytes;
}

bool SharedTiles::overlap(const Numbers &some, const Numbers &others) const {
  return llvm::any_of(some, [&](unsigned one) {
    return llvm::any_of(others, [&](unsigned other) {
      const Room &a = rooms[one], &c = rooms[other];
      return a.offset < c.offset + c.bytes && c.offset < a.offset + a.bytes;
    });
  });
}

/// Walks over steps in the order in which they run; a barrier that is needed once is there each time.
void SharedTiles::findBarriers(size_t begin, size_t end) {
  for (Step &step : MutableArrayRef(steps).slice(begin, end - begin)) {
    auto changes = [&](const Numbers &tiles) { return overlap(tiles, readSince) || overlap(tiles, writtenSince); };
    step.isNeeded |= changes(step.writes) || changes(step.copies) || overlap(step.reads, writtenSince);
    if (step.isNeeded) {
      readSince.clear();
      writtenSince.clear();
    }
    readSince.insert_range(step.reads);
    writtenSince.insert_range(step.writes);
  }
}

void SharedTiles::finish(Value memory) {
  if (memory)
    base->replaceAllUsesWith(ValueRange{memory});
  findBarriers(0, loopEnd);
  findBarriers(loopBegin, loopEnd);
  findBarriers(loopEnd, steps.size());
  for (Step &step : steps)
    if (!step.isNeeded)
      step.barrier->erase();
  base->erase();
}
