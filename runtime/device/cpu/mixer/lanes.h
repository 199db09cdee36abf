// Linear mixers by their recurrence, token by token, for heads side by side: each has a lane of a vector.
#pragma once

#include "runtime/device/cpu/tiles/matrix.h"
#include "runtime/device/cpu/vectors.h"

#include <cstdint>

namespace stretto::runtime::mixer {

constexpr int64_t mostVectors = 4;  // whose heads go together
constexpr int64_t mostNarrow = 128; // vectors of their states

// A token, and which of the vectors of heads.
struct Place {
  int64_t token, vector;
};

// A number of each head for each token and column, in vectors side by side. Null data: not given.
template <typename Real> struct Lanes {
  Real *data = nullptr;
  int64_t token = 0, column = 0; // how far those of the next one are
  Real *at(Place place, int64_t c) const { return data + place.token * token + c * column + place.vector * lanes; }
  explicit operator bool() const { return data != nullptr; }
  operator Lanes<const Real>() const { return {data, token, column}; }
};

// The operands of some tokens. States are [vectors][keys][values][lanes].
template <typename Real> struct LaneSteps {
  int64_t tokens = 0, vectors = 1, keys = 0, values = 0;
  Real scale = 1;
  bool before = false; // r reads what there was before the token decays
  Lanes<const Real> q, k, v;
  Lanes<const Real> kept; // exp(decay)
  Lanes<const Real> w;    // what v is multiplied by
  Lanes<const Real> r, p; // what is read from the state, and where that is taken away
  Lanes<const Real> beta; // r is beta * k, p is k and w is beta: their gradients are those of beta and k
};

// Gradients of the operands. Those of w and of the decay may be left out, but not that of a beta. That of k has that of
// p where `p` is not there, as p is k then.
template <typename Real> struct LaneGradients {
  Lanes<Real> q, k, v, decay, w, r, p;
  bool decayIsByHead = false; // one number, not one for each key column
  // Where given, what q and k are to be added up to over the lanes of each vector, [tokens][vectors][keys]; q and k
  // have room for one token then.
  tiles::Matrix<Real> qParts, kParts;
};

#define STRETTO_MIXER_LANES(Real)                                                                                      \
  /* Writes out, unless it is null, and the states behind each token to `history`, unless that is null; leaves the     \
   * last ones in `state`. */                                                                                          \
  void stepLanes(const LaneSteps<Real> &steps, Real *state, Lanes<Real> out, Real *history);                           \
  /* `grad`: of out. `before`: the state before the first token. `dState`: the gradient of the state behind the last   \
   * token, which becomes that of the state before the first. */                                                       \
  void stepLanesBack(const LaneSteps<Real> &steps, Lanes<const Real> grad, const Real *before, const Real *history,    \
                     Real *dState, const LaneGradients<Real> &to);
STRETTO_MIXER_LANES(float)
STRETTO_MIXER_LANES(double)
#undef STRETTO_MIXER_LANES

} // namespace stretto::runtime::mixer
