// Matmuls of experts over LibTorch's tensors: rows in the order of their experts, one behind the other.
#include "runtime/library/expert_tensors.h"

#include "runtime/abi/experts.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_grouped_mm.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace stretto::runtime {
namespace {

using at::Tensor;

Tensor flat(const Tensor &rows) { return rows.reshape({-1, rows.size(-1)}); }

Tensor inReal(const Tensor &tensor) { return tensor.scalar_type() == at::kBFloat16 ? tensor.to(at::kFloat) : tensor; }

// A visit is a part of a row: number row * chosen + part. In all tables visits are in the order of their experts; those
// of no expert, where a row goes to fewer than `chosen`, come last and have `count` in its place.
struct Visits {
  explicit Visits(const ExpertTensors &experts)
      : chosen(experts.chosen), gates(flat(experts.gates)), count(gates.size(-1)), mayGroup(experts.mayGroup) {
    const Tensor goes = gates.ne(0), numbers = at::arange(count, gates.options().dtype(at::kLong));
    const Tensor places = at::where(goes, goes.cumsum(-1) - 1, chosen).clamp_max(chosen);
    Tensor expertOf = at::full({gates.size(0), chosen + 1}, count, numbers.options());
    expertOf.scatter_(1, places, numbers.expand_as(places)); // the last column is of rows that do not go
    expertOf = expertOf.slice(1, 0, chosen).flatten();
    order = at::argsort(expertOf, /*stable=*/true);
    expert = expertOf.index({order});
    ends = at::searchsorted(expert, numbers, /*out_int32=*/true, /*right=*/true);
  }

  // Whole rows and parts of the visits.
  Tensor ofWhole(const Tensor &rows) const { return flat(rows).index({order.floor_divide(chosen)}); }
  Tensor ofParts(const Tensor &rows) const { return flat(rows).reshape({-1, rows.size(-1) / chosen}).index({order}); }

  Tensor areOf(int64_t number) const { return expert.eq(number).unsqueeze(-1); }
  Tensor gate() const { // [visits, 1]
    return gates.index({order.floor_divide(chosen), expert.clamp_max(count - 1)}).unsqueeze(-1);
  }
  // Whether an expert has visits, [count, 1, 1].
  Tensor areVisited() const {
    return ends.gt(at::constant_pad_nd(ends.slice(0, 0, count - 1), {1, 0})).view({-1, 1, 1});
  }

  // Numbers of visits as parts of rows, zero for no expert: [rows, chosen, columns].
  Tensor inParts(const Tensor &visits) const {
    const Tensor given = at::where(expert.lt(count).unsqueeze(-1), visits, 0);
    return at::empty_like(given).index_copy_(0, order, given).view({-1, chosen, visits.size(-1)});
  }

  int64_t chosen;
  Tensor gates;
  int64_t count; // of experts
  bool mayGroup;
  Tensor order, expert, ends;
};

bool isGrouped(const Visits &visits, const Tensor &rows, int64_t otherColumns) {
  return visits.mayGroup &&
         stretto_are_grouped_matmuls(rows.scalar_type() == at::kBFloat16, rows.size(-1), otherColumns, visits.count);
}

// Rows of visits times the weight of their expert, [count, in, out]; anything for visits of no expert.
Tensor multiply(const Visits &visits, const Tensor &rows, const Tensor &weights) {
  if (isGrouped(visits, rows, weights.size(-1)))
    return at::_grouped_mm(rows, weights, visits.ends);
  Tensor out = at::zeros({rows.size(0), weights.size(-1)}, rows.options());
  for (int64_t expert = 0; expert < visits.count; ++expert)
    out = at::where(visits.areOf(expert), rows.matmul(weights[expert]), out);
  return out;
}

// a^T b of the visits of each expert: [count * columns of a, columns of b].
Tensor multiplyTransposed(const Visits &visits, const Tensor &a, const Tensor &b) {
  if (isGrouped(visits, b, a.size(-1))) {
    const Tensor sums = at::_grouped_mm(a.to(b.scalar_type()).t(), b, visits.ends);
    return inReal(at::where(visits.areVisited(), sums, 0)).flatten(0, 1);
  }
  const Tensor left = inReal(a), right = inReal(b);
  Tensor out = at::empty({visits.count, left.size(-1), right.size(-1)}, left.options());
  for (int64_t expert = 0; expert < visits.count; ++expert) {
    const Tensor areOf = visits.areOf(expert);
    out[expert].copy_(at::where(areOf, left, 0).t().matmul(at::where(areOf, right, 0)));
  }
  return out.flatten(0, 1);
}

Tensor byExpert(const Visits &visits, const Tensor &weights) { // [count, out, in]
  return weights.view({visits.count, -1, weights.size(-1)});
}

void give(const Tensor &to, const Tensor &rows, bool accumulates = false) {
  accumulates ? to.add_(rows.reshape(to.sizes())) : to.copy_(rows.reshape(to.sizes()));
}

} // namespace

void expertLinear(const ExpertTensors &experts, const Tensor &x, const Tensor &weights, const Tensor &out) {
  const Visits visits(experts);
  give(out, visits.inParts(multiply(visits, visits.ofWhole(x), byExpert(visits, weights).mT())));
}

void expertLinearInputGrad(const ExpertTensors &experts, const Tensor &grad, const Tensor &weights, const Tensor &out) {
  const Visits visits(experts);
  const Tensor parts = visits.inParts(multiply(visits, visits.ofParts(grad), byExpert(visits, weights)));
  give(out, inReal(parts).sum(1));
}

void expertLinearWeightGrad(const ExpertTensors &experts, const Tensor &grad, const Tensor &x, bool accumulates,
                            const Tensor &out) {
  const Visits visits(experts);
  give(out, multiplyTransposed(visits, visits.ofParts(grad), visits.ofWhole(x)), accumulates);
}

void expertSum(const ExpertTensors &experts, const Tensor &x, const Tensor &weights, const Tensor &out) {
  const Visits visits(experts);
  const Tensor products = multiply(visits, visits.ofParts(x), byExpert(visits, weights).mT());
  give(out, visits.inParts(inReal(products) * visits.gate()).sum(1));
}

void expertSumInputGrad(const ExpertTensors &experts, const Tensor &grad, const Tensor &x, const Tensor &weights,
                        const Tensor &out, const Tensor &dgates) {
  const Visits visits(experts);
  const Tensor products = inReal(multiply(visits, visits.ofWhole(grad), byExpert(visits, weights)));
  give(out, visits.inParts(products * visits.gate()));
  const Tensor dots = (products * visits.ofParts(x)).sum(-1);
  // One column more, for visits of no expert.
  Tensor all = at::zeros({visits.gates.size(0), visits.count + 1}, dots.options());
  all.index_put_({visits.order.floor_divide(visits.chosen), visits.expert}, dots);
  give(dgates, all.slice(1, 0, visits.count));
}

void expertSumWeightGrad(const ExpertTensors &experts, const Tensor &grad, const Tensor &x, bool accumulates,
                         const Tensor &out) {
  const Visits visits(experts);
  give(out, multiplyTransposed(visits, visits.ofWhole(grad) * visits.gate(), visits.ofParts(x)), accumulates);
}

} // namespace stretto::runtime
