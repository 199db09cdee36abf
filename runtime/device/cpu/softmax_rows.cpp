// Vectors are GCC's vector types of one length; each function is compiled once per instruction set.
#include "runtime/device/cpu/softmax_rows.h"

#include <cmath>
#include <cstring>
#include <limits>

#define STRETTO_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define STRETTO_INLINE [[gnu::always_inline]] inline
#pragma GCC diagnostic ignored "-Wpsabi" // everything that takes a vector is inlined

namespace stretto::runtime {
namespace {

constexpr int64_t lanes = rowMultiple;

template <typename Real> struct Vectors;
template <> struct Vectors<float> {
  typedef float Value __attribute__((vector_size(lanes * sizeof(float))));
  typedef int32_t Bits __attribute__((vector_size(lanes * sizeof(float))));
  static constexpr int mantissa = 23, degree = 7;
  static constexpr float least = -87.3f, round = 0x1.8p23f, high = 0x1.62e4p-1f, low = 0x1.7f7d1cp-20f;
};
template <> struct Vectors<double> {
  typedef double Value __attribute__((vector_size(lanes * sizeof(double))));
  typedef int64_t Bits __attribute__((vector_size(lanes * sizeof(double))));
  static constexpr int mantissa = 52, degree = 13;
  static constexpr double least = -708, round = 0x1.8p52, high = 0x1.62e42fefp-1, low = 0x1.473de6af278edp-34;
};
template <typename Real> using Value = typename Vectors<Real>::Value;

template <typename Real> STRETTO_INLINE Value<Real> load(const Real *data) {
  Value<Real> value;
  std::memcpy(&value, data, sizeof(value));
  return value;
}
template <typename Real> STRETTO_INLINE void store(Real *data, const Value<Real> &value) {
  std::memcpy(data, &value, sizeof(value));
}

// exp by 2^n * Taylor's series on [-ln 2 / 2, ln 2 / 2]; ln 2 = high + low, so that n * high is exact (Cody and
// Waite, "Software Manual for the Elementary Functions", 1980). Arguments below the least normal result count as it.
template <typename Real> STRETTO_INLINE Value<Real> exponential(const Value<Real> &argument) {
  using V = Vectors<Real>;
  const Value<Real> x = argument < V::least ? V::least - Value<Real>{} : argument;
  const Value<Real> shifted = x * Real(1.4426950408889634) + V::round, n = shifted - V::round;
  const Value<Real> r = (x - n * V::high) - n * V::low;
  Real coefficient = 1;
  for (int i = 2; i <= V::degree; ++i)
    coefficient /= static_cast<Real>(i);
  Value<Real> sum = Value<Real>{} + coefficient;
#pragma GCC unroll 16
  for (int i = V::degree; i > 0; --i) {
    coefficient *= static_cast<Real>(i);
    sum = sum * r + coefficient;
  }
  return (Value<Real>)((typename V::Bits)sum + ((typename V::Bits)shifted << V::mantissa));
}

template <typename Real> STRETTO_INLINE Real total(const Value<Real> &value) {
  Real sum = 0;
  for (int i = 0; i < lanes; ++i)
    sum += value[i];
  return sum;
}

template <typename Real> STRETTO_INLINE void fill(Real *row, int64_t begin, int64_t end, Real value) {
  for (int64_t j = begin; j < end; ++j)
    row[j] = value;
}

STRETTO_INLINE int64_t padded(int64_t count) { return (count + lanes - 1) / lanes * lanes; }

template <typename Real>
STRETTO_INLINE Real softmax(Real *scores, int64_t valid, int64_t count, Real scale, bool first,
                            SoftmaxState<Real> &state) {
  const int64_t end = padded(valid);
  fill(scores, valid, end, -std::numeric_limits<Real>::infinity());
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
  fill(scores, valid, padded(count), Real(0));
  const Real shrink = first ? Real(0) : std::exp(state.maximum - maximum);
  state = {maximum, state.sum * shrink + total<Real>(sum)};
  return shrink;
}

template <typename Real>
STRETTO_INLINE void softmaxGrad(Real *scores, Real *dScores, int64_t valid, int64_t count, Real scale, Real lse,
                                Real delta) {
  for (int64_t j = 0; j < valid; j += lanes) {
    const Value<Real> p = exponential<Real>(load(scores + j) * scale - lse);
    store(scores + j, p);
    store(dScores + j, p * (load(dScores + j) - delta) * scale);
  }
  fill(scores, valid, padded(count), Real(0));
  fill(dScores, valid, padded(count), Real(0));
}

template <typename Real> STRETTO_INLINE void scaled(Real *row, int64_t count, Real factor) {
  for (int64_t j = 0; j < count; ++j)
    row[j] *= factor;
}

template <typename Real> STRETTO_INLINE Real dot(const Real *a, const Real *b, int64_t count) {
  Value<Real> sums = {};
  int64_t j = 0;
  for (; j + lanes <= count; j += lanes)
    sums += load(a + j) * load(b + j);
  Real sum = total<Real>(sums);
  for (; j < count; ++j)
    sum += a[j] * b[j];
  return sum;
}

} // namespace

STRETTO_CLONES float softmaxRow(float *scores, int64_t valid, int64_t count, float scale, bool first,
                                SoftmaxState<float> &state) {
  return softmax(scores, valid, count, scale, first, state);
}
STRETTO_CLONES double softmaxRow(double *scores, int64_t valid, int64_t count, double scale, bool first,
                                 SoftmaxState<double> &state) {
  return softmax(scores, valid, count, scale, first, state);
}

STRETTO_CLONES void softmaxGradRow(float *scores, float *dScores, int64_t valid, int64_t count, float scale, float lse,
                                   float delta) {
  softmaxGrad(scores, dScores, valid, count, scale, lse, delta);
}
STRETTO_CLONES void softmaxGradRow(double *scores, double *dScores, int64_t valid, int64_t count, double scale,
                                   double lse, double delta) {
  softmaxGrad(scores, dScores, valid, count, scale, lse, delta);
}

STRETTO_CLONES void scaleRow(float *row, int64_t count, float factor) { scaled(row, count, factor); }
STRETTO_CLONES void scaleRow(double *row, int64_t count, double factor) { scaled(row, count, factor); }

STRETTO_CLONES float dotRow(const float *a, const float *b, int64_t count) { return dot(a, b, count); }
STRETTO_CLONES double dotRow(const double *a, const double *b, int64_t count) { return dot(a, b, count); }

} // namespace stretto::runtime
