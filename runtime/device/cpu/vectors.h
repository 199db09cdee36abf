// GCC's vector types of one length, for functions that are compiled once per instruction set (STRETTO_CLONES):
// everything that takes a vector is inlined into one of them.
#pragma once

#include <cstdint>
#include <cstring>

#define STRETTO_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define STRETTO_INLINE [[gnu::always_inline]] inline
#pragma GCC diagnostic ignored "-Wpsabi" // everything that takes a vector is inlined

namespace stretto::runtime {

constexpr int64_t lanes = 16;

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

// tanh: up to 1/2 by a convergent of Lambert's continued fraction, x / (1 + x^2 / (3 + x^2 / (5 + ...))), which is as
// exact as the type; above it by exp(-2 |x|).
template <typename Real> STRETTO_INLINE Value<Real> hyperbolicTangent(const Value<Real> &x) {
  constexpr int convergent = sizeof(Real) == sizeof(float) ? 5 : 8;
  const Value<Real> square = x * x, size = x < 0 ? -x : x, power = exponential<Real>(Real(-2) * size);
  Value<Real> over = size, overBefore = {}, under = Value<Real>{} + 1, underBefore = under;
#pragma GCC unroll 16
  for (int i = 2; i <= convergent; ++i) {
    const Value<Real> nextOver = over * Real(2 * i - 1) + overBefore * square,
                      nextUnder = under * Real(2 * i - 1) + underBefore * square;
    overBefore = over, underBefore = under;
    over = nextOver, under = nextUnder;
  }
  const Value<Real> result = (size < Real(0.5) ? over : 1 - power) / (size < Real(0.5) ? under : 1 + power);
  return x < 0 ? -result : result;
}

template <typename Real> STRETTO_INLINE Real total(const Value<Real> &value) {
  Real sum = 0;
  for (int i = 0; i < lanes; ++i)
    sum += value[i];
  return sum;
}

// The sum of a * b, of any number of elements.
template <typename Real> STRETTO_INLINE Real dot(const Real *a, const Real *b, int64_t count) {
  Value<Real> sums = {};
  int64_t j = 0;
  for (; j + lanes <= count; j += lanes)
    sums += load(a + j) * load(b + j);
  Real sum = total<Real>(sums);
  for (; j < count; ++j) {
    const Real product = a[j] * b[j]; // rounded: of one expression, Clang would make a multiply-add and GCC not
    sum += product;
  }
  return sum;
}

} // namespace stretto::runtime
