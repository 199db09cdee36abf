// Matmuls of experts over LibTorch's tensors: rows in the order of their experts, one behind the other.
#include "runtime/library/expert_tensors.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_grouped_mm.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace stretto::runtime {
namespace {

using at::Tensor;

Tensor flat(const Tensor &rows) { return rows.reshape({-1, rows.size(-1)}); }

// Sums and products of rounded numbers are not rounded.
Tensor inReal(const Tensor &tensor) { return tensor.scalar_type() == at::kBFloat16 ? tensor.to(at::kFloat) : tensor; }

// A visit is a part of a row: number row * chosen + part. In all tables they are in the order of their experts, and
// those that no expert has come last.
struct Visits {
  Visits(const Tensor &given, int64_t chosen) : chosen(chosen), gates(flat(given)), experts(gates.size(-1)) {
    const Tensor goes = gates.ne(0), numbers = at::arange(experts, gates.options().dtype(at::kLong));
    const Tensor places = at::where(goes, goes.cumsum(-1) - 1, chosen).clamp_max(chosen);
    Tensor expertOf = at::full({gates.size(0), chosen + 1}, experts, numbers.options());
    expertOf.scatter_(1, places, numbers.expand_as(places)); // the last column is of rows that do not go
    expertOf = expertOf.slice(1, 0, chosen).flatten();
    order = at::argsort(expertOf, /*stable=*/true);
    expert = expertOf.index({order});
    ends = at::searchsorted(expert, numbers, /*out_int32=*/true, /*right=*/true);
  }

  // Whole rows and parts of the visits.
  Tensor ofWhole(const Tensor &rows) const { return flat(rows).index({order.floor_divide(chosen)}); }
  Tensor ofParts(const Tensor &rows) const { return flat(rows).reshape({-1, columnsOf(rows)}).index({order}); }
  int64_t columnsOf(const Tensor &parts) const { return parts.size(-1) / chosen; }

  Tensor isOf(int64_t number) const { return expert.eq(number).unsqueeze(-1); }
  Tensor gate() const { // [visits, 1]
    return gates.index({order.floor_divide(chosen), expert.clamp_max(experts - 1)}).unsqueeze(-1);
  }

  // Numbers of visits as parts of rows, zero where no expert has them.
  Tensor inParts(const Tensor &visits) const {
    const Tensor given = at::where(expert.lt(experts).unsqueeze(-1), visits, 0);
    return at::empty_like(given).index_copy_(0, order, given).view({-1, chosen, visits.size(-1)});
  }

  int64_t chosen;
  Tensor gates;
  int64_t experts;
  Tensor order, expert, ends;
};

bool isGrouped(const Tensor &a, const Tensor &b) {
  constexpr int64_t unit = 8; // columns of 16 bytes
  return a.is_cuda() && a.scalar_type() == at::kBFloat16 && a.size(-1) % unit == 0 && b.size(-1) % unit == 0;
}

// Rows of visits times the weight of their expert, [experts, in, out]; anything for visits that none has.
Tensor multiply(const Visits &visits, const Tensor &rows, const Tensor &weights) {
  if (isGrouped(rows, weights))
    return at::_grouped_mm(rows, weights, visits.ends);
  Tensor out = at::zeros({rows.size(0), weights.size(-1)}, rows.options());
  for (int64_t expert = 0; expert < visits.experts; ++expert)
    out = at::where(visits.isOf(expert), rows.matmul(weights[expert]), out);
  return out;
}

// a^T b of the visits of each expert: [experts * columns of a, columns of b].
Tensor multiplyTransposed(const Visits &visits, const Tensor &a, const Tensor &b) {
  if (isGrouped(a, b))
    return inReal(at::_grouped_mm(a.t(), b, visits.ends)).flatten(0, 1);
  const Tensor left = inReal(a), right = inReal(b);
  Tensor out = at::empty({visits.experts, left.size(-1), right.size(-1)}, left.options());
  for (int64_t expert = 0; expert < visits.experts; ++expert)
    out[expert].copy_(at::where(visits.isOf(expert), left, 0).t().matmul(right));
  return out.flatten(0, 1);
}

Tensor byExpert(const Visits &visits, const Tensor &weights) { // [experts, out, in]
  return weights.view({visits.experts, -1, weights.size(-1)});
}

void give(const Tensor &to, const Tensor &rows, bool accumulates = false) {
  accumulates ? to.add_(rows.view(to.sizes())) : to.copy_(rows.reshape(to.sizes()));
}

} // namespace

void expertLinear(const Tensor &x, const Tensor &gates, const Tensor &weights, int64_t chosen, const Tensor &out) {
  const Visits visits(gates, chosen);
  give(out, visits.inParts(multiply(visits, visits.ofWhole(x), byExpert(visits, weights).mT())));
}

void expertLinearInputGrad(const Tensor &grad, const Tensor &gates, const Tensor &weights, int64_t chosen,
                           const Tensor &out) {
  const Visits visits(gates, chosen);
  const Tensor parts = visits.inParts(multiply(visits, visits.ofParts(grad), byExpert(visits, weights)));
  give(out, inReal(parts).sum(1));
}

void expertLinearWeightGrad(const Tensor &grad, const Tensor &gates, const Tensor &x, int64_t chosen, bool accumulates,
                            const Tensor &out) {
  const Visits visits(gates, chosen);
  give(out, multiplyTransposed(visits, visits.ofParts(grad), visits.ofWhole(x)), accumulates);
}

void expertSum(const Tensor &x, const Tensor &gates, const Tensor &weights, int64_t chosen, const Tensor &out) {
  const Visits visits(gates, chosen);
  const Tensor products = multiply(visits, visits.ofParts(x), byExpert(visits, weights).mT());
  give(out, visits.inParts(inReal(products) * visits.gate()).sum(1));
}

void expertSumInputGrad(const Tensor &grad, const Tensor &x, const Tensor &gates, const Tensor &weights, int64_t chosen,
                        const Tensor &out, const Tensor &dgates) {
  const Visits visits(gates, chosen);
  const Tensor products = inReal(multiply(visits, visits.ofWhole(grad), byExpert(visits, weights)));
  give(out, visits.inParts(products * visits.gate()));
  const Tensor dots = (products * visits.ofParts(x)).sum(-1);
  // One column more, for visits that no expert has.
  Tensor all = at::zeros({visits.gates.size(0), visits.experts + 1}, dots.options());
  all.index_put_({visits.order.floor_divide(chosen), visits.expert}, dots);
  give(dgates, all.slice(1, 0, visits.experts));
}

void expertSumWeightGrad(const Tensor &grad, const Tensor &gates, const Tensor &x, int64_t chosen, bool accumulates,
                         const Tensor &out) {
  const Visits visits(gates, chosen);
  const Tensor rows = visits.ofWhole(grad);
  give(out, multiplyTransposed(visits, (rows * visits.gate()).to(rows.scalar_type()), visits.ofParts(x)), accumulates);
}

} // namespace stretto::runtime
