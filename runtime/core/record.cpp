// What a program will ask of a device, found out by letting its entry points run on one that does nothing.
#include "runtime/core/record.h"

#include "runtime/core/context.h"

#include <algorithm>
#include <set>
#include <vector>

namespace stretto {
namespace {

// Hands out addresses that nothing lies at, and notes the ops.
class Recorder : public Device {
public:
  std::string_view name() const override { return "recorder"; }
  std::string describe() const override { return "a record"; }
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
    if (products.insert({op.dtype, op.dtypeC, op.m, op.n, op.k, op.lda, op.ldb, op.ldc, op.transposeA, op.transposeB,
                         op.accumulate, op.d != nullptr, op.ldd}).second)
      needs.products.push_back(op);
  }
  void operator()(const AttentionOp &op) {
    if (attention.insert(keyOf(op, {})).second)
      needs.attention.push_back(op);
  }
  void operator()(const AttentionGradOp &op) {
    if (attention.insert(keyOf(op.forward, {op.dOutStride, op.dqStride, op.dkStride, op.dvStride})).second)
      needs.attentionGrad.push_back(op);
  }
  void operator()(const AttentionStepOp &op) {
    const Key key = {op.dtype, op.batch, op.rows, op.capacity, op.heads, op.kvHeads, op.headDim, op.qStride, op.oStride};
    if (attention.insert(key).second)
      needs.attentionStep.push_back(op);
  }
  template <typename Other> void operator()(const Other &) {}

  ReserveOp needs;

private:
  uintptr_t next = 4096;
  // What distinguishes products and attention, their addresses aside; of gradients, `more` has the further strides.
  using Key = std::vector<int64_t>;
  static Key keyOf(const AttentionOp &op, Key more) {
    more.insert(more.end(), {op.dtype, op.batch, op.length, op.heads, op.kvHeads, op.headDim, op.qStride, op.kStride,
                             op.vStride, op.oStride, op.causal, op.positions != nullptr, op.starts != nullptr,
                             op.documents});
    return more;
  }
  std::set<Key> products, attention;
};

} // namespace

ReserveOp needsOf(const stretto_program &program) {
  Recorder recorder;
  const Arenas arenas(recorder, program, true);
  Context context(recorder, arenas, program.dtype);
  for (auto entry : {program.gradients, program.accumulate, program.take_accumulated, program.update, program.evaluate,
                     program.round_parameters})
    context.run(entry);
  for (const stretto_decode &decode : {program.decode_one, program.decode_chunk})
    if (decode.rows > 0)
      context.run(decode.run);
  return recorder.needs;
}

} // namespace stretto
