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

Fit stretto::codegen::fitMap(ElementMap map, Index index, Domain domain, int64_t period, int64_t strips) {
  auto at = [&](int64_t s, int64_t h, int64_t j) {
    return map(index.base + s * index.strip + h * index.head + j * index.column);
  };
  int64_t length = index.column ? domain.length : 1;
  Element first = at(0, 0, 0);
  Fit fit{first.source, {first.element}, std::nullopt};
  if (length > 1) {
    Element second = at(0, 0, 1);
    fit.index.column = second.source == first.source ? second.element - first.element : -1;
    if (fit.index.column != 0 && fit.index.column != 1) {
      fit.split = splitAt(1, index, domain, period);
      return fit;
    }
  }
  if (domain.heads > 1 && index.head != 0)
    fit.index.head = at(0, 1, 0).element - first.element;
  if (strips > 1 && index.strip != 0)
    fit.index.strip = at(1, 0, 0).element - first.element;
  for (int64_t s = 0; s < (index.strip ? strips : 1); ++s)
    for (int64_t h = 0; h < (index.head ? domain.heads : 1); ++h)
      for (int64_t j = 0; j < length; ++j) {
        Element e = at(s, h, j);
        int64_t expected = fit.index.base + s * fit.index.strip + h * fit.index.head + j * fit.index.column;
        if (e.source == first.source && e.element == expected)
          continue;
        fit.split = s > 0    ? Split{Split::strips, s}
                    : h == 0 ? splitAt(j, index, domain, period)
                             : Split{Split::heads, h};
        return fit;
      }
  return fit;
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
  case Split::heads: {
    Index rest = index;
    rest.base += split.at * index.head;
    std::pair<Domain, Index> parts[] = {{{split.at, domain.length}, index},
                                        {{domain.heads - split.at, domain.length}, rest}};
    for (auto &[d, i] : parts)
      if (d.heads == 1)
        i.head = 0;
    return {parts[0], parts[1]};
  }
  case Split::strips:
    break;
  }
  llvm_unreachable("no split of a domain");
}
