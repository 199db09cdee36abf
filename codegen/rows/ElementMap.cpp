//===- ElementMap.cpp - affine maps by tabulation -----------------------------===//
#include "codegen/rows/ElementMap.h"

#include "ir/seq/SeqOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

int64_t stretto::codegen::lastDimension(Value value) {
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  return shape.empty() ? 1 : shape.back();
}

int64_t stretto::codegen::elementCount(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

/// Where to split a domain whose map stops being affine at column `position` of the first head.
static Split splitAt(int64_t position, Index index, Domain domain, int64_t period) {
  bool aligned = index.base % period == 0 && domain.heads == 1 && domain.length > period;
  if (aligned && domain.length % period == 0)
    return {Split::nest, period};
  if (aligned)
    return {Split::cut, domain.length / period * period};
  return {Split::cut, position};
}

namespace {
/// The elements that a map gives for the counters of strips, heads and columns.
struct Visit {
  ElementMap map;
  Index index;
  int64_t heads, length; // that differ

  Element at(int64_t s, int64_t h, int64_t j) const {
    return map(index.base + s * index.strip + h * index.head + j * index.column);
  }

  /// Whether the map goes on by one distance from each head to that `parts` heads on.
  bool repeatsAfter(int64_t parts) const {
    int64_t distance = at(0, parts, 0).element - at(0, 0, 0).element;
    for (int64_t h = 0; h + parts < heads; ++h)
      for (int64_t j = 0; j < length; ++j) {
        Element one = at(0, h, j), next = at(0, h + parts, j);
        if (next.source != one.source || next.element - one.element != distance)
          return false;
      }
    return true;
  }

  /// Into how many parts to divide the heads, that each repeat (splits within heads may be left); nothing where runs of
  /// heads would be fewer parts.
  std::optional<int64_t> findParts() const {
    for (int64_t parts = 2; parts * parts < heads; ++parts)
      if (heads % parts == 0 && repeatsAfter(parts))
        return parts;
    return std::nullopt;
  }
};
} // namespace

Fit stretto::codegen::fitMap(ElementMap map, Index index, Domain domain, int64_t period, int64_t strips) {
  Visit visit{map, index, index.head ? domain.heads : 1, index.column ? domain.length : 1};
  Element first = visit.at(0, 0, 0);
  Fit fit{first.source, {first.element}, std::nullopt};
  if (visit.length > 1) {
    Element second = visit.at(0, 0, 1);
    fit.index.column = second.source == first.source ? second.element - first.element : -1;
    if (fit.index.column != 0 && fit.index.column != 1) {
      fit.split = splitAt(1, index, domain, period);
      return fit;
    }
  }
  if (visit.heads > 1)
    fit.index.head = visit.at(0, 1, 0).element - first.element;
  if (strips > 1 && index.strip != 0)
    fit.index.strip = visit.at(1, 0, 0).element - first.element;
  for (int64_t s = 0; s < (index.strip ? strips : 1); ++s)
    for (int64_t h = 0; h < visit.heads; ++h)
      for (int64_t j = 0; j < visit.length; ++j) {
        Element e = visit.at(s, h, j);
        int64_t expected = fit.index.base + s * fit.index.strip + h * fit.index.head + j * fit.index.column;
        if (e.source == first.source && e.element == expected)
          continue;
        if (s > 0)
          fit.split = Split{Split::strips, s};
        else if (h == 0)
          fit.split = splitAt(j, index, domain, period);
        else if (std::optional<int64_t> parts = visit.findParts())
          fit.split = Split{Split::everyHead, *parts};
        else
          fit.split = Split{Split::heads, h};
        return fit;
      }
  return fit;
}

/// The part of a domain with every `step`-th head from `first` on.
static std::pair<Domain, Index> takeHeads(Domain domain, Index index, int64_t first, int64_t count, int64_t step = 1) {
  index.base += first * index.head;
  index.head = count > 1 ? step * index.head : 0;
  return {{count, domain.length}, index};
}

SmallVector<std::pair<Domain, Index>, 2> stretto::codegen::splitDomain(Domain domain, Index index, Split split) {
  switch (split.kind) {
  case Split::nest:
    return {{{domain.length / split.at, split.at}, {index.base, split.at * index.column, split.at > 1, index.strip}}};
  case Split::cut: {
    Index first{index.base, index.head, split.at > 1, index.strip};
    Index rest{index.base + split.at * index.column, index.head, domain.length - split.at > 1, index.strip};
    return {{{domain.heads, split.at}, first}, {{domain.heads, domain.length - split.at}, rest}};
  }
  case Split::heads:
    return {takeHeads(domain, index, 0, split.at), takeHeads(domain, index, split.at, domain.heads - split.at)};
  case Split::everyHead: {
    SmallVector<std::pair<Domain, Index>, 2> parts;
    for (int64_t first = 0; first < split.at; ++first)
      parts.push_back(takeHeads(domain, index, first, domain.heads / split.at, split.at));
    return parts;
  }
  case Split::strips:
    break;
  }
  llvm_unreachable("no split of a domain");
}
