// Matmuls of experts as operations of the library: by blocks of our own on the CPU, by LibTorch's operations elsewhere.
#include "runtime/device/cpu/experts/experts.h"

#include "runtime/library/dtypes.h"
#include "runtime/library/expert_tensors.h"
#include "runtime/library/operation.h"

#include <algorithm>
#include <array>

namespace stretto::runtime::experts {
namespace {

// The first operands, in their order.
template <size_t count> std::array<at::Tensor, count> operandsOf(const LibraryCall &call) {
  std::array<at::Tensor, count> operands;
  std::copy_n(call.operands.begin(), count, operands.begin());
  return operands;
}

// ---------------------------------------------------------------- on the CPU

Rows rowsOf(const at::Tensor &tensor) {
  return {{tensor.data_ptr(), tensor.stride(-2), dtypeOf(tensor)}, tensor.size(-1)};
}

// What operands and results are to all of these operations. Weights, or their gradient, are [experts * out, in].
struct Roles {
  at::Tensor gates, whole, parts, weights;
};

void fill(Operands &op, const LibraryCall &call, const Roles &roles, bool wholeIsIn) {
  op.rows = roles.gates.numel() / roles.gates.size(-1);
  op.chosen = static_cast<int64_t>(call.number("chosen"));
  op.gates = rowsOf(roles.gates), op.whole = rowsOf(roles.whole), op.parts = rowsOf(roles.parts);
  op.weights = rowsOf(roles.weights);
  op.wholeIsIn = wholeIsIn;
}

ToParts linearOf(const LibraryCall &call) {
  ToParts op;
  const auto [x, gates, weights] = operandsOf<3>(call);
  fill(op, call, {.gates = gates, .whole = x, .parts = call.results[0], .weights = weights}, /*wholeIsIn=*/true);
  return op;
}

ToWhole linearInputGradOf(const LibraryCall &call) {
  ToWhole op;
  const auto [grad, gates, weights] = operandsOf<3>(call);
  fill(op, call, {.gates = gates, .whole = call.results[0], .parts = grad, .weights = weights}, /*wholeIsIn=*/true);
  return op;
}

WeightGrad linearWeightGradOf(const LibraryCall &call) {
  WeightGrad op;
  const auto [grad, gates, x] = operandsOf<3>(call);
  fill(op, call, {.gates = gates, .whole = x, .parts = grad, .weights = call.results[0]}, /*wholeIsIn=*/true);
  op.accumulates = call.operand("accumulator").defined();
  return op;
}

ToWhole sumOf(const LibraryCall &call) {
  ToWhole op;
  const auto [x, gates, weights] = operandsOf<3>(call);
  fill(op, call, {.gates = gates, .whole = call.results[0], .parts = x, .weights = weights}, /*wholeIsIn=*/false);
  op.weighted = true;
  return op;
}

ToParts sumInputGradOf(const LibraryCall &call) {
  ToParts op;
  const auto [grad, x, gates, weights] = operandsOf<4>(call);
  fill(op, call, {.gates = gates, .whole = grad, .parts = call.results[0], .weights = weights}, /*wholeIsIn=*/false);
  op.with = rowsOf(x), op.dgates = rowsOf(call.results[1]);
  return op;
}

WeightGrad sumWeightGradOf(const LibraryCall &call) {
  WeightGrad op;
  const auto [grad, gates, x] = operandsOf<3>(call);
  fill(op, call, {.gates = gates, .whole = grad, .parts = x, .weights = call.results[0]}, /*wholeIsIn=*/false);
  op.weighted = true;
  op.accumulates = call.operand("accumulator").defined();
  return op;
}

// ---------------------------------------------------------------- elsewhere

ExpertTensors tensorsOf(const LibraryCall &call, const at::Tensor &gates) {
  return {.gates = gates,
          .chosen = static_cast<int64_t>(call.number("chosen")),
          .mayGroup = call.capability == 9 || call.capability == 10};
}

void linearElsewhere(const LibraryCall &call) {
  const auto [x, gates, weights] = operandsOf<3>(call);
  expertLinear(tensorsOf(call, gates), x, weights, call.results[0]);
}

void linearInputGradElsewhere(const LibraryCall &call) {
  const auto [grad, gates, weights] = operandsOf<3>(call);
  expertLinearInputGrad(tensorsOf(call, gates), grad, weights, call.results[0]);
}

void linearWeightGradElsewhere(const LibraryCall &call) {
  const auto [grad, gates, x] = operandsOf<3>(call);
  expertLinearWeightGrad(tensorsOf(call, gates), grad, x, call.operand("accumulator").defined(), call.results[0]);
}

void sumElsewhere(const LibraryCall &call) {
  const auto [x, gates, weights] = operandsOf<3>(call);
  expertSum(tensorsOf(call, gates), x, weights, call.results[0]);
}

void sumInputGradElsewhere(const LibraryCall &call) {
  const auto [grad, x, gates, weights] = operandsOf<4>(call);
  expertSumInputGrad(tensorsOf(call, gates), grad, x, weights, call.results[0], call.results[1]);
}

void sumWeightGradElsewhere(const LibraryCall &call) {
  const auto [grad, gates, x] = operandsOf<3>(call);
  expertSumWeightGrad(tensorsOf(call, gates), grad, x, call.operand("accumulator").defined(), call.results[0]);
}

// ---------------------------------------------------------------- the operations

// One of the forms above: `describe` for the CPU, `elsewhere` for other devices.
template <auto describe, auto elsewhere> void compute(const LibraryCall &call) {
  if (!call.operands[0].is_cpu())
    return elsewhere(call);
  const auto op = describe(call);
  run(op, call.scratch(scratchBytes(op)));
}

template <auto describe> int64_t bytes(const LibraryCall &call) { return scratchBytes(describe(call)); }
template <auto describe> std::vector<MatmulShape> matmuls(const LibraryCall &call) { return matmulsOf(describe(call)); }

template <auto describe, auto elsewhere> struct Operation : LibraryOperation {
  explicit Operation(const char *name)
      : LibraryOperation(name, compute<describe, elsewhere>, bytes<describe>, matmuls<describe>) {}
};

const Operation<linearOf, linearElsewhere> linear("seq.expert_linear");
const Operation<linearInputGradOf, linearInputGradElsewhere> linearInputGrad("seq.expert_linear_input_grad");
const Operation<linearWeightGradOf, linearWeightGradElsewhere> linearWeightGrad("seq.expert_linear_weight_grad");
const Operation<sumOf, sumElsewhere> sum("seq.expert_sum");
const Operation<sumInputGradOf, sumInputGradElsewhere> sumInputGrad("seq.expert_sum_input_grad");
const Operation<sumWeightGradOf, sumWeightGradElsewhere> sumWeightGrad("seq.expert_sum_weight_grad");

} // namespace
} // namespace stretto::runtime::experts
