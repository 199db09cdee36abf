// Linear mixers over LibTorch's tensors: all chunks of a segment at once, but for the state, which goes from chunk to
// chunk. The chunk form and its derivative are those of Yang et al., arXiv 2406.06484 (delta rule) and 2312.06635
// (decay by channel), and of Dao and Gu, arXiv 2405.21060 (decay by head). No exponential is of a positive number.
//
// Where a mixer writes back along another direction than it erases (erase_write), each token is two rows: one erases,
// decays and writes nothing, the next writes and erases nothing; with that, all mixers are S' = decayed S + k u^T,
// u = w v - (what r reads).
#include "runtime/library/mixer_tensors.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <algorithm>
#include <limits>
#include <vector>

namespace stretto::runtime {
namespace {

using at::Tensor;

constexpr int64_t rowsByHead = 64, rowsByChannel = 16; // of a chunk
constexpr int64_t pairNumbers = int64_t{1} << 24;      // so many numbers at a time for pairs by channel

struct Form {
  explicit Form(const MixerTensors &mixer)
      : batch(mixer.q.size(0)), length(mixer.q.size(1)), heads(mixer.heads), keys(mixer.q.size(2) / mixer.keyHeads),
        values(mixer.v.size(2) / heads), real(mixer.q.scalar_type() == at::kDouble ? at::kDouble : at::kFloat),
        erases(mixer.beta.defined() || mixer.erase.defined()),
        byChannel(mixer.decay.defined() && mixer.decay.size(-1) != heads),
        rowsPerToken(mixer.eraseWrite.defined() ? 2 : 1), rows(byChannel ? rowsByChannel : rowsByHead),
        tokens(rows / rowsPerToken) {}
  int64_t batch, length, heads, keys, values; // keys and values: columns of a head
  at::ScalarType real;
  bool erases, byChannel;
  int64_t rowsPerToken, rows, tokens; // rows and tokens: of a chunk
};

//===- Rows of chunks: the last dimension but one ------------------------------===//

// Each row in the place of the one before it, or behind it; zeros where none comes.
Tensor raised(const Tensor &x) { return at::constant_pad_nd(x.slice(-2, 1), {0, 0, 0, 1}); }
Tensor lowered(const Tensor &x) { return at::constant_pad_nd(x.slice(-2, 0, -1), {0, 0, 1, 0}); }

// Sums up to each entry; in f64 where there is one number for all channels.
Tensor sums(const Tensor &x, int64_t dimension) {
  return x.size(-1) == 1 ? x.cumsum(dimension, at::kDouble) : x.cumsum(dimension);
}
Tensor sumsBackwards(const Tensor &x) { return sums(x.flip(-2), -2).flip(-2); }

// What is undefined is 1.
Tensor times(const Tensor &a, const Tensor &b) { return !a.defined() ? b : b.defined() ? a * b : a; }

//===- Pairs of rows -----------------------------------------------------------===//

// What a row sees of an earlier one: [..., rows, rows], or [..., rows, rows, keys] for decay by channel.
struct Factors {
  Tensor ofRead, ofErase;
};

bool isByChannel(const Tensor &factors, const Tensor &x) { return factors.dim() > x.dim(); }

// Inner products of rows and keys: pairs[i, j] = sum of rows[i] * keys[j] * factors[i, j]
Tensor pairsOf(const Tensor &rows, const Tensor &keys, const Tensor &factors) {
  if (isByChannel(factors, rows))
    return (factors * keys.unsqueeze(-3)).matmul(rows.unsqueeze(-1)).squeeze(-1);
  return rows.matmul(keys.mT()) * factors;
}

// From gradients of pairs, those of their rows ...
Tensor rowGradient(const Tensor &pairs, const Tensor &keys, const Tensor &factors) {
  if (isByChannel(factors, pairs))
    return pairs.unsqueeze(-2).matmul(factors * keys.unsqueeze(-3)).squeeze(-2);
  return (pairs * factors).matmul(keys);
}

// ... and of their keys.
Tensor keyGradient(const Tensor &pairs, const Tensor &rows, const Tensor &factors) {
  if (isByChannel(factors, pairs))
    return (pairs.unsqueeze(-1) * rows.unsqueeze(-2) * factors).sum(-3);
  return (pairs * factors).mT().matmul(rows);
}

//===- The chunks of a segment -------------------------------------------------===//

// [batch, heads, chunks, rows, columns]; undefined where a mixer has nothing of the kind.
struct Chunks {
  int64_t count = 0;
  Tensor q, k, r;
  Tensor v, w;  // a row for each token; w, [..., 1]: what v is multiplied by
  Tensor decay; // [..., keys], or one number for all
  Tensor same;  // [..., rows, rows]: 1 for rows of one document
  // What a row has of the state before the chunk, and the state behind it of a key; in one row: of the state before it.
  Tensor fromBegin, rFromBegin, toEnd, whole;
  Tensor qDecayed, rDecayed, kRest; // q, r and k times that
  Tensor a, m;                      // pairs of q and k, and of r and k, [..., rows, rows]
  Tensor written, erased;           // u = written - erased S
};

struct RowGradients {
  Tensor q, k, r;
};

class Mixer {
public:
  explicit Mixer(const MixerTensors &in) : form(in), in(in) {
    if (!in.positions.defined())
      return;
    const Tensor starts = at::arange(form.length, in.positions.options()) - in.positions;
    documents = at::constant_pad_nd(starts, {1, 0});
  }

  // What can be had of these tokens without the state before them.
  Chunks read(int64_t begin, int64_t end) const {
    Chunks chunks;
    load(chunks, begin, end);
    if (documents.defined())
      separate(chunks, begin, end);
    decay(chunks);
    addPairs(chunks);
    solve(chunks);
    return chunks;
  }

  // The rows of some tokens, [batch, heads, chunks, tokens, columns], with zeros behind the last one.
  Tensor rowsOf(const Tensor &x, int64_t heads, int64_t begin, int64_t end) const {
    const Tensor tokens = x.dim() == 1 ? x.expand({form.batch, form.length, x.size(0)}) : x;
    const int64_t count = chunksOf(end - begin);
    return at::constant_pad_nd(tokens.slice(1, begin, end), {0, 0, 0, count * form.tokens - (end - begin)})
        .to(form.real)
        .reshape({form.batch, count, form.tokens, heads, x.size(-1) / heads})
        .permute({0, 3, 1, 2, 4})
        .contiguous();
  }

  // Rows of chunks from those of tokens: `second` behind `first`, where a token has two; else what is defined.
  Tensor interleave(const Tensor &first, const Tensor &second) const {
    if (form.rowsPerToken == 1)
      return second.defined() ? second : first;
    return at::stack(
               {first.defined() ? first : at::zeros_like(second), second.defined() ? second : at::zeros_like(first)},
               -2)
        .flatten(-3, -2);
  }
  // The first or the last row of each token.
  Tensor firstRows(const Tensor &x) const { return x.slice(-2, 0, std::nullopt, form.rowsPerToken); }
  Tensor lastRows(const Tensor &x) const { return x.slice(-2, form.rowsPerToken - 1, std::nullopt, form.rowsPerToken); }

  // Writes rows of tokens where they belong, unless nobody wants them.
  void put(const Tensor &to, const Tensor &rows, int64_t begin, int64_t end) const {
    if (to.defined())
      to.slice(1, begin, end).copy_(rows.permute({0, 2, 3, 1, 4}).flatten(3).flatten(1, 2).slice(1, 0, end - begin));
  }

  // What follows for the rows from the gradients of pairs that lie strictly below the diagonal.
  RowGradients pairGradients(const Chunks &chunks, const Tensor &da, const Tensor &dm) const {
    std::vector<Tensor> dq, dk, dr;
    inParts(chunks, [&](auto part, const Factors &factors) {
      const Tensor k = part(chunks.k);
      dq.push_back(rowGradient(part(da), k, factors.ofRead));
      dk.push_back(keyGradient(part(da), part(chunks.q), factors.ofRead));
      if (form.erases) {
        dk.back() += keyGradient(part(dm), part(chunks.r), factors.ofErase);
        dr.push_back(rowGradient(part(dm), k, factors.ofErase));
      }
    });
    return {at::cat(dq, 2), at::cat(dk, 2), form.erases ? at::cat(dr, 2) : Tensor()};
  }

  const Form form;
  const MixerTensors &in;

private:
  int64_t chunksOf(int64_t tokens) const { return (tokens + form.tokens - 1) / form.tokens; }

  Tensor keysOf(const Tensor &x, int64_t begin, int64_t end) const {
    const Tensor keys = rowsOf(x, in.keyHeads, begin, end);
    const int64_t group = form.heads / in.keyHeads;
    return group == 1 ? keys : keys.unsqueeze(2).expand({-1, -1, group, -1, -1, -1}).flatten(1, 2);
  }

  void load(Chunks &chunks, int64_t begin, int64_t end) const {
    auto own = [&](const Tensor &x) { return x.defined() ? rowsOf(x, form.heads, begin, end) : x; };
    const Tensor q = keysOf(in.q, begin, end), k = keysOf(in.k, begin, end);
    chunks.count = q.size(2);
    chunks.v = own(in.v);
    chunks.w = own(in.beta.defined() ? in.beta : in.write);
    chunks.q = interleave({}, q);
    chunks.k = interleave(own(in.eraseWrite), k);
    if (form.erases)
      chunks.r = interleave(in.beta.defined() ? chunks.w * k : own(in.erase), {});
    if (in.decay.defined())
      chunks.decay = interleave(own(in.decay), {});
    chunks.written = interleave({}, times(chunks.v, chunks.w));
  }

  // Documents go by the number of their first token. Behind the last token of a sequence the state is of no use, so
  // that it may be anything there.
  void separate(Chunks &chunks, int64_t begin, int64_t end) const {
    const int64_t count = chunks.count, missing = count * form.tokens - (end - begin);
    const Tensor ofTokens = at::constant_pad_nd(documents.slice(1, begin + 1, end + 1), {0, missing});
    const Tensor ofRows =
        ofTokens.unsqueeze(-1).expand({-1, -1, form.rowsPerToken}).reshape({form.batch, 1, count, form.rows, 1});
    const Tensor before = documents.slice(1, begin, end, form.tokens).reshape({form.batch, 1, count, 1, 1});
    const Tensor last = ofRows.slice(-2, -1);
    chunks.same = ofRows.eq(ofRows.mT()).to(form.real);
    chunks.fromBegin = chunks.rFromBegin = ofRows.eq(before).to(form.real);
    chunks.toEnd = ofRows.eq(last).to(form.real);
    chunks.whole = before.eq(last).to(form.real);
  }

  void decay(Chunks &chunks) const {
    if (in.decay.defined()) {
      auto factors = [&](const Tensor &logarithms) { return logarithms.to(form.real).exp(); };
      const Tensor fromBegin = factors(sums(chunks.decay, -2));
      chunks.fromBegin = times(fromBegin, chunks.fromBegin);
      chunks.rFromBegin =
          times(in.readsBefore ? factors(sums(lowered(chunks.decay), -2)) : fromBegin, chunks.rFromBegin);
      chunks.toEnd = times(factors(sumsBackwards(raised(chunks.decay))), chunks.toEnd);
      chunks.whole = times(fromBegin.slice(-2, -1), chunks.whole);
    }
    chunks.qDecayed = times(chunks.q, chunks.fromBegin);
    chunks.kRest = times(chunks.k, chunks.toEnd);
    if (form.erases)
      chunks.rDecayed = times(chunks.r, chunks.rFromBegin);
  }

  void addPairs(Chunks &chunks) const {
    std::vector<Tensor> a, m;
    inParts(chunks, [&](auto part, const Factors &factors) {
      a.push_back(pairsOf(part(chunks.q), part(chunks.k), factors.ofRead));
      if (form.erases)
        m.push_back(pairsOf(part(chunks.r), part(chunks.k), factors.ofErase).tril(-1));
    });
    chunks.a = at::cat(a, 2);
    if (form.erases)
      chunks.m = at::cat(m, 2);
  }

  // (I + m) u = w v - rDecayed S
  void solve(Chunks &chunks) const {
    if (!form.erases)
      return;
    const std::vector<Tensor> solved =
        at::linalg_solve_triangular(chunks.m, at::cat({chunks.written, chunks.rDecayed}, -1), /*upper=*/false,
                                    /*left=*/true, /*unitriangular=*/true)
            .split_with_sizes({form.values, form.keys}, -1);
    chunks.written = solved[0];
    chunks.erased = solved[1];
  }

  // Calls work(part, factors), where `part` takes what belongs to the factors, for a few chunks at a time.
  template <typename Work> void inParts(const Chunks &chunks, const Work &work) const {
    const int64_t ofChunk = form.batch * form.heads * form.rows * form.rows * form.keys;
    const int64_t step = form.byChannel ? std::max<int64_t>(1, pairNumbers / ofChunk) : chunks.count;
    for (int64_t begin = 0; begin < chunks.count; begin += step) {
      auto part = [&](const Tensor &x) { return x.defined() ? x.slice(2, begin, begin + step) : x; };
      work(part, factorsOf(part(chunks.decay), part(chunks.same)));
    }
  }

  Factors factorsOf(const Tensor &decay, const Tensor &same) const {
    const auto onDevice = in.q.options();
    const Tensor lower = at::ones({form.rows, form.rows}, onDevice.dtype(at::kBool)).tril();
    Tensor ofRead = decay.defined() ? decayFactors(decay, lower) : lower.to(form.real);
    Tensor ofErase = !form.erases || !in.readsBefore ? ofRead
                     : form.byChannel                ? at::constant_pad_nd(ofRead.slice(-3, 0, -1), {0, 0, 0, 0, 1, 0})
                                                     : lowered(ofRead);
    if (!same.defined())
      return {ofRead, ofErase};
    const Tensor mask = form.byChannel ? same.unsqueeze(-1) : same;
    return {ofRead * mask, ofErase * mask};
  }

  // exp of the sums of decay over the rows behind j up to i. They are summed anew for each j, since differences of sums
  // are inexact where decay is strong.
  Tensor decayFactors(const Tensor &decay, const Tensor &lower) const {
    const Tensor behind = decay.unsqueeze(-2).masked_fill(lower.mT().unsqueeze(-1), 0);
    const Tensor factors = sums(behind, -3)
                               .to(form.real)
                               .masked_fill(lower.logical_not().unsqueeze(-1), -std::numeric_limits<double>::infinity())
                               .exp();
    return form.byChannel ? factors : factors.squeeze(-1);
  }

  Tensor documents; // [batch, length + 1]: those of the token before each, with 0 in front
};

//===- The state ---------------------------------------------------------------===//

// Of each chunk: the state before it, [..., keys, values], and u.
struct Walk {
  Tensor before, u;
};

// Goes over the chunks of a segment; `state` becomes that behind them.
Walk walk(const Chunks &chunks, Tensor &state) {
  std::vector<Tensor> before, u;
  for (int64_t i = 0; i < chunks.count; ++i) {
    auto chunk = [&](const Tensor &x) { return x.defined() ? x.select(2, i) : x; };
    before.push_back(state);
    u.push_back(chunks.erased.defined() ? chunk(chunks.written) - chunk(chunks.erased).matmul(state)
                                        : chunk(chunks.written));
    const Tensor whole = chunk(chunks.whole);
    state = times(state, whole.defined() ? whole.mT() : whole) + chunk(chunks.kRest).mT().matmul(u.back());
  }
  return {at::stack(before, 2), at::stack(u, 2)};
}

// Of each chunk: the gradient of the state behind it, and of u.
struct BackwardWalk {
  Tensor dAfter, du;
};

// Goes back over the chunks, where `grad` is the gradient of the output, times the scale; `dState` becomes that of the
// state before them.
BackwardWalk walkBack(const Chunks &chunks, const Tensor &grad, Tensor &dState) {
  const Tensor duOfOut = chunks.a.mT().matmul(grad), dStateOfOut = chunks.qDecayed.mT().matmul(grad);
  std::vector<Tensor> dAfter(chunks.count), du(chunks.count);
  for (int64_t i = chunks.count - 1; i >= 0; --i) {
    auto chunk = [&](const Tensor &x) { return x.defined() ? x.select(2, i) : x; };
    dAfter[i] = dState;
    du[i] = chunk(duOfOut) + chunk(chunks.kRest).matmul(dState);
    const Tensor whole = chunk(chunks.whole);
    dState = times(dState, whole.defined() ? whole.mT() : whole) + chunk(dStateOfOut);
    if (chunks.erased.defined())
      dState -= chunk(chunks.erased).mT().matmul(du[i]);
  }
  return {at::stack(dAfter, 2), at::stack(du, 2)};
}

//===- Gradients ---------------------------------------------------------------===//

class BackwardPass {
public:
  BackwardPass(const Mixer &mixer, const MixerGradients &to) : mixer(mixer), form(mixer.form), in(mixer.in), to(to) {}

  void run(int64_t begin, int64_t end, Tensor state, const Tensor &dOut, Tensor &dState) const {
    const Chunks chunks = mixer.read(begin, end);
    const Walk states = walk(chunks, state);
    const Tensor ofTokens = mixer.rowsOf(dOut, form.heads, begin, end) * in.scale,
                 grad = mixer.interleave({}, ofTokens);
    const BackwardWalk backward = walkBack(chunks, grad, dState);
    const Tensor dWritten = !form.erases ? backward.du
                                         : at::linalg_solve_triangular(chunks.m.mT(), backward.du, /*upper=*/true,
                                                                       /*left=*/true, /*unitriangular=*/true);
    const Tensor da = grad.matmul(states.u.mT());
    const Tensor dm = form.erases ? dWritten.matmul(states.u.mT()).tril(-1).neg() : Tensor();
    const RowGradients byState = stateGradients(chunks, states, backward, grad, dWritten);
    const RowGradients byPairs = mixer.pairGradients(chunks, da.tril(-1), dm);
    if (to.dDecay.defined())
      mixer.put(to.dDecay, mixer.firstRows(decayGradient(chunks, states, backward, byState, byPairs, da, dm)), begin,
                end);
    const Tensor ofItself = da.diagonal(0, -2, -1).unsqueeze(-1); // pairs of a row with itself
    store({byState.q + byPairs.q + ofItself * chunks.k, byState.k + byPairs.k + ofItself * chunks.q,
           form.erases ? byState.r + byPairs.r : Tensor()},
          dWritten, chunks, begin, end);
  }

private:
  // What comes by the states before and behind the chunks.
  RowGradients stateGradients(const Chunks &chunks, const Walk &states, const BackwardWalk &backward,
                              const Tensor &grad, const Tensor &dWritten) const {
    const Tensor before = states.before.mT();
    return {times(grad.matmul(before), chunks.fromBegin), times(states.u.matmul(backward.dAfter.mT()), chunks.toEnd),
            form.erases ? times(dWritten.matmul(before), chunks.rFromBegin).neg() : Tensor()};
  }

  // Pairs of a row with itself do not decay; they are left out, since they would only have to cancel.
  Tensor decayGradient(const Chunks &chunks, const Walk &states, const BackwardWalk &backward,
                       const RowGradients &byState, const RowGradients &byPairs, const Tensor &da,
                       const Tensor &dm) const {
    auto ofGate = [&](const Tensor &x) { return form.byChannel ? x : x.sum(-1, true); };
    const Tensor ofKeys = ofGate(chunks.k * byState.k);
    const Tensor ofWhole = ofGate((states.before * backward.dAfter).sum(-1).unsqueeze(-2)) * chunks.whole;
    Tensor ofGates = ofGate(chunks.q * byState.q) - ofKeys, ofErase;
    if (form.byChannel) {
      ofGates += chunks.q * byPairs.q - chunks.k * byPairs.k;
    } else {
      const Tensor pairs = (da * chunks.a).tril(-1);
      ofGates += pairs.sum(-1, true) - pairs.sum(-2).unsqueeze(-1);
    }
    if (form.erases) {
      ofErase = ofGate(chunks.r * byState.r);
      if (form.byChannel) {
        ofErase += chunks.r * byPairs.r;
      } else {
        const Tensor pairs = dm * chunks.m;
        ofErase += pairs.sum(-1, true);
        ofGates -= pairs.sum(-2).unsqueeze(-1);
      }
      ofGates += in.readsBefore ? raised(ofErase) : ofErase;
    }
    return sumsBackwards(ofGates) + ofWhole + ofKeys.sum(-2, true);
  }

  // The heads of each part that `to` has are added up.
  Tensor partsOf(const Tensor &keys, const Tensor &to) const {
    const int64_t parts = to.defined() ? to.size(-1) / form.keys : form.heads;
    return parts == form.heads ? keys : keys.unflatten(1, {parts, -1}).sum(2);
  }

  void store(RowGradients rows, const Tensor &dWritten, const Chunks &chunks, int64_t begin, int64_t end) const {
    auto put = [&](const Tensor &where, const Tensor &what) { mixer.put(where, what, begin, end); };
    const Tensor ofValues = mixer.lastRows(dWritten);
    put(to.dv, times(ofValues, chunks.w));
    if (to.dWrite.defined())
      put(to.dWrite, (chunks.v * ofValues).sum(-1, true));
    if (in.beta.defined()) {
      if (to.dBeta.defined())
        put(to.dBeta, (chunks.v * ofValues).sum(-1, true) + (chunks.k * rows.r).sum(-1, true));
      rows.k += chunks.w * rows.r;
    }
    put(to.dq, partsOf(mixer.lastRows(rows.q), to.dq));
    put(to.dk, partsOf(mixer.lastRows(rows.k), to.dk));
    if (in.erase.defined())
      put(to.dErase, mixer.firstRows(rows.r));
    put(to.dEraseWrite, mixer.firstRows(rows.k));
  }

  const Mixer &mixer;
  const Form &form;
  const MixerTensors &in;
  const MixerGradients &to;
};

//===- One token ---------------------------------------------------------------===//

// One row of each sequence, [batch, heads, columns].
class StepRow {
public:
  StepRow(const MixerTensors &in, const Form &form, int64_t number) : in(in), form(form), number(number) {}

  // The state behind the row.
  Tensor advance(const Tensor &state) const {
    const Tensor k = keysOf(in.k), w = own(in.beta.defined() ? in.beta : in.write), decay = own(in.decay);
    const Tensor decayed = decay.defined() ? state * decay.exp().unsqueeze(-1) : state;
    const Tensor written = times(own(in.v), w).unsqueeze(-2), key = k.unsqueeze(-1);
    if (!form.erases)
      return decayed + key * written;
    const Tensor r = in.beta.defined() ? w * k : own(in.erase);
    const Tensor erased = r.unsqueeze(-2).matmul(in.readsBefore ? state : decayed);
    if (!in.eraseWrite.defined())
      return decayed + key * (written - erased);
    return decayed + key * written - own(in.eraseWrite).unsqueeze(-1) * erased;
  }

  // [batch, heads, 1, columns]
  Tensor read(const Tensor &state) const { return keysOf(in.q).unsqueeze(-2).matmul(state) * in.scale; }

private:
  Tensor own(const Tensor &x) const { return x.defined() ? rowOf(x, form.heads) : x; }
  Tensor keysOf(const Tensor &x) const {
    return rowOf(x, in.keyHeads)
        .unsqueeze(2)
        .expand({-1, -1, form.heads / in.keyHeads, -1})
        .reshape({form.batch, form.heads, form.keys});
  }
  Tensor rowOf(const Tensor &x, int64_t heads) const {
    const Tensor row = x.dim() == 1 ? x.expand({form.batch, x.size(0)}) : x.select(1, number);
    return row.to(form.real).reshape({form.batch, heads, x.size(-1) / heads});
  }

  const MixerTensors &in;
  const Form &form;
  const int64_t number;
};

} // namespace

void mixerForward(const MixerTensors &in, int64_t segment, const Tensor &out, const Tensor &states) {
  const Mixer mixer(in);
  const Form &form = mixer.form;
  Tensor state = at::zeros({form.batch, form.heads, form.keys, form.values}, in.q.options().dtype(form.real));
  for (int64_t begin = 0, end; begin < form.length; begin = end) {
    end = std::min(form.length, begin + segment);
    if (states.defined()) {
      const Tensor to = states.select(2, begin / segment);
      to.copy_(state.reshape(to.sizes()));
      if (in.positions.defined()) // nothing reads it there
        to.masked_fill_(in.positions.select(1, begin).eq(0).reshape({form.batch, 1, 1}), 0);
    }
    const Chunks chunks = mixer.read(begin, end);
    const Walk walked = walk(chunks, state);
    const Tensor rows = chunks.qDecayed.matmul(walked.before) + chunks.a.matmul(walked.u);
    mixer.put(out, mixer.lastRows(rows) * in.scale, begin, end);
  }
}

void mixerBackward(const MixerTensors &in, int64_t segment, const Tensor &states, const Tensor &grad,
                   const MixerGradients &to) {
  const Mixer mixer(in);
  const Form &form = mixer.form;
  const std::vector<int64_t> shape{form.batch, form.heads, form.keys, form.values};
  const BackwardPass backward(mixer, to);
  Tensor dState = at::zeros(shape, in.q.options().dtype(form.real));
  for (int64_t number = (form.length + segment - 1) / segment - 1; number >= 0; --number) {
    const int64_t begin = number * segment, end = std::min(form.length, begin + segment);
    backward.run(begin, end, states.select(2, number).reshape(shape), grad, dState);
  }
}

void mixerStep(const MixerTensors &in, const Tensor &positions, const Tensor &counts, const Tensor &state,
               const Tensor &out) {
  const Form form(in);
  auto ofSequences = [&](const Tensor &flags) { return flags.reshape({form.batch, 1, 1, 1}); };
  Tensor current = state.reshape({form.batch, form.heads, form.keys, form.values})
                       .masked_fill(ofSequences(positions.select(1, 0).eq(0).logical_and(counts.gt(0))), 0);
  for (int64_t number = 0; number < form.length; ++number) {
    const StepRow row(in, form, number);
    const Tensor next = row.advance(current), isValid = ofSequences(counts.gt(number));
    out.select(1, number).copy_(row.read(next).masked_fill(isValid.logical_not(), 0).flatten(1));
    current = at::where(isValid, next, current);
  }
  state.copy_(current.reshape(state.sizes()));
}

} // namespace stretto::runtime
