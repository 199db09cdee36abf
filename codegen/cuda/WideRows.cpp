//===- WideRows.cpp - rows that are wider than registers ------------------------===//
//
// Where a thread has more columns than it can hold, it visits them in loops, stage after stage, and loads what it needs
// again: nothing stays in registers but the sums along a row. The sums of columns are in global memory, where the group
// of the chunk adds to them row after row; a column that several heads add to belongs to one thread.
#include "codegen/cuda/RowwiseBuilder.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Runs `body` for 0 ... count - 1: in a loop, or, where there is one only, at once.
static Values repeat(CudaBuilder &b, int64_t count, ValueRange carried,
                     llvm::function_ref<Values(Value, ValueRange)> body) {
  return count == 1 ? body(b.index(0), carried) : forEach(b, b.index(0), b.index(count), 1, carried, body);
}

/// The sections of the part that are sums of columns for a result of the kernel.
SmallVector<const Section *> RowwiseBuilder::sumsFor(unsigned result) const {
  SmallVector<const Section *> sections;
  forEachSection(part.phases, [&](const Section &section) {
    if (rootOf(section).kind == Root::columnSum && rootOf(section).number == result)
      sections.push_back(&section);
  });
  return sections;
}

/// Sets the sums that the part adds to, to zero: those of other parts are other blocks'.
void RowwiseBuilder::clearWideSums() {
  bool any = false;
  for (auto [i, yielded] : llvm::enumerate(op.getYielded())) {
    Type element = getElementTypeOrSelf(yielded.getType());
    for (const TargetRange &range : targetsOf(sumsFor(i))) {
      Value pointer = b.address(sumsOfChunk(chunk, i), element, range.first);
      forEach(b, tileThread, b.index(range.count), part.threads, {}, [&](Value column, ValueRange) {
        b.when(live, [&] { b.store(b.real(element, 0), b.address(pointer, element, column)); });
        return Values();
      });
      any = true;
    }
  }
  if (any)
    b.barrier();
}

void RowwiseBuilder::emitWide(ArrayRef<Nest> nests, ArrayRef<int64_t> rows) {
  for (const Nest &nest : nests)
    for (const ColumnLoop &loop : nest.loops) {
      emitWideLoop({nest.heads, loop.length}, loop.sections, rows);
      // The next loop may add to the same columns with other threads.
      if (part.sharesSums)
        b.barrier();
    }
}

void RowwiseBuilder::emitWideLoop(Domain domain, ArrayRef<Section> sections, ArrayRef<int64_t> rows) {
  const ThreadLayout &layout = part.layoutOf(domain);
  SmallVector<WideSum> wholes, heads;
  for (const Section &section : sections)
    if (rootOf(section).kind == Root::reduce)
      for (int64_t row : rows)
        (GroupReductions::isWhole(section) ? wholes : heads).push_back({&section, row});
  auto startOf = [&](ArrayRef<WideSum> reduced) {
    return llvm::map_to_vector<6>(reduced, [&](const WideSum &sum) {
      return b.identity(kindOf(*sum.section), withLanes(elementOf(*sum.section), layout.lanes));
    });
  };
  SmallVector<WideSum> reduced(wholes);
  llvm::append_range(reduced, heads);
  int64_t number = part.positionNumber(domain);
  Block *around = b.getInsertionBlock();
  Values whole = repeat(b, layout.slots / layout.slotsPerHead, startOf(wholes), [&](Value head, ValueRange now) {
    Position position;
    Values before(now);
    llvm::append_range(before, startOf(heads));
    Values after = repeat(b, layout.slotsPerHead, before, [&](Value pass, ValueRange inner) {
      Operation *loop = around->findAncestorOpInBlock(*b.getInsertionBlock()->getParentOp());
      if (layout.slots == 1)
        position = positions[number];
      else
        position = positionOf(b, layout, tileThread, b.add(b.mul(head, layout.slotsPerHead), pass));
      emitter.enterPosition(layout, position, number, layout.slots == 1 ? nullptr : loop);
      return emitWideColumns(layout, position, sections, rows, reduced, inner);
    });
    Position ofHead;
    if (!heads.empty()) // the head is the same in all passes
      ofHead = layout.slots == 1 ? position : positionOf(b, layout, tileThread, b.mul(head, layout.slotsPerHead));
    leaveWide(heads, ValueRange(after).drop_front(wholes.size()), layout, ofHead);
    return Values(ValueRange(after).take_front(wholes.size()));
  });
  leaveWide(wholes, whole, layout, {});
  emitter.leavePosition();
}

Values RowwiseBuilder::emitWideColumns(const ThreadLayout &layout, const Position &position, ArrayRef<Section> sections,
                                       ArrayRef<int64_t> rows, ArrayRef<WideSum> reduced, ValueRange now) {
  Values next;
  for (auto [sum, value] : llvm::zip_equal(reduced, now)) {
    Value added =
        emitter.accumulate(kindOf(*sum.section), value, rootOf(*sum.section).value, sum.row, sum.section->index);
    next.push_back(position.valid ? b.select(position.valid, added, value) : added);
  }
  for (const Section &section : sections) {
    if (rootOf(section).kind == Root::columnSum)
      addWideSum(section, layout, position, rows);
    if (rootOf(section).kind == Root::store)
      for (int64_t row : rows)
        collectStore(section, layout, position, row);
  }
  emitter.goToPosition();
  flushStores();
  return next;
}

void RowwiseBuilder::addWideSum(const Section &section, const ThreadLayout &layout, const Position &position,
                                ArrayRef<int64_t> rows) {
  unsigned number = rootOf(section).number;
  Type element = elementOf(section);
  Value target = emitter.elementOf(section.target);
  emitter.goToPosition();
  Value address = b.address(sumsOfChunk(chunk, number), element, target);
  int64_t columns = elementCount(op.getYielded()[number]);
  int64_t alignment = commonAlignment({section.target.base, section.target.head, columns, layout.lanes}, element);
  Value isMine = b.both(live, position.valid);
  Value sum = b.loadWhere(isMine, element, layout.lanes, address, alignment);
  for (int64_t row : rows) {
    Value next = emitter.accumulate(seq::ReduceKind::add, sum, rootOf(section).value, row, section.index);
    Value counts = isStored(row);
    emitter.goToPosition();
    sum = counts ? b.select(counts, next, sum) : next;
  }
  stores.push_back({isMine, sum, address, alignment});
}

void RowwiseBuilder::leaveWide(ArrayRef<WideSum> reduced, ValueRange values, const ThreadLayout &layout,
                               const Position &position) {
  for (auto [sum, value] : llvm::zip_equal(reduced, values))
    reductions.leave(*sum.section, value, sum.row, layout, position);
}
