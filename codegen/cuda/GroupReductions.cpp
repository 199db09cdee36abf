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

static auto keyOf(const Section &section) {
  return std::tuple(section.root, section.domain.heads, section.domain.length, section.index.base, section.index.head);
}

GroupReductions::GroupReductions(CudaBuilder &b, const RowPlan &plan, ArrayRef<RowPhase> phases, GroupBarrier &barrier,
                                 int64_t threads, int64_t groups, int64_t rows,
                                 llvm::function_ref<const ThreadLayout &(Domain)> layoutOf)
    : b(b), plan(plan), barrier(barrier), threads(threads), groups(groups), rows(rows) {
  for (seq::ReduceOp reduce : plan.reductions())
    memories.push_back({reduce, plan.rootOf(reduce).rows});
  forEachSection(phases, [&](const Section &section) {
    const Root &root = plan.roots()[section.root];
    if (root.kind != Root::reduce)
      return;
    addSection(memories[root.number], section, shareOf(section, layoutOf(section.domain)).parts);
  });
}

/// Sections that add to different numbers have the same parts of them.
void GroupReductions::addSection(Memory &memory, const Section &section, int64_t parts) {
  int64_t heads = isWhole(section) ? 1 : section.domain.heads, first = 0;
  auto usedBy = [&](int64_t head) -> int64_t & {
    return memory.used[section.target.base + head * section.target.head];
  };
  for (int64_t head = 0; head < heads; ++head)
    first = std::max(first, usedBy(head));
  for (int64_t head = 0; head < heads; ++head)
    usedBy(head) = first + parts;
  firstParts[keyOf(section)] = first;
  memory.parts = std::max(memory.parts, first + parts);
  memory.left += heads * parts;
}

GroupReductions::Share GroupReductions::shareOf(const Section &section, const ThreadLayout &layout) const {
  int64_t group = isWhole(section) ? threads : std::min(layout.pad, threads);
  return {std::min(group, warpThreads), static_cast<int64_t>(llvm::divideCeil(group, warpThreads))};
}

int64_t GroupReductions::bytesOf(const Memory &memory) const {
  Type element = getElementTypeOrSelf(const_cast<seq::ReduceOp &>(memory.reduce).getType());
  return llvm::alignTo(groups * numbersOf(memory) * elementBytes(element), widestAccess);
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

/// Parts that no section leaves stay as they are now.
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

void GroupReductions::leave(const Section &section, Value value, int64_t row, const ThreadLayout &layout,
                            const Position &position) {
  Memory &memory = memories[plan.roots()[section.root].number];
  Share share = shareOf(section, layout);
  value = b.reduceLanes(memory.reduce.getKind(), b.horizontal(memory.reduce.getKind(), value), share.lanes);
  Value place = isWhole(section) ? thread : b.remainder(thread, std::min(layout.pad, threads));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, b.remainder(place, share.lanes), b.index(0));
  if (!isWhole(section))
    isFirst = b.both(isFirst, position.inHead);
  Value element = b.index(section.target.base);
  if (!isWhole(section))
    element = b.add(element, b.mul(position.head, section.target.head));
  Value address = addressOf(memory, row, element);
  Value part = b.add(b.divide(place, warpThreads), b.index(firstParts.at(keyOf(section))));
  address = b.address(address, value.getType(), part);
  b.when(isFirst, [&] { b.store(value, address); });
}

Value GroupReductions::read(seq::ReduceOp reduce, int64_t row, Value element) {
  const Memory &memory = memories[plan.rootOf(reduce).number];
  Type type = getElementTypeOrSelf(reduce.getType());
  Value parts = b.loadAligned(type, memory.parts, addressOf(memory, row, element), commonAlignment(memory.parts, type));
  if (memory.parts == 1)
    return parts;
  Value result = vector::ExtractOp::create(b, parts, 0);
  for (int64_t i = 1; i < memory.parts; ++i)
    result = b.combine(reduce.getKind(), result, vector::ExtractOp::create(b, parts, i));
  return result;
}
