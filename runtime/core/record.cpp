#include "runtime/core/record.h"

#include "runtime/core/context.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace stretto {
namespace {

// Hands out addresses that nothing lies at, and notes the ops.
class Recorder : public Device {
public:
  std::string_view name() const override { return "recorder"; }
  void *allocate(int64_t bytes) override {
    const uintptr_t address = next;
    next += (static_cast<uintptr_t>(bytes) + 4095) / 4096 * 4096;
    return reinterpret_cast<void *>(address);
  }
  void release(void *, int64_t) override {}
  void submit(Op op, const CallSite &) override { std::visit(*this, op); }
  void wait() override {}
  void observe(OpObserver *) override {}
  void setThreads(int) override {}
  int threads() const override { return 1; }
  int64_t libraryPeakBytes() const override { return 0; }

  void operator()(const LaunchOp &op) { needs.kernelScratch = std::max(needs.kernelScratch, op.kernel->scratch_bytes); }
  void operator()(const MatmulOp &op) {
    if (products.insert({op.m, op.n, op.k, op.transposeA, op.transposeB}).second)
      needs.products.push_back(op);
  }
  void operator()(const AttentionOp &op) {
    if (attention.insert({op.length, op.headDim, op.causal, false}).second)
      needs.attention.push_back(op);
  }
  void operator()(const AttentionGradOp &op) {
    if (attention.insert({op.forward.length, op.forward.headDim, op.forward.causal, true}).second)
      needs.attentionGrad.push_back(op);
  }
  template <typename Other> void operator()(const Other &) {}

  ReserveOp needs;

private:
  uintptr_t next = 4096;
  std::set<std::tuple<int64_t, int64_t, int64_t, bool, bool>> products;
  std::set<std::tuple<int64_t, int64_t, bool, bool>> attention;
};

} // namespace

ReserveOp needsOf(const stretto_program &program) {
  Recorder recorder;
  const Arenas arenas(recorder, program, true);
  Context context(recorder, arenas, program.dtype);
  for (auto entry : {program.gradients, program.accumulate, program.take_accumulated, program.update, program.evaluate,
                     program.round_parameters})
    context.run(entry);
  return recorder.needs;
}

} // namespace stretto
