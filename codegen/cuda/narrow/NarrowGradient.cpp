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
constexpr int64_t gradientsOfKeys = 2; // dq and dk, by these numbers

/// Adds up dq and dk over the heads of parts: each thread leaves its two numbers in shared memory, then takes those of
/// two heads for one of the sums, and what neighbouring threads have of a sum is exchanged.
class PartSums {
public:
  /// `memory`: exchangeBytes of the block.
  PartSums(NarrowThread &thread, ValueRange gradients, Value memory)
      : b(thread.b), mixer(thread.mixer), thread(thread), gradients(gradients), memory(memory),
        threadsOfSum(mixer.headsOfPart / headsOfThread), own(b.threadIndex(mixer.threads())) {
    int64_t parts = mixer.heads / mixer.headsOfPart, ofBlock = mixer.threads() / mixer.threadsOfPart();
    Value first = b.remainder(own, threadsOfSum), sum = b.divide(own, threadsOfSum);
    Value key = b.remainder(sum, mixer.lanes()), row = b.divide(sum, mixer.lanes());
    gradient = b.remainder(row, gradientsOfKeys);
    Value inBlock = b.divide(row, gradientsOfKeys),
          part = b.add(b.mul(b.blockIndexX(mixer.blocks()), ofBlock), inBlock);
    Value head = b.add(b.mul(inBlock, mixer.headsOfPart), b.mul(first, headsOfThread));
    begin = b.add(b.mul(head, mixer.lanes()), key);
    column = b.add(b.mul(part, mixer.keys), key);
    stores = b.both(b.less(first, 1), mixer.keys < mixer.lanes() ? b.less(key, mixer.keys) : Value());
    stores = b.both(stores, parts % ofBlock ? b.less(part, parts) : Value());
  }

  /// What the thread has of dq or dk. `turn`: 0 or 1 from token to token, so that one barrier for each token is enough.
  void leave(int64_t number, Value value, int64_t turn) { b.store(value, placeOf(turn, b.index(number), own)); }

  void store(const NarrowToken &token, int64_t turn) {
    b.barrier();
    Value sum;
    for (int64_t i = 0; i < headsOfThread; ++i) {
      Value number = b.load(mixer.real, 1, placeOf(turn, gradient, b.add(begin, b.index(i * mixer.lanes()))));
      sum = sum ? arith::AddFOp::create(b, sum, number).getResult() : number;
    }
    sum = b.reduceLanes(seq::ReduceKind::add, sum, threadsOfSum);
    thread.store(b.both(stores, b.less(gradient, 1)), gradients[0], token, column, sum);
    thread.store(b.both(stores, b.less(b.index(0), gradient)), gradients[1], token, column, sum);
  }

private:
  static constexpr int64_t headsOfThread = gradientsOfKeys; // all threads have something to add up

  Value placeOf(int64_t turn, Value number, Value ofThread) {
    Value row = b.add(b.index(gradientsOfKeys * turn), number);
    return b.address(memory, mixer.real, b.add(b.mul(row, mixer.threads()), ofThread));
  }

  CudaBuilder &b;
  const NarrowMixer &mixer;
  NarrowThread &thread;
  Values gradients;
  Value memory;
  const int64_t threadsOfSum;
  Value own;             // own: the number of the thread
  Value gradient, begin; // what it adds up: of dq or dk, and which thread has the first number
  Value column, stores;  // where the sum belongs, and whether this thread stores it
};

class GradientBuilder {
public:
  GradientBuilder(CudaBuilder &b, gpu::GPUModuleOp kernels, seq::MixerGradOp op)
      : b(b), op(op), mixer(op), thread(b, kernels, op, mixer),
        mayBeNone(mixer.length % mixer.tokensOfSegment() != 0 || mixer.tokensOfSegment() % mixer.together() != 0),
        kept(thread.function.dynamicShared(mixer.sharedBytes())) {
    if (mixer.headsOfPart > 1)
      parts.emplace(thread, ValueRange{op.getDq(), op.getDk()},
                    b.address(kept, mixer.real, mixer.groupsOfSegment() * mixer.values * mixer.threads()));
  }

  void build() {
    forEach(b, b.index(0), b.index(mixer.segments()), 1, thread.zeros(), [&](Value behind, ValueRange ahead) {
      Value segment = arith::SubIOp::create(b, b.index(mixer.segments() - 1), behind);
      keepStates(segment);
      return goBack(b.mul(segment, mixer.segment), ahead);
    });
    thread.function.finish(thread.launch());
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
    return b.address(kept, mixer.real, b.add(b.mul(row, mixer.threads()), b.threadIndex(mixer.threads())));
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
        next = gradients(tokens[i], thread.stateBefore(tokens[i], states[i]), states[i + 1], grads[i], next, i % 2);
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

  /// All gradients of a token, from that of the state behind it; returns that of the state before. `turn`: as of
  /// PartSums.
  Values gradients(const NarrowToken &token, ValueRange before, ValueRange behind, ValueRange grad, ValueRange ahead,
                   int64_t turn) {
    storeOfKey(0, token, sumOfProducts(behind, grad), turn);
    Values dState;
    for (auto [number, g] : llvm::zip_equal(ahead, grad))
      dState.push_back(b.mulAdd(token.q, g, number));
    Value dk = sumOfProducts(dState, thread.written(token)), dStrength = valueGradients(token, dState);
    Values ofReader;
    if (mixer.erases())
      ofReader = eraserGradients(token, before, dState, dk, dStrength);
    storeOfKey(1, token, dk, turn);
    if (parts)
      parts->store(token, turn);
    if (Value result = mixer.beta ? op.getDbeta() : op.getDwrite())
      thread.storeOfHead(result, token, 1, 0, dStrength);
    return decayGradients(token, before, dState, ofReader);
  }

  void storeOfKey(int64_t number, const NarrowToken &token, Value value, int64_t turn) {
    if (parts)
      parts->leave(number, value, turn);
    else
      thread.storeOfKey(number == 0 ? op.getDq() : op.getDk(), token, value);
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
  std::optional<PartSums> parts; // where heads have parts together
};
} // namespace

void stretto::codegen::buildNarrowMixerGrad(CudaBuilder &b, gpu::GPUModuleOp kernels, seq::MixerGradOp op) {
  GradientBuilder(b, kernels, op).build();
}
