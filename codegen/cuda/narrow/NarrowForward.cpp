//===- NarrowForward.cpp - the function of a narrow seq.mixer --------------------===//
#include "codegen/cuda/narrow/NarrowMixer.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
class ForwardBuilder {
public:
  ForwardBuilder(CudaBuilder &b, gpu::GPUModuleOp kernels, seq::MixerOp op)
      : b(b), op(op), mixer(op), thread(b, kernels, op, mixer) {}

  void build() {
    if (op.getStates())
      runSegments();
    else
      runTokens(b.index(0), mixer.length, thread.zeros());
    thread.function.finish(thread.launch());
  }

private:
  void runSegments() {
    forEach(b, b.index(0), b.index(mixer.segments()), 1, thread.zeros(), [&](Value segment, ValueRange state) {
      thread.storeState(op.getStates(), segment, state);
      return runTokens(b.mul(segment, mixer.segment), mixer.tokensOfSegment(), state);
    });
  }

  /// Of so many tokens at most, as long as there are any.
  Values runTokens(Value begin, int64_t tokens, ValueRange state) {
    bool mayBeNone = mixer.length % tokens != 0 || tokens % mixer.together() != 0;
    return forEach(b, begin, b.add(begin, b.index(tokens)), mixer.together(), state, [&](Value first, ValueRange now) {
      SmallVector<NarrowToken> group;
      for (int64_t i = 0; i < mixer.together(); ++i)
        group.push_back(thread.read(b.add(first, b.index(i)), mayBeNone));
      Values next(now);
      for (const NarrowToken &token : group) {
        next = thread.advance(token, thread.stateBefore(token, next));
        writeOut(token, next);
      }
      return next;
    });
  }

  void writeOut(const NarrowToken &token, ValueRange state) {
    for (auto [e, number] : llvm::enumerate(state)) {
      Value sum = thread.sumOfHead(thread.times(token.q, number));
      thread.storeOfHead(op.getOut(), token, mixer.values, static_cast<int64_t>(e),
                         thread.times(sum, b.real(mixer.real, mixer.scale)));
    }
  }

  CudaBuilder &b;
  seq::MixerOp op;
  const NarrowMixer mixer;
  NarrowThread thread;
};
} // namespace

void stretto::codegen::buildNarrowMixer(CudaBuilder &b, gpu::GPUModuleOp kernels, seq::MixerOp op) {
  ForwardBuilder(b, kernels, op).build();
}
