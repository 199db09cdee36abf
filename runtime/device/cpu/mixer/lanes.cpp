// Each function is compiled once per instruction set, as in rows.cpp. Heads whose state is one number, of which nothing
// is erased, have code of their own, so that states stay in registers.
#include "runtime/device/cpu/mixer/lanes.h"

#include "runtime/device/cpu/tiles/transpose_block.h"

#include <algorithm>

namespace stretto::runtime::mixer {
namespace {

// What a mixer consists of; where it is known to the compiler, so are the loops.
struct Kind {
  int64_t vectors, keys, values;
  bool erases;
  int64_t size() const { return keys * values; }
};
constexpr Kind diagonal = {mostVectors, 1, 1, false};

template <typename Real> Kind kindOf(const LaneSteps<Real> &steps) {
  return {steps.vectors, steps.keys, steps.values, static_cast<bool>(steps.r)};
}
bool isDiagonal(Kind kind) {
  return kind.vectors == diagonal.vectors && kind.keys == 1 && kind.values == 1 && !kind.erases;
}

template <typename Real> STRETTO_INLINE Value<Real> one() { return Value<Real>{} + Real(1); }

template <typename Real> STRETTO_INLINE Value<Real> keptOf(const LaneSteps<Real> &steps, Place at, int64_t d) {
  return steps.kept ? load(steps.kept.at(at, d)) : one<Real>();
}

// read[e] = sum over d of r[d] times the row d of what it reads.
template <typename Real>
STRETTO_INLINE void readState(const LaneSteps<Real> &steps, Kind kind, Place at, const Value<Real> *state,
                              Value<Real> *read) {
  for (int64_t e = 0; e < kind.values; ++e)
    read[e] = Value<Real>{};
  for (int64_t d = 0; d < kind.keys; ++d) {
    Value<Real> factor = load(steps.r.at(at, d));
    if (!steps.before)
      factor *= keptOf(steps, at, d);
    for (int64_t e = 0; e < kind.values; ++e)
      read[e] += factor * state[d * kind.values + e];
  }
}

// u[e], what is written.
template <typename Real>
STRETTO_INLINE void writtenValues(const LaneSteps<Real> &steps, Kind kind, Place at, Value<Real> *u) {
  for (int64_t e = 0; e < kind.values; ++e) {
    u[e] = load(steps.v.at(at, e));
    if (steps.w)
      u[e] *= load(steps.w.at(at, 0));
  }
}

template <typename Real>
STRETTO_INLINE void stepOnce(const LaneSteps<Real> &steps, Kind kind, Place at, Value<Real> *state) {
  Value<Real> u[mostNarrow], read[mostNarrow];
  writtenValues(steps, kind, at, u);
  if (kind.erases)
    readState(steps, kind, at, state, read);
  for (int64_t d = 0; d < kind.keys; ++d) {
    const Value<Real> kept = keptOf(steps, at, d), k = load(steps.k.at(at, d));
    const Value<Real> p = kind.erases ? load(steps.p.at(at, d)) : k;
    for (int64_t e = 0; e < kind.values; ++e) {
      Value<Real> &number = state[d * kind.values + e];
      number = kept * number + k * u[e];
      if (kind.erases)
        number -= p * read[e];
    }
  }
}

template <typename Real>
STRETTO_INLINE void writeOut(const LaneSteps<Real> &steps, Kind kind, Place at, const Value<Real> *state,
                             Lanes<Real> out) {
  for (int64_t e = 0; e < kind.values; ++e) {
    Value<Real> sum = {};
    for (int64_t d = 0; d < kind.keys; ++d)
      sum += load(steps.q.at(at, d)) * state[d * kind.values + e];
    store(out.at(at, e), sum * steps.scale);
  }
}

template <typename Real> STRETTO_INLINE void loadAll(const Real *from, int64_t count, Value<Real> *to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = load(from + i * lanes);
}
template <typename Real> STRETTO_INLINE void storeAll(const Value<Real> *from, int64_t count, Real *to) {
  for (int64_t i = 0; i < count; ++i)
    store(to + i * lanes, from[i]);
}

template <typename Real>
STRETTO_INLINE void forward(const LaneSteps<Real> &steps, Kind kind, Real *stateAt, Lanes<Real> out, Real *history) {
  const int64_t size = kind.size(), all = kind.vectors * size;
  Value<Real> states[mostNarrow];
  loadAll(stateAt, all, states);
  for (int64_t t = 0; t < steps.tokens; ++t) {
#pragma GCC unroll 4
    for (int64_t i = 0; i < kind.vectors; ++i) {
      stepOnce(steps, kind, {t, i}, states + i * size);
      if (out)
        writeOut(steps, kind, {t, i}, states + i * size, out);
    }
    if (history)
      storeAll(states, all, history + t * all * lanes);
  }
  storeAll(states, all, stateAt);
}

// out[d]: the sum over the lanes of column d, eight columns at a time.
template <typename Real>
STRETTO_INLINE void sumColumns(int64_t count, const Real *from, int64_t apart, Real *out) {
  typename tiles::Eight<Real>::Value halves[2], rows[8] = {};
  for (int64_t d = 0; d < count; ++d) {
    std::memcpy(halves, from + d * apart, sizeof(halves));
    rows[d] = halves[0] + halves[1];
  }
  const auto sums = tiles::sumsOfRows<Real>(rows);
  std::memcpy(out, &sums, count * sizeof(Real));
}
template <typename Real> STRETTO_INLINE void sumLanes(int64_t count, const Real *from, int64_t apart, Real *out) {
  int64_t d = 0;
  for (; d + 8 <= count; d += 8)
    sumColumns(8, from + d * apart, apart, out + d);
  if (d < count)
    sumColumns(count - d, from + d * apart, apart, out + d);
}

// The gradients of one token. The names of values are those of the operands; dState is that of the state behind it at
// first and before it at last.
template <typename Real> struct TokenGradient {
  const LaneSteps<Real> &steps;
  const Kind kind;
  const Place at;
  const LaneGradients<Real> &to;
  Value<Real> *dState;
  Value<Real> u[mostNarrow], du[mostNarrow], read[mostNarrow], dRead[mostNarrow]; // not set before they are needed

  STRETTO_INLINE TokenGradient(const LaneSteps<Real> &steps, Kind kind, Place at, const LaneGradients<Real> &to,
                               Value<Real> *dState)
      : steps(steps), kind(kind), at(at), to(to), dState(dState) {}

  STRETTO_INLINE Value<Real> &dNumber(int64_t d, int64_t e) const { return dState[d * kind.values + e]; }

  STRETTO_INLINE void ofOut(Lanes<const Real> grad, const Real *behind) {
    for (int64_t d = 0; d < kind.keys; ++d) {
      const Value<Real> q = load(steps.q.at(at, d));
      Value<Real> dq = {};
      for (int64_t e = 0; e < kind.values; ++e) {
        const Value<Real> g = load(grad.at(at, e)) * steps.scale;
        dq += load(behind + (d * kind.values + e) * lanes) * g;
        dNumber(d, e) += q * g;
      }
      store(to.q.at(at, d), dq);
    }
  }

  // What is written: dk, and du[e].
  STRETTO_INLINE void ofWritten() {
    writtenValues(steps, kind, at, u);
    for (int64_t e = 0; e < kind.values; ++e)
      du[e] = Value<Real>{};
    for (int64_t d = 0; d < kind.keys; ++d) {
      const Value<Real> k = load(steps.k.at(at, d));
      Value<Real> dk = {};
      for (int64_t e = 0; e < kind.values; ++e) {
        dk += dNumber(d, e) * u[e];
        du[e] += dNumber(d, e) * k;
      }
      store(to.k.at(at, d), dk);
    }
  }

  STRETTO_INLINE void ofValues() {
    Value<Real> dw = {};
    for (int64_t e = 0; e < kind.values; ++e) {
      dw += load(steps.v.at(at, e)) * du[e];
      store(to.v.at(at, e), steps.w ? load(steps.w.at(at, 0)) * du[e] : du[e]);
    }
    if (to.w)
      store(to.w.at(at, 0), dw);
  }

  // What is erased: dp and dRead[e].
  STRETTO_INLINE void ofErased(const Value<Real> *before) {
    readState(steps, kind, at, before, read);
    for (int64_t e = 0; e < kind.values; ++e)
      dRead[e] = Value<Real>{};
    for (int64_t d = 0; d < kind.keys; ++d) {
      const Value<Real> p = load(steps.p.at(at, d));
      Value<Real> dp = {};
      for (int64_t e = 0; e < kind.values; ++e) {
        dp -= dNumber(d, e) * read[e];
        dRead[e] -= dNumber(d, e) * p;
      }
      if (to.p)
        store(to.p.at(at, d), dp);
      else
        store(to.k.at(at, d), load(to.k.at(at, d)) + dp);
    }
    ofReader(before);
  }

  STRETTO_INLINE void ofReader(const Value<Real> *before) {
    Value<Real> dBeta = {};
    for (int64_t d = 0; d < kind.keys; ++d) {
      const Value<Real> factor = steps.before ? one<Real>() : keptOf(steps, at, d);
      Value<Real> dr = {};
      for (int64_t e = 0; e < kind.values; ++e)
        dr += factor * before[d * kind.values + e] * dRead[e];
      if (steps.beta) {
        store(to.k.at(at, d), load(to.k.at(at, d)) + load(steps.beta.at(at, 0)) * dr);
        dBeta += load(steps.k.at(at, d)) * dr;
      } else {
        store(to.r.at(at, d), dr);
      }
    }
    if (steps.beta)
      store(to.w.at(at, 0), load(to.w.at(at, 0)) + dBeta);
  }

  // The gradient of the state before, and of the decay.
  STRETTO_INLINE void ofDecay(const Value<Real> *before) {
    Value<Real> ofHead = {};
    for (int64_t d = 0; d < kind.keys; ++d) {
      const Value<Real> kept = keptOf(steps, at, d), r = kind.erases ? load(steps.r.at(at, d)) : kept;
      Value<Real> ofColumn = {};
      for (int64_t e = 0; e < kind.values; ++e) {
        Value<Real> &dNumber = this->dNumber(d, e);
        if (kind.erases && !steps.before)
          dNumber += r * dRead[e];
        ofColumn += before[d * kind.values + e] * dNumber;
        dNumber *= kept;
        if (kind.erases && steps.before)
          dNumber += r * dRead[e];
      }
      ofHead += ofColumn * kept;
      if (to.decay && !to.decayIsByHead)
        store(to.decay.at(at, d), ofColumn * kept);
    }
    if (to.decay && to.decayIsByHead)
      store(to.decay.at(at, 0), ofHead);
  }
};

// Of q or k at one token. Vectors with one column each are added up side by side.
template <typename Real>
STRETTO_INLINE void addUp(Kind kind, int64_t token, Lanes<Real> ofHeads, tiles::Matrix<Real> parts) {
  if (!parts.data)
    return;
  if (kind.keys == 1)
    return sumLanes(kind.vectors, ofHeads.data, lanes, parts.row(token));
  for (int64_t i = 0; i < kind.vectors; ++i)
    sumLanes(kind.keys, ofHeads.at({token, i}, 0), ofHeads.column, parts.row(token) + i * kind.keys);
}

// Asks for memory some tokens ahead of where it is first used: processors do not foresee rows from last to first.
template <typename Real>
STRETTO_INLINE void bringNear(const LaneSteps<Real> &steps, Lanes<const Real> grad, const LaneGradients<Real> &to,
                              Place at) {
  const Place ahead = {at.token - 4, at.vector};
  for (Lanes<const Real> rows : {grad, steps.q})
    __builtin_prefetch(rows.at(ahead, 0));
  for (Lanes<Real> rows : {to.q, to.k, to.v, to.decay})
    if (rows)
      __builtin_prefetch(rows.at(ahead, 0), 1);
}

template <typename Real>
STRETTO_INLINE void backward(const LaneSteps<Real> &steps, Kind kind, Lanes<const Real> grad, const Real *first,
                             const Real *history, Real *dStateAt, const LaneGradients<Real> &to) {
  const int64_t size = kind.size(), all = kind.vectors * size;
  Value<Real> dStates[mostNarrow], before[mostNarrow];
  loadAll(dStateAt, all, dStates);
  for (int64_t t = steps.tokens - 1; t >= 0; --t) {
    const Real *behind = history + t * all * lanes, *source = t ? behind - all * lanes : first;
#pragma GCC unroll 4
    for (int64_t i = 0; i < kind.vectors; ++i) {
      bringNear(steps, grad, to, {t, i});
      TokenGradient<Real> token(steps, kind, {t, i}, to, dStates + i * size);
      loadAll(source + i * size * lanes, size, before);
      token.ofOut(grad, behind + i * size * lanes);
      token.ofWritten();
      token.ofValues();
      if (kind.erases)
        token.ofErased(before);
      token.ofDecay(before);
    }
    addUp(kind, t, to.q, to.qParts);
    addUp(kind, t, to.k, to.kParts);
  }
  storeAll(dStates, all, dStateAt);
}

} // namespace

#define STRETTO_MIXER_LANES(Real)                                                                                      \
  STRETTO_CLONES void stepLanes(const LaneSteps<Real> &steps, Real *state, Lanes<Real> out, Real *history) {           \
    const Kind kind = kindOf(steps);                                                                                   \
    if (isDiagonal(kind))                                                                                              \
      forward(steps, diagonal, state, out, history);                                                                   \
    else                                                                                                               \
      forward(steps, kind, state, out, history);                                                                       \
  }                                                                                                                    \
  STRETTO_CLONES void stepLanesBack(const LaneSteps<Real> &steps, Lanes<const Real> grad, const Real *before,          \
                                    const Real *history, Real *dState, const LaneGradients<Real> &to) {                \
    const Kind kind = kindOf(steps);                                                                                   \
    if (isDiagonal(kind))                                                                                              \
      backward(steps, diagonal, grad, before, history, dState, to);                                                    \
    else                                                                                                               \
      backward(steps, kind, grad, before, history, dState, to);                                                        \
  }
STRETTO_MIXER_LANES(float)
STRETTO_MIXER_LANES(double)

} // namespace stretto::runtime::mixer
