//===- GroupReductions.cpp - sums and extremes along rows ------------------===//
#include "codegen/cuda/GroupReductions.h"

#include "codegen/cuda/ControlFlow.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static auto keyOf(const Piece &piece) {
  return std::tuple(piece.root, piece.domain.heads, piece.domain.length, piece.index.base, piece.index.head);
}

GroupReductions::GroupReductions(CudaBuilder &b, const RowPlan &plan, ArrayRef<RowPhase> phases, GroupBarrier &barrier,
                                 int64_t threads, int64_t groups, int64_t rows,
                                 llvm::function_ref<const ThreadLayout &(Domain)> layoutOf)
    : b(b), plan(plan), barrier(barrier), threads(threads), groups(groups), rows(rows) {
  for (seq::ReduceOp reduce : plan.reductions())
    memories.push_back({reduce, plan.rootOf(reduce).rows});
  forEachPiece(phases, [&](const Piece &piece) {
    const Root &root = plan.roots()[piece.root];
    if (root.kind != Root::reduce)
      return;
    addPiece(memories[root.number], piece, shareOf(piece, layoutOf(piece.domain)).parts);
  });
}

/// Pieces that add to different numbers have the same parts of them.
void GroupReductions::addPiece(Memory &memory, const Piece &piece, int64_t parts) {
  int64_t heads = isWhole(piece) ? 1 : piece.domain.heads, first = 0;
  auto usedBy = [&](int64_t head) -> int64_t & { return memory.used[piece.target.base + head * piece.target.head]; };
  for (int64_t head = 0; head < heads; ++head)
    first = std::max(first, usedBy(head));
  for (int64_t head = 0; head < heads; ++head)
    usedBy(head) = first + parts;
  firstParts[keyOf(piece)] = first;
  memory.parts = std::max(memory.parts, first + parts);
  memory.left += heads * parts;
}

GroupReductions::Share GroupReductions::shareOf(const Piece &piece, const ThreadLayout &layout) const {
  int64_t group = isWhole(piece) ? threads : std::min(layout.pad, threads);
  return {std::min(group, warpThreads), static_cast<int64_t>(llvm::divideCeil(group, warpThreads))};
}

int64_t GroupReductions::bytesOf(const Memory &memory) const {
  Type element = getElementTypeOrSelf(const_cast<seq::ReduceOp &>(memory.reduce).getType());
  return llvm::alignTo(groups * numbersOf(memory) * elementBytes(element), 16);
}

int64_t GroupReductions::sharedBytes() const {
  int64_t bytes = 0;
  for (const Memory &memory : memories)
    bytes += bytesOf(memory);
  return bytes;
}

void GroupReductions::allocate(TakeShared take, Value group, Value newThread) {
  thread = newThread;
  for (Memory &memory : memories) {
    if (memory.parts == 0) // of other strips or parts
      continue;
    memory.pointer = b.address(take(bytesOf(memory)), getElementTypeOrSelf(memory.reduce.getType()),
                               b.mul(group, numbersOf(memory)));
    if (!memory.isWritten())
      fill(memory);
  }
  if (isFilled())
    barrier.meet();
}

bool GroupReductions::isFilled() const {
  return llvm::any_of(memories, [](const Memory &memory) { return memory.parts > 0 && !memory.isWritten(); });
}

/// Parts that no piece leaves stay as they are now.
void GroupReductions::fill(const Memory &memory) {
  auto reduce = const_cast<seq::ReduceOp &>(memory.reduce);
  Type element = getElementTypeOrSelf(reduce.getType());
  forEach(b, thread, b.index(numbersOf(memory)), threads, {}, [&](Value i, ValueRange) {
    b.store(b.identity(reduce.getKind(), element), b.address(memory.pointer, element, i));
    return Values();
  });
}

Value GroupReductions::addressOf(const Memory &memory, int64_t row, Value element) {
  Type type = getElementTypeOrSelf(const_cast<seq::ReduceOp &>(memory.reduce).getType());
  Value target = b.add(b.mul(b.add(base, b.index(row - memory.rows.low)), memory.targets()),
                       b.add(element, b.index(-memory.first())));
  return b.address(memory.pointer, type, b.mul(target, memory.parts));
}

void GroupReductions::leave(const Piece &piece, Value value, int64_t row, const ThreadLayout &layout,
                            const Position &position) {
  Memory &memory = memories[plan.roots()[piece.root].number];
  Share share = shareOf(piece, layout);
  value = b.reduceLanes(memory.reduce.getKind(), b.horizontal(memory.reduce.getKind(), value), share.lanes);
  Value place = isWhole(piece) ? thread : b.remainder(thread, std::min(layout.pad, threads));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, b.remainder(place, share.lanes), b.index(0));
  if (!isWhole(piece))
    isFirst = b.both(isFirst, position.inHead);
  Value element = b.index(piece.target.base);
  if (!isWhole(piece))
    element = b.add(element, b.mul(position.head, piece.target.head));
  Value address = addressOf(memory, row, element);
  Value part = b.add(b.divide(place, warpThreads), b.index(firstParts.at(keyOf(piece))));
  address = b.address(address, value.getType(), part);
  b.when(isFirst, [&] { b.store(value, address); });
}

Value GroupReductions::read(seq::ReduceOp reduce, int64_t row, Value element) {
  const Memory &memory = memories[plan.rootOf(reduce).number];
  Type type = getElementTypeOrSelf(reduce.getType());
  int64_t bytes = memory.parts * elementBytes(type);
  Value parts =
      b.loadAligned(type, memory.parts, addressOf(memory, row, element), std::min<int64_t>(16, bytes & -bytes));
  if (memory.parts == 1)
    return parts;
  Value result = vector::ExtractOp::create(b, parts, 0);
  for (int64_t i = 1; i < memory.parts; ++i)
    result = b.combine(reduce.getKind(), result, vector::ExtractOp::create(b, parts, i));
  return result;
}
