// Vectors as wide as the CPU has; each function is compiled once per instruction set.
#include "runtime/device/cpu/softmax_rows.h"

#include "runtime/device/cpu/vectors.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace stretto::runtime {
namespace {

static_assert(lanes == rowMultiple);

template <typename Real> STRETTO_INLINE void fill(Real *row, int64_t begin, int64_t end, Real value) {
  for (int64_t j = begin; j < end; ++j)
    row[j] = value;
}

STRETTO_INLINE int64_t padded(int64_t count) { return (count + lanes - 1) / lanes * lanes; }

template <typename Real> STRETTO_INLINE void cap(Real *scores, SeenKeys seen, Real most) {
  for (int64_t j = 0; j < seen.end; j += lanes)
    store(scores + j, most * hyperbolicTangent<Real>(load(scores + j) * (1 / most)));
}

template <typename Real>
STRETTO_INLINE void capGrad(Real *scores, Real *dScores, SeenKeys seen, Real most, Real delta) {
  for (int64_t j = 0; j < seen.end; j += lanes) {
    const Value<Real> t = hyperbolicTangent<Real>(load(scores + j) * (1 / most));
    store(scores + j, most * t);
    store(dScores + j, (load(dScores + j) - delta) * (1 - t * t) + delta);
  }
}

template <typename Real> STRETTO_INLINE void capSlope(Real *scores, Real *slopes, SeenKeys seen, Real most) {
  for (int64_t j = 0; j < seen.end; j += lanes) {
    const Value<Real> t = hyperbolicTangent<Real>(load(scores + j) * (1 / most));
    store(scores + j, most * t);
    store(slopes + j, 1 - t * t);
  }
}

template <typename Real>
STRETTO_INLINE void add(Real *scores, SeenKeys seen, SplitNumbers<Real> ofKeys, Real whole, Real rest) {
  for (int64_t j = seen.begin; j < seen.end; ++j)
    scores[j] += (ofKeys.whole[j] + whole) + (ofKeys.rest[j] + rest);
}

template <typename Real> STRETTO_INLINE Real addTo(const Real *dScores, SeenKeys seen, Real *ofKeys) {
  Real sum = 0;
  for (int64_t j = seen.begin; j < seen.end; ++j) {
    ofKeys[j] += dScores[j];
    sum += dScores[j];
  }
  return sum;
}

template <typename Real>
STRETTO_INLINE void addNumbers(Real *scores, SeenKeys seen, int64_t query, DistanceBias<Real> bias, Real factor) {
  const int64_t near = std::clamp(query - bias.most, seen.begin, seen.end);
  const Real far = factor * bias.numbers[bias.most];
  for (int64_t j = seen.begin; j < near; ++j)
    scores[j] += far;
  for (int64_t j = near; j < seen.end; ++j)
    scores[j] += factor * bias.numbers[query - j];
}

template <typename Real>
STRETTO_INLINE void addBack(const Real *dScores, SeenKeys seen, int64_t query, Real *sums) {
  for (int64_t j = seen.begin; j < seen.end; ++j)
    sums[query - j] += dScores[j];
}

template <typename Real> STRETTO_INLINE void multiply(Real *dScores, SeenKeys seen, const Real *slopes) {
  for (int64_t j = seen.begin; j < seen.end; ++j)
    dScores[j] *= slopes[j];
}

template <typename Real>
STRETTO_INLINE void subtract(Real *scores, SeenKeys seen, int64_t query, Real slope) {
  for (int64_t j = seen.begin; j < seen.end; ++j)
    scores[j] -= slope * static_cast<Real>(query - j);
}

template <typename Real>
STRETTO_INLINE Real softmax(Real *scores, SeenKeys seen, Real scale, bool first, SoftmaxState<Real> &state) {
  const int64_t end = padded(seen.end);
  fill(scores, 0, seen.begin, -std::numeric_limits<Real>::infinity());
  fill(scores, seen.end, end, -std::numeric_limits<Real>::infinity());
  Value<Real> most = load(scores);
  for (int64_t j = lanes; j < end; j += lanes) {
    const Value<Real> next = load(scores + j);
    most = next > most ? next : most;
  }
  Real maximum = most[0];
  for (int i = 1; i < lanes; ++i)
    maximum = most[i] > maximum ? most[i] : maximum;
  maximum *= scale;
  if (!first && !(maximum > state.maximum))
    maximum = state.maximum;
  Value<Real> sum = {};
  for (int64_t j = 0; j < end; j += lanes) {
    const Value<Real> p = exponential<Real>(load(scores + j) * scale - maximum);
    store(scores + j, p);
    sum += p;
  }
  // What stood for -infinity gave the least number there is, which no sum of one and more notices.
  fill(scores, 0, seen.begin, Real(0));
  fill(scores, seen.end, padded(seen.count), Real(0));
  const Real shrink = first ? Real(0) : std::exp(state.maximum - maximum);
  state = {maximum, state.sum * shrink + total<Real>(sum)};
  return shrink;
}

template <typename Real>
STRETTO_INLINE void softmaxGrad(Real *scores, Real *dScores, SeenKeys seen, Real scale, Real lse, Real delta) {
  for (int64_t j = 0; j < seen.end; j += lanes) {
    const Value<Real> p = exponential<Real>(load(scores + j) * scale - lse);
    store(scores + j, p);
    store(dScores + j, p * (load(dScores + j) - delta) * scale);
  }
  for (Real *row : {scores, dScores}) {
    fill(row, 0, seen.begin, Real(0));
    fill(row, seen.end, padded(seen.count), Real(0));
  }
}

template <typename Real> STRETTO_INLINE void scaled(Real *row, int64_t count, Real factor) {
  for (int64_t j = 0; j < count; ++j)
    row[j] *= factor;
}

} // namespace

STRETTO_CLONES void capRow(float *scores, SeenKeys seen, float most) { cap(scores, seen, most); }
STRETTO_CLONES void capRow(double *scores, SeenKeys seen, double most) { cap(scores, seen, most); }

STRETTO_CLONES void capGradRow(float *scores, float *dScores, SeenKeys seen, float most, float delta) {
  capGrad(scores, dScores, seen, most, delta);
}
STRETTO_CLONES void capGradRow(double *scores, double *dScores, SeenKeys seen, double most, double delta) {
  capGrad(scores, dScores, seen, most, delta);
}

STRETTO_CLONES void capSlopeRow(float *scores, float *slopes, SeenKeys seen, float most) {
  capSlope(scores, slopes, seen, most);
}
STRETTO_CLONES void capSlopeRow(double *scores, double *slopes, SeenKeys seen, double most) {
  capSlope(scores, slopes, seen, most);
}

STRETTO_CLONES void addDecay(float *scores, SeenKeys seen, SplitNumbers<float> ofKeys, SplitNumbers<float> ofQueries,
                             int64_t row) {
  add(scores, seen, ofKeys, ofQueries.whole[row], ofQueries.rest[row]);
}
STRETTO_CLONES void addDecay(double *scores, SeenKeys seen, SplitNumbers<double> ofKeys, SplitNumbers<double> ofQueries,
                             int64_t row) {
  add(scores, seen, ofKeys, ofQueries.whole[row], ofQueries.rest[row]);
}

STRETTO_CLONES float addSums(const float *dScores, SeenKeys seen, float *ofKeys) {
  return addTo(dScores, seen, ofKeys);
}
STRETTO_CLONES double addSums(const double *dScores, SeenKeys seen, double *ofKeys) {
  return addTo(dScores, seen, ofKeys);
}

STRETTO_CLONES void addBias(float *scores, SeenKeys seen, int64_t query, DistanceBias<float> bias, float factor) {
  addNumbers(scores, seen, query, bias, factor);
}
STRETTO_CLONES void addBias(double *scores, SeenKeys seen, int64_t query, DistanceBias<double> bias, double factor) {
  addNumbers(scores, seen, query, bias, factor);
}

STRETTO_CLONES void addByDistance(const float *dScores, SeenKeys seen, int64_t query, float *sums) {
  addBack(dScores, seen, query, sums);
}
STRETTO_CLONES void addByDistance(const double *dScores, SeenKeys seen, int64_t query, double *sums) {
  addBack(dScores, seen, query, sums);
}

STRETTO_CLONES void multiplyBySlopes(float *dScores, SeenKeys seen, const float *slopes) {
  multiply(dScores, seen, slopes);
}
STRETTO_CLONES void multiplyBySlopes(double *dScores, SeenKeys seen, const double *slopes) {
  multiply(dScores, seen, slopes);
}

STRETTO_CLONES void subtractDistances(float *scores, SeenKeys seen, int64_t query, float slope) {
  subtract(scores, seen, query, slope);
}
STRETTO_CLONES void subtractDistances(double *scores, SeenKeys seen, int64_t query, double slope) {
  subtract(scores, seen, query, slope);
}

STRETTO_CLONES float softmaxRow(float *scores, SeenKeys seen, float scale, bool first, SoftmaxState<float> &state) {
  return softmax(scores, seen, scale, first, state);
}
STRETTO_CLONES double softmaxRow(double *scores, SeenKeys seen, double scale, bool first, SoftmaxState<double> &state) {
  return softmax(scores, seen, scale, first, state);
}

STRETTO_CLONES void softmaxGradRow(float *scores, float *dScores, SeenKeys seen, float scale, float lse, float delta) {
  softmaxGrad(scores, dScores, seen, scale, lse, delta);
}
STRETTO_CLONES void softmaxGradRow(double *scores, double *dScores, SeenKeys seen, double scale, double lse,
                                   double delta) {
  softmaxGrad(scores, dScores, seen, scale, lse, delta);
}

STRETTO_CLONES void scaleRow(float *row, int64_t count, float factor) { scaled(row, count, factor); }
STRETTO_CLONES void scaleRow(double *row, int64_t count, double factor) { scaled(row, count, factor); }

STRETTO_CLONES float dotRow(const float *a, const float *b, int64_t count) { return dot(a, b, count); }
STRETTO_CLONES double dotRow(const double *a, const double *b, int64_t count) { return dot(a, b, count); }

} // namespace stretto::runtime
