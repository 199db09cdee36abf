//===- NarrowGradient.cpp - the function of a narrow seq.mixer_grad --------------===//
//
// Segments from last to first. The states before each group of tokens are computed once more, from the saved one, and
// kept in shared memory, each thread its own; then groups from last to first: the states within one, in registers, and
// back over its tokens with the gradient of the state.
#include "codegen/cuda/narrow/NarrowMixer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
class GradientBuilder {
public:
  GradientBuilder(CudaBuilder &b, gpu::GPUModuleOp kernels, seq::MixerGradOp op)
      : b(b), op(op), mixer(op), thread(b, kernels, op, mixer),
        mayBeNone(mixer.length % mixer.tokensOfSegment() != 0 || mixer.tokensOfSegment() % mixer.together() != 0),
        kept(thread.function.shared("states", mixer.sharedBytes())) {}

  void build() {
    forEach(b, b.index(0), b.index(mixer.segments()), 1, thread.zeros(), [&](Value behind, ValueRange ahead) {
      Value segment = arith::SubIOp::create(b, b.index(mixer.segments() - 1), behind);
      keepStates(segment);
      return goBack(b.mul(segment, mixer.segment), ahead);
    });
    thread.function.finish(thread.launch(/*flops=*/mixer.erases() ? 30 : 15));
  }

private:
  SmallVector<NarrowToken> readGroup(Value first) {
    SmallVector<NarrowToken> group;
    for (int64_t i = 0; i < mixer.together(); ++i)
      group.push_back(thread.read(b.add(first, b.index(i)), mayBeNone));
    return group;
  }

  /// Where the thread keeps number e of the state before a group.
  Value placeOf(Value group, int64_t e) {
    Value row = b.add(b.mul(group, mixer.values), b.index(e));
    return b.address(kept, mixer.real, b.add(b.mul(row, mixer.threads), b.threadIndex(mixer.threads)));
  }

  void keepStates(Value segment) {
    Value begin = b.mul(segment, mixer.segment);
    Values state = thread.loadState(op.getStates(), segment);
    forEach(b, b.index(0), b.index(mixer.groupsOfSegment()), 1, state, [&](Value group, ValueRange now) {
      for (int64_t e = 0; e < mixer.values; ++e)
        b.store(now[e], placeOf(group, e));
      Values next(now);
      for (const NarrowToken &token : readGroup(b.add(begin, b.mul(group, mixer.together()))))
        next = thread.advance(token, thread.stateBefore(token, next));
      return next;
    });
  }

  Values goBack(Value begin, ValueRange ahead) {
    int64_t groups = mixer.groupsOfSegment();
    return forEach(b, b.index(0), b.index(groups), 1, ahead, [&](Value behind, ValueRange now) {
      Value group = arith::SubIOp::create(b, b.index(groups - 1), behind);
      SmallVector<NarrowToken> tokens = readGroup(b.add(begin, b.mul(group, mixer.together())));
      SmallVector<Values> grads, states(1);
      for (const NarrowToken &token : tokens)
        grads.push_back(gradOf(token));
      for (int64_t e = 0; e < mixer.values; ++e)
        states[0].push_back(b.load(mixer.real, 1, placeOf(group, e)));
      for (const NarrowToken &token : tokens)
        states.push_back(thread.advance(token, thread.stateBefore(token, states.back())));
      Values next(now);
      for (size_t i = tokens.size(); i-- > 0;)
        next = gradients(tokens[i], thread.stateBefore(tokens[i], states[i]), states[i + 1], grads[i], next);
      return next;
    });
  }

  /// Of the row of `out`, times the scale.
  Values gradOf(const NarrowToken &token) {
    Values grad;
    for (int64_t e = 0; e < mixer.values; ++e) {
      Value number = thread.load(op.getGrad(), token.row, thread.columnOfHead(mixer.values, e));
      grad.push_back(thread.times(number, b.real(mixer.real, mixer.scale)));
    }
    return grad;
  }

  Value sumOfProducts(ValueRange x, ValueRange y) {
    Value sum = thread.times(x[0], y[0]);
    for (size_t e = 1; e < x.size(); ++e)
      sum = b.mulAdd(x[e], y[e], sum);
    return sum;
  }
  Value negated(Value value) { return arith::NegFOp::create(b, value); }

  /// All gradients of a token, from that of the state behind it; returns that of the state before.
  Values gradients(const NarrowToken &token, ValueRange before, ValueRange behind, ValueRange grad, ValueRange ahead) {
    thread.storeOfKey(op.getDq(), token, sumOfProducts(behind, grad));
    Values dState;
    for (auto [number, g] : llvm::zip_equal(ahead, grad))
      dState.push_back(b.mulAdd(token.q, g, number));
    Value dk = sumOfProducts(dState, thread.written(token)), dStrength = valueGradients(token, dState);
    Values ofReader;
    if (mixer.erases())
      ofReader = eraserGradients(token, before, dState, dk, dStrength);
    thread.storeOfKey(op.getDk(), token, dk);
    if (Value result = mixer.beta ? op.getDbeta() : op.getDwrite())
      thread.storeOfHead(result, token, 1, 0, dStrength);
    return decayGradients(token, before, dState, ofReader);
  }

  /// dv; returns the gradient of what v is multiplied by.
  Value valueGradients(const NarrowToken &token, ValueRange dState) {
    Values du;
    for (Value number : dState)
      du.push_back(thread.sumOfHead(thread.times(token.k, number)));
    for (auto [e, number] : llvm::enumerate(du))
      thread.storeOfHead(op.getDv(), token, mixer.values, static_cast<int64_t>(e),
                         token.w ? thread.times(token.w, number) : number);
    return sumOfProducts(token.v, du);
  }

  /// Those of r and p, which are parts of those of k and beta where these are given. Returns that of what r reads.
  Values eraserGradients(const NarrowToken &token, ValueRange before, ValueRange dState, Value &dk, Value &dStrength) {
    Value dp = negated(sumOfProducts(dState, thread.erased(token, before)));
    Values dRead, ofReader;
    for (Value number : dState) {
      dRead.push_back(negated(thread.sumOfHead(thread.times(token.p, number))));
      ofReader.push_back(thread.times(token.r, dRead.back()));
    }
    Value dr = sumOfProducts(thread.readable(token, before), dRead);
    if (!mixer.eraseWrite)
      dk = arith::AddFOp::create(b, dk, dp);
    else if (op.getDeraseWrite())
      thread.storeOfKey(op.getDeraseWrite(), token, dp);
    if (mixer.beta) {
      dk = b.mulAdd(token.w, dr, dk);
      dStrength = arith::AddFOp::create(b, dStrength, thread.sumOfHead(thread.times(token.k, dr)));
    } else if (op.getDerase()) {
      thread.storeOfKey(op.getDerase(), token, dr);
    }
    return ofReader;
  }

  /// ddecay, if it is wanted; returns the gradient of the state before the token.
  Values decayGradients(const NarrowToken &token, ValueRange before, ValueRange dState, ValueRange ofReader) {
    Values decayed(dState), result;
    auto add = [&](Values &to) {
      for (auto [number, more] : llvm::zip_equal(to, ofReader))
        number = arith::AddFOp::create(b, number, more);
    };
    if (mixer.erases() && !mixer.before)
      add(decayed);
    if (op.getDdecay())
      storeDecay(token, thread.times(token.kept, sumOfProducts(before, decayed)));
    for (Value number : decayed)
      result.push_back(token.kept ? thread.times(token.kept, number) : number);
    if (mixer.erases() && mixer.before)
      add(result);
    return thread.stateBefore(token, result); // where a document begins, nothing comes from before it
  }

  void storeDecay(const NarrowToken &token, Value gradient) {
    if (mixer.byChannel)
      thread.storeOfKey(op.getDdecay(), token, gradient);
    else
      thread.storeOfHead(op.getDdecay(), token, 1, 0, thread.sumOfHead(gradient));
  }

  CudaBuilder &b;
  seq::MixerGradOp op;
  const NarrowMixer mixer;
  NarrowThread thread;
  const bool mayBeNone; // whether a group may have tokens behind the last one
  Value kept;
};
} // namespace

void stretto::codegen::buildNarrowMixerGrad(CudaBuilder &b, gpu::GPUModuleOp kernels, seq::MixerGradOp op) {
  GradientBuilder(b, kernels, op).build();
}
