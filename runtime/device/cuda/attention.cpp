// Attention on the device.
#include "runtime/device/cuda/attention.h"

#include "runtime/device/cuda/attention_trial.h"
#include "runtime/device/cuda/check.h"

#include <ATen/Context.h>
#include <ATen/cuda/MemPool.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <map>
#include <set>

namespace stretto {
namespace {

namespace Allocator = c10::cuda::CUDACachingAllocator;

// What decides who computes an op: its sizes, type and strides.
using Key = std::vector<int64_t>;
Key keyOf(const AttentionOp &op) {
  return {op.dtype,   op.batch,   op.length,  op.heads,   op.kvHeads, op.headDim,
          op.qStride, op.kStride, op.vStride, op.oStride, op.causal,  op.positions != nullptr,
          op.starts != nullptr, op.documents};
}

// Does it; what LibTorch throws becomes an Error that begins with `problem`.
template <typename Call> void reporting(const char *problem, const Call &call) {
  try {
    call();
  } catch (const c10::Error &error) {
    throw Error(std::string(problem) + ": " + error.what_without_backtrace());
  }
}

// Our stream is LibTorch's for as long as it lives, and nothing is noted for gradients.
struct OnStream {
  explicit OnStream(cudaStream_t stream) : guard(c10::cuda::getStreamFromExternal(stream, 0)) {}
  c10::InferenceMode inference;
  c10::cuda::CUDAStreamGuard guard;
};

int64_t reserved(bool peak) {
  const auto stats = Allocator::getDeviceStats(0);
  const auto &all = stats.reserved_bytes[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
  return peak ? all.peak : all.current;
}

constexpr const char *unprepared = "attention cannot be prepared";

} // namespace

class Attention::Work {
public:
  Work(cudaStream_t stream, bool deterministic) : stream(stream), deterministic(deterministic) {
    at::globalContext().lazyInitDevice(at::kCUDA);
    at::globalContext().setDeterministicFillUninitializedMemory(false); // nothing is read before it is written
    pool = std::make_unique<at::cuda::MemPool>();
  }

  void reserve(const ReserveOp &op) {
    const OnStream scope(stream);
    std::map<Key, std::pair<AttentionOp, std::vector<AttentionGradOp>>> sizes;
    for (const AttentionOp &forward : op.attention)
      sizes[keyOf(forward)].first = forward;
    for (const AttentionGradOp &grad : op.attentionGrad) {
      auto &size = sizes[keyOf(grad.forward)];
      size.first = grad.forward;
      size.second.push_back(grad);
    }
    choices.clear();
    for (const auto &[key, ops] : sizes)
      choices[key] = chooseAttention(ops.first, ops.second, deterministic, stream);
    for (const AttentionOp &forward : op.attention)
      warm(AttentionSample(forward), false);
    for (const AttentionGradOp &grad : op.attentionGrad)
      warm(AttentionSample(grad), true);
    check(cudaStreamSynchronize(stream), "prepare attention");
    Allocator::emptyCache(); // all but the pool
    Allocator::resetPeakStats(0);
  }

  void run(const AttentionOp &op) {
    const AttentionChoice &choice = choiceOf(op);
    inPool([&] { attend(choice.forward, tensorsOf(op)); });
  }

  void run(const AttentionGradOp &op) {
    const AttentionChoice &choice = choiceOf(op.forward);
    inPool([&] { attendBackward(choice.backward, tensorsOf(op), deterministic); });
  }

  std::string describe() const {
    std::set<std::string> names;
    for (const auto &[key, choice] : choices)
      names.insert(nameOf(choice) + (choice.refused.empty() ? "" : " (out: " + choice.refused + ")"));
    std::string text;
    for (const std::string &name : names)
      text += (text.empty() ? "" : "; ") + name;
    return text;
  }

private:
  const AttentionChoice &choiceOf(const AttentionOp &op) const {
    const auto found = choices.find(keyOf(op));
    if (found == choices.end())
      throw Error("attention must have sizes that were prepared for, but got batch " + std::to_string(op.batch) +
                  ", length " + std::to_string(op.length) + ", " + std::to_string(op.heads) + " heads of " +
                  std::to_string(op.headDim));
    return found->second;
  }

  // What is allocated inside comes from a pool of its own, which nobody else takes from: replayed graphs may use its
  // addresses again, and it grows no more once all ops have run in it.
  template <typename Call> void inPool(const Call &call) {
    const OnStream scope(stream);
    Allocator::beginAllocateToPool(0, pool->id(), [this](cudaStream_t other) { return other == stream; });
    struct End {
      at::cuda::MemPool &pool;
      ~End() {
        Allocator::endAllocateToPool(0, pool.id());
        Allocator::releasePool(0, pool.id()); // that a use of it began counted
      }
    } end{*pool};
    reporting("attention failed", call);
  }

  void warm(const AttentionSample &sample, bool backward) {
    run(sample.op.forward);
    if (backward)
      run(sample.op);
  }

  cudaStream_t stream;
  bool deterministic;
  std::unique_ptr<at::cuda::MemPool> pool;
  std::map<Key, AttentionChoice> choices;
};

Attention::Attention(cudaStream_t stream, bool deterministic) {
  reporting(unprepared, [&] { work = std::make_unique<Work>(stream, deterministic); });
}
Attention::~Attention() = default;

void Attention::reserve(const ReserveOp &op) {
  reporting(unprepared, [&] { work->reserve(op); });
}

void Attention::run(const AttentionOp &op) { work->run(op); }
void Attention::run(const AttentionGradOp &op) { work->run(op); }
int64_t Attention::peakBytes() const { return reserved(true); }
int64_t Attention::heldBytes() const { return reserved(false); }
std::string Attention::describe() const { return work->describe(); }

} // namespace stretto
