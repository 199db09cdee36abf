//===- RowPlanSections.cpp - sections of what a kernel produces -----------------===//
#include "codegen/rows/RowPlan.h"

#include <set>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// `count` elements from `base` on, as heads of `width` where they are whole heads.
static std::pair<Domain, Index> partOf(int64_t base, int64_t count, int64_t width, int64_t strip) {
  if (count <= width || count % width)
    return {{1, count}, {base, 0, count > 1, strip}};
  return {{count / width, width}, {base, width, width > 1, strip}};
}

SmallVector<RowPlan::Part> RowPlan::partsOf(const Root &root) {
  int64_t count = elementCount(root.value), width = count;
  if (root.kind == Root::reduce && elementCount(allReductions[root.number].getResult()) > 1)
    width = lastDimension(root.value);
  return range.strips ? stripParts(root, width) : SmallVector<Part>{partOf(0, count, width, 0)};
}

/// What the first strip of the range has of a root, if the next ones have the same, each by one distance further on.
SmallVector<RowPlan::Part> RowPlan::stripParts(const Root &root, int64_t width) {
  SmallVector<SmallVector<int64_t>> elements(range.count);
  for (int64_t e = 0; e < elementCount(root.value); ++e)
    if (int64_t s = range.strips->stripOf(root.value, e) - range.first; s >= 0 && s < range.count)
      elements[s].push_back(e);
  ArrayRef<int64_t> first = elements.front();
  auto distance = [&](int64_t s) {
    return first.empty() || elements[s].empty() ? 0 : elements[s].front() - first.front();
  };
  int64_t strip = range.count > 1 ? distance(1) : 0;
  for (int64_t s = 1; s < alike; ++s)
    if (elements[s] != llvm::map_to_vector(first, [&](int64_t e) { return e + s * strip; }))
      alike = s;
  SmallVector<Part> parts;
  for (size_t begin = 0, end; begin < first.size(); begin = end) {
    for (end = begin + 1; end < first.size() && first[end] == first[end - 1] + 1;)
      ++end;
    parts.push_back(partOf(first[begin], static_cast<int64_t>(end - begin), width, strip));
  }
  return parts;
}

SmallVector<Section> RowPlan::divide(unsigned number) {
  const Root &root = allRoots[number];
  SmallVector<Part> open = partsOf(root);
  std::reverse(open.begin(), open.end());
  SmallVector<Section> sections;
  while (!open.empty()) {
    auto [domain, index] = open.pop_back_val();
    Index target;
    std::optional<Split> split = findSplit(root, index, domain, &target);
    if (split && split->kind == Split::strips)
      alike = std::min(alike, split->at);
    if (split && split->kind != Split::strips)
      llvm::append_range(open, llvm::reverse(splitDomain(domain, index, *split)));
    else
      sections.push_back({number, domain, index, target});
  }
  return sections;
}

/// How to divide heads that add to columns of each other, so that those of a part do not; nothing where they do not
/// now.
static std::optional<Split> splitOverlap(Index target, Domain domain) {
  int64_t distance = std::abs(target.head), parts = 2;
  if (domain.heads == 1 || distance == 0 || !target.column || distance >= domain.length)
    return std::nullopt;
  while (domain.heads % parts != 0 || (parts * distance < domain.length && parts < domain.heads))
    ++parts;
  return Split{Split::everyHead, parts};
}

std::optional<Split> RowPlan::findSplit(const Root &root, Index index, Domain domain, Index *target) {
  if (auto split = findSplit(root.value, index, domain))
    return split;
  int64_t width = lastDimension(root.value);
  int64_t period = root.kind == Root::columnSum ? elementCount(op.getYielded()[root.number]) : width;
  auto map = [&](int64_t element) -> Element {
    switch (root.kind) {
    case Root::store:
      return {0, element};
    case Root::columnSum:
      return {0, element % period};
    case Root::reduce:
      return {0, element / width};
    }
    llvm_unreachable("covered switch");
  };
  Fit fit = this->fit(map, index, domain, period);
  *target = fit.index;
  // Columns that add to one number are visited one by one.
  if (!fit.split && root.kind == Root::columnSum && index.column && !fit.index.column)
    return domain.heads == 1 ? Split{Split::nest, 1} : Split{Split::cut, 1};
  if (!fit.split && root.kind == Root::columnSum)
    return splitOverlap(fit.index, domain);
  return fit.split;
}

/// Whether all heads and strips of `index` begin with the first of a pair of columns. In rows of an odd width pairs
/// begin anew with each row; the last column is in none.
static bool visitsWholePairs(Index index, int64_t width) {
  auto keepsPairs = [&](int64_t distance) { return distance % (width % 2 ? width : 2) == 0; };
  return index.column && index.base % width % 2 == 0 && keepsPairs(index.head) && keepsPairs(index.strip);
}

const Fit &RowPlan::fitOf(Operation *inner, Index index, Domain domain) const {
  FitKey key{inner, index, domain.heads, domain.length};
  auto [it, isNew] = fits.try_emplace(key);
  if (!isNew)
    return it->second;
  int64_t width = lastDimension(inner->getResult(0));
  auto permute = dyn_cast<seq::PermuteOp>(inner);
  if (permute && permute.getStyle() == seq::PairStyle::interleaved && visitsWholePairs(index, width)) {
    auto isPaired = [&](int64_t element) {
      return Element{element % width < static_cast<int64_t>(permute.getRotated()), element};
    };
    it->second = fit(isPaired, index, domain, width);
    if (!it->second.split && it->second.source && domain.length % 2)
      it->second.split = Split{Split::cut, domain.length - 1};
    return it->second;
  }
  auto movement = isa<seq::ColumnIndexOp>(inner) ? seq::MovementOp() : cast<seq::MovementOp>(inner);
  auto map = [&](int64_t element) { return movement ? movement.getSource(element) : Element{0, element % width}; };
  return it->second = fit(map, index, domain, width);
}

Fit RowPlan::fitInStrip(Index index, Domain domain) const {
  auto map = [&](int64_t element) { return Element{0, range.strips->columnInStrip(element)}; };
  return fit(map, index, domain, range.strips->pieceColumns());
}

std::pair<Value, Index> RowPlan::behindMovements(Value value, Index index, Domain domain) const {
  while (leavesLanes(value.getDefiningOp())) {
    const Fit &fit = fitOf(value.getDefiningOp(), index, domain);
    value = sourceOperand(value.getDefiningOp(), fit);
    index = fit.index;
  }
  return {value, index};
}

/// The first split that a value, or one it is computed from, asks for.
std::optional<Split> RowPlan::findSplit(Value value, Index index, Domain domain) {
  struct Item {
    Value value;
    Index index;
  };
  SmallVector<Item> open{{value, index}};
  std::set<std::pair<void *, Index>> seen;
  while (!open.empty()) {
    auto [v, i] = open.pop_back_val();
    Operation *inner = v.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(v);
        argument && range.strips && !op.getOperandOf(argument.getArgNumber()))
      if (Fit fit = fitInStrip(i, domain); fit.split)
        return fit.split;
    if (!inner || isa<seq::ReduceOp>(inner) || !seen.insert({v.getAsOpaquePointer(), i}).second)
      continue;
    if (!isa<seq::MovementOp>(inner) && !isa<seq::ColumnIndexOp>(inner)) {
      for (Value operand : inner->getOperands())
        open.push_back({operand, i});
      continue;
    }
    const Fit &fit = fitOf(inner, i, domain);
    if (fit.split)
      return fit.split;
    if (isa<seq::MovementOp>(inner))
      open.push_back({sourceOperand(inner, fit), fit.index});
  }
  return std::nullopt;
}

int64_t stretto::codegen::leastLanes(kern::RowKernel op) {
  return llvm::any_of(op.getBody().getOps<seq::PermuteOp>(),
                      [](seq::PermuteOp permute) {
                        return permute.getStyle() == seq::PairStyle::interleaved && permute.getRotated() > 0;
                      })
             ? 2
             : 1;
}
