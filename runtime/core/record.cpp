// What a program will ask of a device, found out by letting its entry points run on one that does nothing.
#include "runtime/core/record.h"

#include "runtime/core/context.h"
#include "runtime/core/op_table.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace stretto::runtime {
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
  void operator()(const MatmulOp &op) { note(op, needs.matmuls); }
  void operator()(const AttentionOp &op) { note(op, needs.attention); }
  void operator()(const AttentionGradOp &op) { note(op, needs.attentionGrad); }
  void operator()(const AttentionStepOp &op) { note(op, needs.attentionStep); }
  void operator()(const LibraryOp &op) {
    if (operations.insert({op.name, sizesOf(op)}).second)
      needs.library.push_back(op);
  }
  template <typename Other> void operator()(const Other &) {}

  ReserveOp needs;

private:
  uintptr_t next = 4096;
  template <typename Call> void note(const Call &op, std::vector<Call> &list) {
    if (known.insert({&list, sizesOf(op), alignmentsOf(op)}).second)
      list.push_back(op);
  }
  std::set<std::tuple<const void *, Sizes, std::vector<int64_t>>> known; // by list
  std::set<std::pair<std::string_view, Sizes>> operations;
};

} // namespace

ReserveOp needsOf(const stretto_program &program) {
  Recorder recorder;
  const Arenas arenas(recorder, program, true);
  Context context(recorder, arenas, program.dtype);
  for (auto entry : {program.gradients, program.accumulate, program.take_accumulated, program.squares, program.norm,
                     program.apply, program.evaluate, program.round_parameters})
    context.run(entry);
  for (const stretto_decode &decode : {program.decode_one, program.decode_chunk})
    if (decode.rows > 0)
      context.run(decode.run);
  return recorder.needs;
}

} // namespace stretto::runtime
