//===- ElementMap.h - which elements of its operands a row operation reads ----===//
//
// A row of any shape is a list of elements in row-major order. A loop nest visits a part of it: `heads` times
// `length` elements, `base + h * head + j * column`. A movement (`seq::MovementOp`)
// maps elements of its result to elements of one operand each; a loop can run over it when the map is affine on
// the part that it visits. Where it is not, the part is split. The maps are tabulated, not reasoned about: rows
// are static and short, so looking at each element is exact and cheap.
#pragma once

#include "ir/seq/SeqInterfaces.h"

#include <compare>
#include <optional>

namespace stretto::codegen {

/// Element `base + h * head + j * column` for the counters h, j of a loop nest; `column` is 0 or 1. Where the code is
/// for several strips of columns (StripPlans.h), `+ s * strip` in strip s of these.
struct Index {
  int64_t base = 0, head = 0, column = 0, strip = 0;
  auto operator<=>(const Index &) const = default;
};

/// The counters of a loop nest: h < heads, j < length.
struct Domain {
  int64_t heads = 1, length = 1;
  bool operator==(const Domain &) const = default;
};

using seq::Element;
using ElementMap = llvm::function_ref<Element(int64_t)>;

/// How to divide a domain: into heads of `at` elements, at column `at`, at head `at`, or into `at` parts that each have
/// every at-th head; `strips`: strip `at` needs other code.
struct Split {
  enum Kind { nest, cut, heads, everyHead, strips } kind;
  int64_t at;
};

/// What a map is on a domain: an index into one operand, or where to split.
struct Fit {
  int64_t source = 0;
  Index index;
  std::optional<Split> split;
};

/// Fits `map` over the elements that `index` visits in `domain`. `period` is the natural width at which the map
/// repeats (the last dimension of the value it describes); it decides between heads and cuts. The fit holds for so many
/// strips.
Fit fitMap(ElementMap map, Index index, Domain domain, int64_t period, int64_t strips = 1);

/// The parts that `split`, not one of strips, makes of a domain and the index that goes with each.
llvm::SmallVector<std::pair<Domain, Index>, 2> splitDomain(Domain domain, Index index, Split split);

/// Width of the last dimension, 1 for a scalar; number of elements.
int64_t lastDimension(mlir::Value value);
int64_t elementCount(mlir::Value value);

} // namespace stretto::codegen
