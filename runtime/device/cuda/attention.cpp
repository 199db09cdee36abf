// Attention on the device.
#include "runtime/device/cuda/attention.h"

#include "runtime/core/op_table.h"
#include "runtime/device/cuda/attention_trial.h"
#include "runtime/device/cuda/check.h"
#include "runtime/device/cuda/torch_work.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <map>
#include <set>

namespace stretto::runtime {
namespace {

namespace Allocator = c10::cuda::CUDACachingAllocator;

int64_t reserved(bool peak) {
  const auto stats = Allocator::getDeviceStats(currentGpu().index());
  const auto &all = stats.reserved_bytes[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
  return peak ? all.peak : all.current;
}

// Ops of one kind are computed alike: their sizes, and whether they are aligned.
using Kind = std::pair<Sizes, bool>;
Kind kindOf(const AttentionOp &op) { return {sizesOf(op), isAligned(op)}; }

constexpr const char *unprepared = "attention cannot be prepared", *failed = "attention failed";

} // namespace

class Attention::Work {
public:
  Work(cudaStream_t stream, bool deterministic) : stream(stream), pool(stream), methods(stream, deterministic) {}

  void reserve(const ReserveOp &op) {
    const OnStream scope(stream);
    std::map<Kind, std::pair<AttentionOp, std::vector<AttentionGradOp>>> kinds;
    for (const AttentionOp &forward : op.attention)
      kinds[kindOf(forward)].first = forward;
    for (const AttentionGradOp &grad : op.attentionGrad) {
      auto &kind = kinds[kindOf(grad.forward)];
      kind.first = grad.forward;
      kind.second.push_back(grad);
    }
    choices.clear();
    for (const auto &[kind, ops] : kinds)
      choices[kind] = chooseAttention(ops.first, ops.second, methods, stream);
    for (const AttentionOp &forward : op.attention)
      run(AttentionSample(forward).op.forward, choiceOf(forward));
    for (const AttentionGradOp &grad : op.attentionGrad) {
      const AttentionSample sample(grad);
      run(sample.op.forward, choiceOf(grad.forward));
      run(sample.op, choiceOf(grad.forward));
    }
    check(cudaStreamSynchronize(stream), "prepare attention");
    Allocator::emptyCache(); // all but the pool
    Allocator::resetPeakStats(currentGpu().index());
  }

  void run(const AttentionOp &op) { run(op, choiceOf(op)); }
  void run(const AttentionGradOp &op) { run(op, choiceOf(op.forward)); }

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
    const auto found = choices.find(kindOf(op));
    if (found == choices.end())
      throw Error("attention must have sizes and alignment that were prepared for, but got batch " +
                  std::to_string(op.batch) + ", length " + std::to_string(op.length) + ", " + std::to_string(op.heads) +
                  " heads of " + std::to_string(op.head_dim) + " and " + std::to_string(op.value_dim) +
                  (isAligned(op) ? ", aligned" : ", not aligned"));
    return found->second;
  }

  void run(const AttentionOp &op, const AttentionChoice &choice) {
    pool.run(failed, [&] { methods.attend(choice.forward, op); });
  }
  void run(const AttentionGradOp &op, const AttentionChoice &choice) {
    pool.run(failed, [&] { methods.attendBackward(choice.backward, op); });
  }

  cudaStream_t stream;
  TorchPool pool;
  AttentionMethods methods;
  std::map<Kind, AttentionChoice> choices;
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

} // namespace stretto::runtime
