// A piece of work is one document of a group of heads.
#include "runtime/device/cpu/mixer/narrow.h"
#include "runtime/device/cpu/documents.h"
#include "runtime/device/cpu/mixer/heads.h"
#include "runtime/device/cpu/mixer/rows.h"

#include "runtime/abi/abi.h"
#include "runtime/core/threads.h"

#include <algorithm>

namespace stretto::runtime::mixer {
namespace {

constexpr int64_t mostTokens = 64; // forward, of which copies are made at a time

// Memory for as many numbers of each head of a group.
template <typename Real> Real *takeOf(Scratch &scratch, const Operands &op, int64_t numbers) {
  return scratch.take<Real>(numbers * vectorsOf(op) * lanes);
}

// Some tokens of these heads, and the memory that their operands take where they are copied.
template <typename Real> struct Block {
  Block(const Operands &op, int64_t most, Scratch &scratch) {
    const Form form(op);
    auto take = [&](int64_t columns) { return takeOf<Real>(scratch, op, most * columns); };
    q = take(form.keys), k = take(form.keys), v = take(form.values), w = take(1);
    if (form.decays())
      kept = take(form.keys);
    if (form.erases)
      r = take(form.keys), p = take(form.keys);
  }

  void read(const Heads<Real> &heads, int64_t token, int64_t tokens) {
    const Operands &op = heads.op;
    const int64_t keys = heads.form.keys;
    steps.tokens = tokens, steps.vectors = heads.vectors, steps.keys = keys, steps.values = heads.form.values;
    steps.scale = static_cast<Real>(op.scale), steps.before = op.readsBefore;
    steps.q = heads.readKeys(op.q, token, tokens, q);
    steps.k = heads.readKeys(op.k, token, tokens, k);
    steps.v = heads.read(op.v, token, tokens, heads.form.values, v);
    if (const Rows &strength = op.beta ? op.beta : op.write)
      steps.w = heads.read(strength, token, tokens, 1, w);
    if (op.decay)
      readDecay(heads, token, tokens);
    if (op.beta) {
      eraseKeys(tokens, keys, heads.width);
    } else if (op.erase) {
      steps.r = heads.read(op.erase, token, tokens, keys, r);
      steps.p = op.eraseWrite ? heads.read(op.eraseWrite, token, tokens, keys, p) : steps.k;
    }
  }

  LaneSteps<Real> steps;

private:
  void readDecay(const Heads<Real> &heads, int64_t token, int64_t tokens) {
    const int64_t columns = heads.form.byChannel ? heads.form.keys : 1, width = columns * heads.width;
    const Lanes<const Real> decay = heads.read(heads.op.decay, token, tokens, columns, kept);
    exponentials(tokens, width, {decay.data, decay.token}, {kept, width});
    steps.kept = {kept, width, heads.form.byChannel ? heads.width : 0};
  }

  void eraseKeys(int64_t tokens, int64_t keys, int64_t width) {
    for (int64_t d = 0; d < keys; ++d)
      multiplyElements(tokens, width, {steps.k.at({0, 0}, d), steps.k.token}, {steps.w.data, steps.w.token},
                       {r + d * width, keys * width});
    steps.r = {r, keys * width, width}, steps.p = steps.k, steps.beta = steps.w;
  }

  Real *q, *k, *v, *w, *kept, *r, *p;
};

//===- Forward ----------------------------------------------------------------===//

template <typename Real> struct ForwardMemory {
  ForwardMemory(const Operands &op, Scratch &scratch)
      : block(op, mostTokens, scratch), states(takeOf<Real>(scratch, op, op.keyColumns * op.valueColumns)),
        out(takeOf<Real>(scratch, op, mostTokens * op.valueColumns)) {}

  // From the states before these tokens to those behind them.
  void run(const Heads<Real> &heads, const Rows &to, int64_t token, int64_t tokens) {
    block.read(heads, token, tokens);
    const Lanes<Real> target = heads.target(to, token, heads.form.values, out);
    stepLanes(block.steps, states, target, nullptr);
    heads.put(to, token, tokens, heads.form.values, target);
  }

  Block<Real> block;
  Real *states, *out;
};

// Where the states of the heads are saved before a token, and how far they are apart.
template <typename Real> struct Saved {
  template <typename Op> Saved(const Op &op, const Heads<Real> &heads, int64_t token) {
    const int64_t size = heads.form.keys * heads.form.values, segments = (op.length + op.segment - 1) / op.segment;
    offset = savedState(op, heads.first, token) * size, apart = segments * size;
  }
  int64_t offset, apart;
};

template <typename Real> void runDocument(const Forward &op, const Document &document, const Heads<Real> &heads,
                                          char *begin) {
  Scratch scratch(begin);
  ForwardMemory<Real> memory(op, scratch);
  const int64_t end = document.first + document.length;
  heads.clearStates(memory.states);
  for (int64_t token = document.first, next; token < end; token = next) {
    const int64_t inSegment = token % op.length % op.segment;
    if (const Saved<Real> saved(op, heads, token); op.states && inSegment == 0)
      heads.storeStates(memory.states, saved.apart, static_cast<Real *>(op.states) + saved.offset);
    next = std::min({end, token + mostTokens, token + op.segment - inSegment});
    memory.run(heads, op.out, token, next - token);
  }
}

template <typename Real> void runStep(const Step &op, int64_t sequence, const Heads<Real> &heads, char *begin) {
  Scratch scratch(begin);
  ForwardMemory<Real> memory(op, scratch);
  const int64_t values = heads.form.values, size = heads.form.keys * values;
  const int64_t first = sequence * op.length, valid = std::clamp<int64_t>(op.counts[sequence], 0, op.length);
  Real *const states = static_cast<Real *>(op.state) + (sequence * op.heads + heads.first) * size;
  if (valid > 0 && op.positions[first] == 0)
    heads.clearStates(memory.states);
  else
    heads.loadStates(states, size, memory.states);
  for (int64_t at = 0, tokens; at < valid; at += tokens) {
    tokens = std::min(valid - at, mostTokens);
    memory.run(heads, op.out, first + at, tokens);
  }
  heads.storeStates(memory.states, size, states);
  std::fill_n(memory.out, values * heads.width, Real(0));
  storeRows<Real>(op.out, first + valid, op.length - valid, heads.first * values, heads.count * values, {memory.out, 0},
                  1);
}

//===- Backward ---------------------------------------------------------------===//

template <typename Real> class Reverse {
public:
  Reverse(const Backward &op, Scratch &scratch) : op(op), form(op), block(op, mostOf(op), scratch) {
    const int64_t size = form.keys * form.values, most = mostOf(op);
    auto take = [&](int64_t numbers) { return takeOf<Real>(scratch, op, numbers); };
    before = take(size), behind = take(size), dStates = take(size), history = take(most * size);
    grad = take(most * form.values), dv = take(most * form.values);
    const int64_t ofKeys = addsUp() ? form.keys : most * form.keys, ofParts = most * vectorsOf(op) * form.keys;
    dq = take(ofKeys), dk = take(ofKeys);
    if (addsUp())
      qParts = scratch.take<Real>(ofParts), kParts = scratch.take<Real>(ofParts);
    dDecay = take(most * form.keys), dw = take(most);
    if (form.erases)
      dr = take(most * form.keys), dp = take(most * form.keys);
  }

  void run(const Document &document, const Heads<Real> &heads) {
    heads.clearStates(dStates);
    for (int64_t end = document.first + document.length, begin; end > document.first; end = begin) {
      begin = std::max(document.first, end - 1 - (end - 1) % op.length % op.segment);
      heads.clearStates(before);
      if (const Saved<Real> saved(op, heads, begin); begin != document.first)
        heads.loadStates(static_cast<const Real *>(op.states) + saved.offset, saved.apart, before);
      runSegment(heads, begin, end - begin);
    }
  }

private:
  static int64_t mostOf(const Backward &op) { return std::min(op.segment, op.length); }

  void runSegment(const Heads<Real> &heads, int64_t token, int64_t tokens) {
    block.read(heads, token, tokens);
    std::copy_n(before, form.keys * form.values * heads.width, behind);
    stepLanes(block.steps, behind, {}, history);
    const Lanes<const Real> grad = heads.read(op.grad, token, tokens, form.values, this->grad);
    const LaneGradients<Real> to = targets(heads, token);
    stepLanesBack(block.steps, grad, before, history, dStates, to);
    put(heads, to, token, tokens);
  }

  // Whether vectors of heads have one part each of the gradients of q and k.
  bool addsUp() const { return op.headsOfPart == lanes; }
  int64_t decays() const { return form.byChannel ? form.keys : 1; }
  const Rows &dStrength() const { return op.beta ? op.dBeta : op.dWrite; }

  LaneGradients<Real> targets(const Heads<Real> &heads, int64_t token) const {
    auto target = [&](const Rows &rows, int64_t columns, Real *buffer) {
      return heads.target(rows, token, columns, buffer);
    };
    // Those that come with others' have a place also where nobody wants them.
    auto always = [&](const Rows &operand, const Rows &rows, int64_t columns, Real *buffer) {
      return operand && !rows ? heads.packed(buffer, columns) : target(rows, columns, buffer);
    };
    LaneGradients<Real> to;
    if (addsUp()) {
      to.q = heads.oneToken(dq), to.qParts = heads.parts(op.dq, token, qParts);
      to.k = heads.oneToken(dk), to.kParts = heads.parts(op.dk, token, kParts);
    } else {
      to.q = target(op.dq, form.keys, dq), to.k = target(op.dk, form.keys, dk);
    }
    to.v = target(op.dv, form.values, dv), to.w = always(op.beta, dStrength(), 1, dw);
    to.decay = target(op.dDecay, decays(), dDecay), to.decayIsByHead = !form.byChannel;
    to.r = always(op.erase, op.dErase, form.keys, dr), to.p = always(op.eraseWrite, op.dEraseWrite, form.keys, dp);
    return to;
  }

  void put(const Heads<Real> &heads, const LaneGradients<Real> &to, int64_t token, int64_t tokens) const {
    auto put = [&](const Rows &rows, int64_t columns, Lanes<Real> from) {
      heads.put(rows, token, tokens, columns, from);
    };
    if (addsUp()) {
      heads.putParts(op.dq, token, tokens, to.qParts), heads.putParts(op.dk, token, tokens, to.kParts);
    } else {
      put(op.dq, form.keys, to.q), put(op.dk, form.keys, to.k);
    }
    put(op.dv, form.values, to.v);
    put(dStrength(), 1, to.w), put(op.dDecay, decays(), to.decay);
    put(op.dErase, form.keys, to.r), put(op.dEraseWrite, form.keys, to.p);
  }

  const Backward &op;
  const Form form;
  Block<Real> block;
  Real *before, *behind, *dStates, *history; // states before a segment, behind it, behind each token
  Real *grad, *dq, *dk, *dv, *dDecay, *dw, *dr, *dp, *qParts, *kParts;
};

template <typename Real> void runDocument(const Backward &op, const Document &document, const Heads<Real> &heads,
                                          char *begin) {
  Scratch scratch(begin);
  Reverse<Real>(op, scratch).run(document, heads);
}

//===- Either type ------------------------------------------------------------===//

template <typename Real> int64_t memoryOf(const Operands &op) {
  Scratch scratch(nullptr);
  ForwardMemory<Real>(op, scratch);
  return scratch.taken();
}
template <typename Real> int64_t memoryOf(const Backward &op) {
  Scratch scratch(nullptr);
  Reverse<Real>(op, scratch);
  return scratch.taken();
}

template <typename Real, typename Op> void runAll(const Op &op, char *scratch) {
  const std::vector<Document> documents = longestFirst(documentsOf(op.batch, op.length, op.positions));
  const Pieces pieces(op, static_cast<int64_t>(documents.size()));
  const int64_t bytes = narrowBytes(op);
  parallelFor(pieces.count, [&](int64_t piece, int thread) {
    const FlushToZero guard;
    runDocument<Real>(op, documents[pieces.sequence(piece)], {op, pieces, piece}, scratch + thread * bytes);
  });
}

template <typename Real> void runAll(const Step &op, char *scratch) {
  const Pieces pieces(op, op.batch);
  const int64_t bytes = narrowBytes(op);
  parallelFor(pieces.count, [&](int64_t piece, int thread) {
    const FlushToZero guard;
    runStep<Real>(op, pieces.sequence(piece), {op, pieces, piece}, scratch + thread * bytes);
  });
}

} // namespace

// A vector has lanes also for heads that there are not. Chunks were as fast with 16 heads of 16 x 16, 4 of 8 x 8 and 2
// of 4 x 4 (bench/mixers).
bool isNarrow(const Operands &op) {
  const int64_t vectors = (op.heads + lanes - 1) / lanes;
  return op.keyColumns * op.valueColumns * vectors * lanes <= mostNarrow * op.heads;
}

bool canAddUp(const Backward &op) { return op.headsOfPart == 1 || (op.headsOfPart == lanes && isNarrow(op)); }

template <typename Op> int64_t narrowBytes(const Op &op) {
  return op.real == STRETTO_F64 ? memoryOf<double>(op) : memoryOf<float>(op);
}
template <typename Op> void runNarrow(const Op &op, char *scratch) {
  op.real == STRETTO_F64 ? runAll<double>(op, scratch) : runAll<float>(op, scratch);
}
template int64_t narrowBytes(const Forward &);
template int64_t narrowBytes(const Backward &);
template int64_t narrowBytes(const Step &);
template void runNarrow(const Forward &, char *);
template void runNarrow(const Backward &, char *);
template void runNarrow(const Step &, char *);

} // namespace stretto::runtime::mixer
