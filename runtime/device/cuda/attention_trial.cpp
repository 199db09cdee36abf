// Tries ways to compute attention on the device, on random data.
#include "runtime/device/cuda/attention_trial.h"

#include "runtime/device/cuda/check.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <algorithm>
#include <limits>

namespace stretto::runtime {
namespace {

constexpr double quickerBy = 0.8;                // share of the time of the one before that makes a later one win
constexpr int64_t mostScores = int64_t{1} << 26; // of the plain computation: what else is tried needs memory, too

at::TensorOptions onDevice(int32_t dtype) {
  const at::ScalarType type = dtype == STRETTO_F64 ? at::kDouble : dtype == STRETTO_BF16 ? at::kBFloat16 : at::kFloat;
  return at::TensorOptions().dtype(type).device(currentGpu());
}

void *randomRows(std::vector<at::Tensor> &memory, const AttentionOp &op, int64_t stride) {
  memory.push_back(at::randn({op.batch * op.length, stride}, onDevice(op.dtype)));
  return memory.back().data_ptr();
}

int32_t *onDevice(std::vector<at::Tensor> &memory, const std::vector<int32_t> &numbers) {
  const at::Tensor host = at::tensor(numbers, at::TensorOptions().dtype(at::kInt));
  memory.push_back(host.to(currentGpu()));
  return memory.back().mutable_data_ptr<int32_t>();
}

// Rows of some documents each, as many as there is room for.
void fillDocuments(AttentionSample &sample) {
  constexpr int64_t usual = 7; // documents of a row
  AttentionOp &op = sample.op.forward;
  const int64_t inRow = op.starts ? std::clamp<int64_t>(op.documents / op.batch, 1, usual) : usual;
  const int64_t longest = (op.length + inRow - 1) / inRow;
  std::vector<int32_t> positions, starts;
  for (int64_t token = 0; token < op.batch * op.length; ++token) {
    positions.push_back(static_cast<int32_t>(token % op.length % longest));
    if (positions.back() == 0)
      starts.push_back(static_cast<int32_t>(token));
  }
  op.positions = onDevice(sample.memory, positions);
  if (op.starts) {
    starts.resize(op.documents + 1, static_cast<int32_t>(op.batch * op.length));
    op.starts = onDevice(sample.memory, starts);
  }
}

at::TensorOptions realsOf(const AttentionOp &op) {
  return onDevice(op.dtype == STRETTO_F64 ? STRETTO_F64 : STRETTO_F32);
}

void fillSinks(AttentionSample &sample) {
  AttentionOp &op = sample.op.forward;
  sample.memory.push_back(at::randn({op.heads}, realsOf(op)));
  op.sinks = sample.memory.back().data_ptr();
  sample.memory.push_back(at::empty({op.batch, op.length, op.heads}, realsOf(op)));
  op.share = sample.memory.back().data_ptr();
}

void fill(AttentionSample &sample) {
  AttentionOp &op = sample.op.forward;
  op.q = randomRows(sample.memory, op, op.q_stride);
  op.k = randomRows(sample.memory, op, op.k_stride);
  op.v = randomRows(sample.memory, op, op.v_stride);
  op.o = randomRows(sample.memory, op, op.o_stride);
  sample.memory.push_back(at::empty({op.batch, op.heads, op.length}, realsOf(op)));
  op.lse = sample.memory.back().data_ptr();
  if (op.sinks)
    fillSinks(sample);
  if (op.positions)
    fillDocuments(sample);
}

// One sequence of a batch.
AttentionTensors rowOf(AttentionTensors tensors, int64_t row) {
  for (at::Tensor *tensor :
       {&tensors.q, &tensors.k, &tensors.v, &tensors.o, &tensors.lse, &tensors.positions, &tensors.share})
    if (tensor->defined())
      *tensor = tensor->narrow(0, row, 1);
  tensors.starts = at::Tensor(); // of all rows; the plain computation needs positions alone
  return tensors;
}

AttentionGradTensors rowOf(const AttentionGradTensors &tensors, int64_t row) {
  const auto one = [row](const at::Tensor &tensor) { return tensor.narrow(0, row, 1); };
  return {rowOf(tensors.forward, row), one(tensors.dOut), one(tensors.dq), one(tensors.dk), one(tensors.dv), {}, {}};
}

// A time on the device's own clock.
class Clock {
public:
  explicit Clock(cudaStream_t stream) : stream(stream) {
    check(cudaEventCreate(&begin), "make an event");
    check(cudaEventCreate(&end), "make an event");
  }
  ~Clock() {
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
  }
  Clock(const Clock &) = delete;
  Clock &operator=(const Clock &) = delete;
  template <typename Work> float milliseconds(const Work &work) {
    check(cudaEventRecord(begin, stream), "time attention");
    work();
    check(cudaEventRecord(end, stream), "time attention");
    check(cudaEventSynchronize(end), "time attention");
    float time = 0;
    check(cudaEventElapsedTime(&time, begin, end), "time attention");
    return time;
  }

private:
  cudaStream_t stream;
  cudaEvent_t begin = nullptr, end = nullptr;
};

class Trial {
public:
  Trial(const AttentionOp &forward, const std::vector<AttentionGradOp> &gradients, AttentionMethods &methods,
        cudaStream_t stream)
      : forward(forward), gradients(gradients), methods(methods), stream(stream) {}

  AttentionChoice choose() {
    AttentionChoice best;
    const std::vector<AttentionChoice> all = candidates();
    if (all.empty())
      return best;
    const AttentionSample sample = gradients.empty() ? AttentionSample(forward) : AttentionSample(gradients.front());
    expected = plainRow(sample);
    float bestTime = std::numeric_limits<float>::max();
    for (const AttentionChoice &candidate : all) {
      const float time = timeOf(candidate, sample);
      if (time < bestTime * (bestTime == std::numeric_limits<float>::max() ? 1 : quickerBy)) {
        best = candidate;
        bestTime = time;
      }
    }
    best.refused = refused;
    return best;
  }

private:
  // In the order in which they are preferred. cuDNN's are the quickest on Hopper, and work where the op's memory lies.
  std::vector<AttentionChoice> candidates() const {
    using enum AttentionMethod;
    std::vector<AttentionChoice> all = {
        {Cudnn, Cudnn, {}}, {Cudnn, Flash, {}}, {Flash, Flash, {}}, {Efficient, Efficient, {}}};
    std::erase_if(all, [&](const AttentionChoice &choice) {
      return !mayTry(choice.forward, forward) ||
             std::any_of(gradients.begin(), gradients.end(),
                         [&](const AttentionGradOp &op) { return !mayTry(choice.backward, op); });
    });
    return all;
  }

  void work(const AttentionChoice &choice, const AttentionSample &sample) const {
    methods.attend(choice.forward, sample.op.forward);
    if (!gradients.empty())
      methods.attendBackward(choice.backward, sample.op);
  }

  // Where the results of the last row lie.
  std::vector<at::Tensor> resultsIn(const AttentionSample &sample) const {
    const AttentionTensors out = tensorsOf(sample.op.forward);
    std::vector<at::Tensor> all = {out.o, out.lse};
    if (!gradients.empty()) {
      const AttentionGradTensors grad = tensorsOf(sample.op);
      all.insert(all.end(), {grad.dq, grad.dk, grad.dv});
    }
    for (at::Tensor &tensor : all)
      tensor = tensor[tensor.size(0) - 1];
    return all;
  }

  // As numbers of their own. What they were taken from is no number any more.
  std::vector<at::Tensor> takeResults(const AttentionSample &sample) const {
    std::vector<at::Tensor> all = resultsIn(sample);
    for (at::Tensor &tensor : all) {
      const at::Tensor taken = tensor.to(at::kDouble);
      tensor.fill_(std::numeric_limits<double>::quiet_NaN());
      tensor = taken;
    }
    return all;
  }

  std::vector<at::Tensor> plainRow(const AttentionSample &sample) const {
    const int64_t last = forward.batch - 1;
    if (gradients.empty()) {
      AttentionTensors row = rowOf(tensorsOf(sample.op.forward), last);
      row.mostScores = mostScores;
      attendPlainly(row);
    } else {
      AttentionGradTensors row = rowOf(tensorsOf(sample.op), last);
      row.forward.mostScores = mostScores;
      attendPlainly(row.forward);
      attendPlainlyBackward(row);
    }
    return takeResults(sample);
  }

  void refuse(const AttentionChoice &choice, const std::string &reason) {
    refused += (refused.empty() ? "" : "; ") + nameOf(choice) + ": " + reason.substr(0, reason.find('\n'));
  }

  // What has been computed, of one row of the sizes that are to be computed.
  bool agrees(const AttentionChoice &choice, const AttentionSample &sample) {
    // Results and what they are made from have 8 bits, or 24; libraries may make three products of 11 bits of one.
    const double tolerance = forward.dtype == STRETTO_BF16 ? 0.03 : 1e-4;
    const std::vector<at::Tensor> got = takeResults(sample);
    for (size_t i = 0; i < got.size(); ++i) {
      const double error = got[i].sub(expected[i]).norm().item().toDouble();
      const double size = expected[i].norm().item().toDouble();
      if (!(error <= tolerance * size)) {
        static constexpr const char *names[] = {"o", "lse", "dq", "dk", "dv"};
        refuse(choice, std::string(names[i]) + " is off by " + std::to_string(error / size));
        return false;
      }
    }
    return true;
  }

  // The best of some runs in milliseconds; infinity for who cannot do it.
  float timeOf(const AttentionChoice &choice, const AttentionSample &sample) {
    constexpr int runs = 7;
    float best = std::numeric_limits<float>::infinity();
    try {
      work(choice, sample);
      if (!agrees(choice, sample))
        return best;
      Clock clock(stream);
      for (int run = 0; run < runs; ++run)
        best = std::min(best, clock.milliseconds([&] { work(choice, sample); }));
    } catch (const Error &) { // of ours: of no use to try another
      throw;
    } catch (const std::exception &error) { // LibTorch's or cuDNN's
      best = std::numeric_limits<float>::infinity();
      const auto *torch = dynamic_cast<const c10::Error *>(&error);
      refuse(choice, torch ? torch->what_without_backtrace() : error.what());
    }
    (void)cudaGetLastError(); // what it refused with; a fault of the device stays
    check(cudaStreamSynchronize(stream), "try ways to compute attention");
    return best;
  }

  const AttentionOp &forward;
  const std::vector<AttentionGradOp> &gradients;
  AttentionMethods &methods;
  cudaStream_t stream;
  std::vector<at::Tensor> expected; // of the last row: o, lse, and of gradients dq, dk, dv
  std::string refused;
};

} // namespace

std::string nameOf(const AttentionChoice &choice) {
  return std::string(nameOf(choice.forward)) + ", backward " + nameOf(choice.backward);
}

AttentionSample::AttentionSample(const AttentionOp &given) {
  op.forward = given;
  fill(*this);
}

AttentionSample::AttentionSample(const AttentionGradOp &given) : op(given) {
  fill(*this);
  op.d_o = randomRows(memory, op.forward, op.do_stride);
  op.d_q = randomRows(memory, op.forward, op.dq_stride);
  op.d_k = randomRows(memory, op.forward, op.dk_stride);
  op.d_v = randomRows(memory, op.forward, op.dv_stride);
}

AttentionChoice chooseAttention(const AttentionOp &forward, const std::vector<AttentionGradOp> &gradients,
                                AttentionMethods &methods, cudaStream_t stream) {
  return Trial(forward, gradients, methods, stream).choose();
}

} // namespace stretto::runtime
