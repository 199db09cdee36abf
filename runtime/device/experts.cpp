// Matmuls of experts as operations of the library: by blocks of our own on the CPU, by LibTorch's operations elsewhere.
#include "runtime/device/cpu/experts/experts.h"

#include "runtime/library/dtypes.h"
#include "runtime/library/expert_tensors.h"
#include "runtime/library/operation.h"

namespace stretto::runtime::experts {
namespace {

// ---------------------------------------------------------------- on the CPU

Rows rowsOf(const at::Tensor &tensor) {
  return {tensor.data_ptr(), tensor.stride(-2), tensor.size(-1), dtypeOf(tensor)};
}

// What all have in common. Weights, or their gradient, are [experts * out, in].
void fill(Operands &op, const LibraryCall &call, const at::Tensor &gates, const at::Tensor &whole,
          const at::Tensor &parts, const at::Tensor &weights, bool wholeIsIn) {
  op.rows = gates.numel() / gates.size(-1);
  op.chosen = static_cast<int64_t>(call.number("chosen"));
  op.gates = rowsOf(gates), op.whole = rowsOf(whole), op.parts = rowsOf(parts), op.weights = rowsOf(weights);
  op.wholeIsIn = wholeIsIn;
}

ToParts linearOf(const LibraryCall &call) {
  ToParts op;
  fill(op, call, call.operands[1], call.operands[0], call.results[0], call.operands[2], /*wholeIsIn=*/true);
  return op;
}

ToWhole linearInputGradOf(const LibraryCall &call) {
  ToWhole op;
  fill(op, call, call.operands[1], call.results[0], call.operands[0], call.operands[2], /*wholeIsIn=*/true);
  return op;
}

WeightGrad linearWeightGradOf(const LibraryCall &call) {
  WeightGrad op;
  fill(op, call, call.operands[1], call.operands[2], call.operands[0], call.results[0], /*wholeIsIn=*/true);
  op.accumulates = call.operand("accumulator").defined();
  return op;
}

ToWhole sumOf(const LibraryCall &call) {
  ToWhole op;
  fill(op, call, call.operands[1], call.results[0], call.operands[0], call.operands[2], /*wholeIsIn=*/false);
  op.weighted = true;
  return op;
}

ToParts sumInputGradOf(const LibraryCall &call) {
  ToParts op;
  fill(op, call, call.operands[2], call.operands[0], call.results[0], call.operands[3], /*wholeIsIn=*/false);
  op.with = rowsOf(call.operands[1]), op.dgates = rowsOf(call.results[1]);
  return op;
}

WeightGrad sumWeightGradOf(const LibraryCall &call) {
  WeightGrad op;
  fill(op, call, call.operands[1], call.operands[0], call.operands[2], call.results[0], /*wholeIsIn=*/false);
  op.weighted = true;
  op.accumulates = call.operand("accumulator").defined();
  return op;
}

// ---------------------------------------------------------------- elsewhere

int64_t chosenOf(const LibraryCall &call) { return static_cast<int64_t>(call.number("chosen")); }

void linearElsewhere(const LibraryCall &call) {
  expertLinear(call.operands[0], call.operands[1], call.operands[2], chosenOf(call), call.results[0]);
}

void linearInputGradElsewhere(const LibraryCall &call) {
  expertLinearInputGrad(call.operands[0], call.operands[1], call.operands[2], chosenOf(call), call.results[0]);
}

void linearWeightGradElsewhere(const LibraryCall &call) {
  expertLinearWeightGrad(call.operands[0], call.operands[1], call.operands[2], chosenOf(call),
                         call.operand("accumulator").defined(), call.results[0]);
}

void sumElsewhere(const LibraryCall &call) {
  expertSum(call.operands[0], call.operands[1], call.operands[2], chosenOf(call), call.results[0]);
}

void sumInputGradElsewhere(const LibraryCall &call) {
  expertSumInputGrad(call.operands[0], call.operands[1], call.operands[2], call.operands[3], chosenOf(call),
                     call.results[0], call.results[1]);
}

void sumWeightGradElsewhere(const LibraryCall &call) {
  expertSumWeightGrad(call.operands[0], call.operands[1], call.operands[2], chosenOf(call),
                      call.operand("accumulator").defined(), call.results[0]);
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

const LibraryOperation linear("seq.expert_linear", compute<linearOf, linearElsewhere>, bytes<linearOf>);
const LibraryOperation linearInputGrad("seq.expert_linear_input_grad",
                                       compute<linearInputGradOf, linearInputGradElsewhere>, bytes<linearInputGradOf>);
const LibraryOperation linearWeightGrad("seq.expert_linear_weight_grad",
                                        compute<linearWeightGradOf, linearWeightGradElsewhere>,
                                        bytes<linearWeightGradOf>);
const LibraryOperation sum("seq.expert_sum", compute<sumOf, sumElsewhere>, bytes<sumOf>);
const LibraryOperation sumInputGrad("seq.expert_sum_input_grad", compute<sumInputGradOf, sumInputGradElsewhere>,
                                    bytes<sumInputGradOf>);
const LibraryOperation sumWeightGrad("seq.expert_sum_weight_grad", compute<sumWeightGradOf, sumWeightGradElsewhere>,
                                     bytes<sumWeightGradOf>);

} // namespace
} // namespace stretto::runtime::experts
