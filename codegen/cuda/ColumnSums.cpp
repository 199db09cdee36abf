//===- ColumnSums.cpp - the sums over the rows of a chunk -----------------===//
#include "codegen/cuda/ColumnSums.h"

#include "codegen/cuda/ControlFlow.h"
#include "codegen/cuda/SharedMemory.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/BitVector.h"

#include <map>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static int64_t termsOf(const Section &section) { return section.domain.heads * section.domain.length; }

bool stretto::codegen::isInjective(const RowPlan &plan, unsigned root) {
  llvm::DenseSet<int64_t> seen;
  int64_t terms = 0;
  forEachSection(plan.phases(), [&](const Section &section) {
    if (section.root != root)
      return;
    terms += termsOf(section);
    for (int64_t h = 0; h < section.domain.heads; ++h)
      for (int64_t j = 0; j < section.domain.length; ++j)
        seen.insert(section.target.base + h * section.target.head + j * section.target.column);
  });
  return static_cast<int64_t>(seen.size()) == terms;
}

SmallVector<TargetRange, 1> stretto::codegen::targetsOf(ArrayRef<const Section *> sections) {
  std::map<int64_t, llvm::BitVector> ofStrips;
  for (const Section *section : sections) {
    auto [base, head, column, strip] = section->target;
    auto [heads, length] = section->domain;
    llvm::BitVector &elements = ofStrips[strip];
    elements.resize(std::max<int64_t>(elements.size(), base + std::max<int64_t>(0, (heads - 1) * head) + length));
    for (int64_t h = 0; h < heads; ++h)
      elements.set(base + h * head, base + h * head + (column ? length : 1));
  }
  SmallVector<TargetRange, 1> ranges;
  for (const auto &[strip, elements] : ofStrips)
    for (int first = elements.find_first(); first >= 0;) {
      int end = elements.find_next_unset(first);
      end = end < 0 ? static_cast<int>(elements.size()) : end;
      ranges.push_back({first, end - first, strip});
      first = end < static_cast<int>(elements.size()) ? elements.find_next(end) : -1;
    }
  return ranges;
}

namespace {
/// Shared memory for sums that meet: what lies staged of a section, and the totals of all columns, of each group.
struct SumRoom {
  SumRoom(ArrayRef<const Section *> sections, int64_t columns, int64_t elementBytes, int64_t groups)
      : totalBytes(columns * elementBytes * groups) {
    for (const Section *section : sections)
      most = std::max(most, termsOf(*section));
    stagedBytes = most * elementBytes * groups;
  }
  int64_t bytes() const {
    return llvm::alignTo(stagedBytes, sharedAlignment) + llvm::alignTo(totalBytes, sharedAlignment);
  }

  int64_t most = 0; // numbers of a group that lie staged
  int64_t stagedBytes = 0, totalBytes;
};
} // namespace

int64_t ColumnSumStore::sharedBytes(ArrayRef<const Section *> sections, int64_t columns, int64_t elementBytes,
                                    int64_t groups) {
  return SumRoom(sections, columns, elementBytes, groups).bytes();
}

void ColumnSumStore::store(ArrayRef<ColumnSum> sums, bool injective, Value pointer, int64_t columns) {
  if (!injective)
    return gather(sums, pointer, columns);
  for (const ColumnSum &sum : sums)
    storeDirectly(sum, pointer, columns);
}

Value ColumnSumStore::targetOf(const ColumnSum &sum) {
  Index target = sum.section->target;
  Value element = inStrip(b.add(b.index(target.base), b.mul(sum.position.head, target.head)), target.strip);
  return b.add(element, b.mul(sum.position.column, target.column));
}

/// An element of strip 0, in the strip.
Value ColumnSumStore::inStrip(Value element, int64_t stride) {
  return strip ? b.add(element, b.mul(strip, stride)) : element;
}

void ColumnSumStore::storeDirectly(const ColumnSum &sum, Value pointer, int64_t columns) {
  Type element = getElementTypeOrSelf(sum.value.getType());
  Value address = b.address(pointer, element, targetOf(sum));
  Index target = sum.section->target;
  int64_t lanes = target.column ? sum.layout->lanes : 0;
  int64_t alignment = commonAlignment({target.base, target.head, target.strip, columns, lanes}, element);
  b.when(b.both(live, sum.position.valid), [&] { b.storeAligned(sum.value, address, alignment); });
}

void ColumnSumStore::forColumns(int64_t count, llvm::function_ref<void(Value)> body) {
  forEach(b, thread, b.index(count), threads, {}, [&](Value column, ValueRange) {
    body(column);
    return Values();
  });
}

/// Adds what lies staged for the elements of a section to the totals: element after element, each total by one thread.
void ColumnSumStore::addStaged(const Section &section, Value staged, Value totals, Type element) {
  int64_t length = section.domain.length, heads = section.domain.heads;
  bool acrossHeads = section.target.head == 0;
  int64_t columns = acrossHeads ? length : heads * length, terms = acrossHeads ? heads : 1;
  forColumns(columns, [&](Value column) {
    Value target = acrossHeads ? b.mul(column, section.target.column)
                               : b.add(b.mul(b.divide(column, length), section.target.head),
                                       b.mul(b.remainder(column, length), section.target.column));
    Value address = b.address(totals, element, b.add(target, b.index(section.target.base)));
    Values total = forEach(b, b.index(0), b.index(terms), 1, b.load(element, 1, address), [&](Value i, ValueRange sum) {
      Value from = b.address(staged, element, b.add(b.mul(i, length), column));
      return Values{arith::AddFOp::create(b, sum[0], b.load(element, 1, from))};
    });
    b.store(total[0], address);
  });
}

void ColumnSumStore::gather(ArrayRef<ColumnSum> sums, Value pointer, int64_t columns) {
  Type element = getElementTypeOrSelf(sums.front().value.getType());
  SmallVector<const Section *> sections;
  for (const ColumnSum &sum : sums)
    sections.push_back(sum.section);
  const SumRoom room(sections, columns, elementBytes(element), groups);
  // Totals lie as in strip 0.
  auto forTargets = [&](llvm::function_ref<void(Value, int64_t)> body) {
    for (const TargetRange &range : targetsOf(sections))
      forColumns(range.count, [&](Value column) { body(b.add(column, b.index(range.first)), range.strip); });
  };
  Value staged = take(room.stagedBytes), totals = take(room.totalBytes);
  staged = b.address(staged, element, b.mul(group, room.most));
  totals = b.address(totals, element, b.mul(group, columns));
  forTargets([&](Value column, int64_t) { b.store(b.real(element, 0), b.address(totals, element, column)); });
  for (size_t i = 0; i < sums.size();) {
    const Section &section = *sums[i].section;
    if (i > 0)
      barrier.meet(); // who adds has read what was staged before
    for (; i < sums.size() && sums[i].section == &section; ++i) {
      Value at = b.add(b.mul(sums[i].position.head, section.domain.length), sums[i].position.column);
      Value address = b.address(staged, element, at), value = sums[i].value;
      b.when(sums[i].position.valid, [&] { b.store(value, address); });
    }
    barrier.meet();
    addStaged(section, staged, totals, element);
  }
  barrier.meet();
  forTargets([&](Value column, int64_t stride) {
    Value total = b.load(element, 1, b.address(totals, element, column));
    Value address = b.address(pointer, element, inStrip(column, stride));
    b.when(live, [&] { b.store(total, address); });
  });
}
