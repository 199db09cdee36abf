// Linear mixers as operations of the library: by chunks of our own on the CPU, by LibTorch's operations elsewhere.
#include "runtime/device/cpu/mixer/mixer.h"

#include "runtime/library/dtypes.h"
#include "runtime/library/mixer_tensors.h"
#include "runtime/library/operation.h"

namespace stretto::runtime {
namespace {

// ---------------------------------------------------------------- on the CPU

// Null rows for an undefined tensor; one row for all tokens where it has no others.
mixer::Rows rowsOf(const at::Tensor &tensor) {
  if (!tensor.defined())
    return {};
  return {tensor.data_ptr(), tensor.dim() == 1 ? 0 : tensor.stride(1), dtypeOf(tensor)};
}

void *dataOf(const at::Tensor &tensor) { return tensor.defined() ? tensor.data_ptr() : nullptr; }

// `first`: the number of q among the operands.
void fill(mixer::Operands &mixer, const LibraryCall &call, size_t first) {
  const at::Tensor &q = call.operands[first], &v = call.operands[first + 2], decay = call.operand("decay");
  mixer.batch = q.size(0), mixer.length = q.size(1);
  mixer.heads = static_cast<int64_t>(call.number("heads"));
  mixer.keyHeads = static_cast<int64_t>(call.number("key_heads"));
  mixer.keyColumns = q.size(2) / mixer.keyHeads, mixer.valueColumns = v.size(2) / mixer.heads;
  mixer.scale = call.number("scale");
  mixer.real = q.scalar_type() == at::kDouble ? STRETTO_F64 : STRETTO_F32;
  mixer.decaysByChannel = decay.defined() && decay.size(-1) != mixer.heads;
  mixer.readsBefore = call.number("read_before") != 0;
  mixer.q = rowsOf(q), mixer.k = rowsOf(call.operands[first + 1]), mixer.v = rowsOf(v);
  mixer.decay = rowsOf(decay), mixer.write = rowsOf(call.operand("write")), mixer.beta = rowsOf(call.operand("beta"));
  mixer.erase = rowsOf(call.operand("erase")), mixer.eraseWrite = rowsOf(call.operand("erase_write"));
  mixer.positions = static_cast<const int32_t *>(dataOf(call.operand("positions")));
}

mixer::Forward forwardOf(const LibraryCall &call) {
  mixer::Forward forward;
  fill(forward, call, 0);
  forward.segment = static_cast<int64_t>(call.number("segment"));
  forward.out = rowsOf(call.results[0]);
  forward.states = dataOf(call.result("states"));
  return forward;
}

mixer::Backward backwardOf(const LibraryCall &call) {
  mixer::Backward backward;
  fill(backward, call, 1);
  backward.segment = static_cast<int64_t>(call.number("segment"));
  backward.states = dataOf(call.operand("states"));
  backward.grad = rowsOf(call.operands[0]);
  backward.headsOfPart = backward.heads * backward.keyColumns / call.results[0].size(2);
  backward.dq = rowsOf(call.results[0]), backward.dk = rowsOf(call.results[1]), backward.dv = rowsOf(call.results[2]);
  backward.dDecay = rowsOf(call.result("decay")), backward.dWrite = rowsOf(call.result("write"));
  backward.dBeta = rowsOf(call.result("beta")), backward.dErase = rowsOf(call.result("erase"));
  backward.dEraseWrite = rowsOf(call.result("erase_write"));
  return backward;
}

mixer::Step stepOf(const LibraryCall &call) {
  mixer::Step step;
  fill(step, call, 0);
  step.state = dataOf(call.operands[3]);
  step.positions = static_cast<const int32_t *>(dataOf(call.operands[4]));
  step.counts = static_cast<const int32_t *>(dataOf(call.operands[5]));
  step.out = rowsOf(call.results[0]);
  return step;
}

// ---------------------------------------------------------------- elsewhere

MixerTensors tensorsOf(const LibraryCall &call, size_t first) {
  MixerTensors tensors;
  tensors.q = call.operands[first], tensors.k = call.operands[first + 1], tensors.v = call.operands[first + 2];
  tensors.decay = call.operand("decay"), tensors.write = call.operand("write"), tensors.beta = call.operand("beta");
  tensors.erase = call.operand("erase"), tensors.eraseWrite = call.operand("erase_write");
  tensors.heads = static_cast<int64_t>(call.number("heads"));
  tensors.keyHeads = static_cast<int64_t>(call.number("key_heads"));
  tensors.scale = call.number("scale");
  tensors.readsBefore = call.number("read_before") != 0;
  return tensors;
}

void forwardElsewhere(const LibraryCall &call) {
  MixerTensors tensors = tensorsOf(call, 0);
  tensors.positions = call.operand("positions");
  mixerForward(tensors, static_cast<int64_t>(call.number("segment")), call.results[0], call.result("states"));
}

void backwardElsewhere(const LibraryCall &call) {
  MixerTensors tensors = tensorsOf(call, 1);
  tensors.positions = call.operand("positions");
  mixerBackward(tensors, static_cast<int64_t>(call.number("segment")), call.operand("states"), call.operands[0],
                {call.results[0], call.results[1], call.results[2], call.result("decay"), call.result("write"),
                 call.result("beta"), call.result("erase"), call.result("erase_write")});
}

void stepElsewhere(const LibraryCall &call) {
  mixerStep(tensorsOf(call, 0), call.operands[4], call.operands[5], call.operands[3], call.results[0]);
}

// ---------------------------------------------------------------- the operations

// One of the forms above: `describe` for the CPU, `elsewhere` for other devices.
template <auto describe, auto elsewhere> void compute(const LibraryCall &call) {
  if (!call.operands[0].is_cpu())
    return elsewhere(call);
  const auto mixer = describe(call);
  mixer::run(mixer, call.scratch(mixer::scratchBytes(mixer)));
}

template <auto describe> int64_t bytes(const LibraryCall &call) { return mixer::scratchBytes(describe(call)); }

const LibraryOperation forward("seq.mixer", compute<forwardOf, forwardElsewhere>, bytes<forwardOf>);
const LibraryOperation backward("seq.mixer_grad", compute<backwardOf, backwardElsewhere>, bytes<backwardOf>);
const LibraryOperation step("seq.mixer_step", compute<stepOf, stepElsewhere>, bytes<stepOf>);

} // namespace
} // namespace stretto::runtime
