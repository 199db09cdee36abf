// The work of attention on single rows of scores, in vectors as wide as the CPU has (chosen when the program starts).
#pragma once

#include "runtime/device/cpu/bias.h"

#include <cstdint>

namespace stretto::runtime {

constexpr int64_t rowMultiple = 16; // rows of scores are readable and writable up to a multiple of this

// The running maximum of scale * score and the sum of exp(scale * score - maximum) over the keys seen so far.
template <typename Real> struct SoftmaxState {
  Real maximum = 0, sum = 0;
};

// Of `count` keys, those that a query sees: [begin, end).
struct SeenKeys {
  int64_t begin, end, count;
};

// scores[j] = cap * tanh(scores[j] / cap) for keys that are seen; of others, any number.
void capRow(float *scores, SeenKeys seen, float cap);
void capRow(double *scores, SeenKeys seen, double cap);

// The same; and dScores, what softmaxGradRow takes with this delta, becomes what gives the gradient of scores before.
void capGradRow(float *scores, float *dScores, SeenKeys seen, float cap, float delta);
void capGradRow(double *scores, double *dScores, SeenKeys seen, double cap, double delta);

// scores[j] = cap * tanh(scores[j] / cap) and slopes[j], the derivative of that, for keys that are seen; of others, any
// numbers.
void capSlopeRow(float *scores, float *slopes, SeenKeys seen, float cap);
void capSlopeRow(double *scores, double *slopes, SeenKeys seen, double cap);

// Numbers as whole numbers, whose sums are exact, and the rest of each.
template <typename Real> struct SplitNumbers {
  const Real *whole, *rest;
};

// scores[j] += what key j and the query, the `row`th of its numbers, add, for keys that are seen.
void addDecay(float *scores, SeenKeys seen, SplitNumbers<float> ofKeys, SplitNumbers<float> ofQueries, int64_t row);
void addDecay(double *scores, SeenKeys seen, SplitNumbers<double> ofKeys, SplitNumbers<double> ofQueries, int64_t row);

// For keys that are seen: ofKeys[j] += dScores[j]; returns the sum of all.
float addSums(const float *dScores, SeenKeys seen, float *ofKeys);
double addSums(const double *dScores, SeenKeys seen, double *ofKeys);

// dScores[j] *= slopes[j] for keys that are seen.
void multiplyBySlopes(float *dScores, SeenKeys seen, const float *slopes);
void multiplyBySlopes(double *dScores, SeenKeys seen, const double *slopes);

// scores[j] += factor * numbers[min(query - j, most)] for keys that are seen.
void addBias(float *scores, SeenKeys seen, int64_t query, DistanceBias<float> bias, float factor);
void addBias(double *scores, SeenKeys seen, int64_t query, DistanceBias<double> bias, double factor);

// sums[query - j] += dScores[j] for keys that are seen.
void addByDistance(const float *dScores, SeenKeys seen, int64_t query, float *sums);
void addByDistance(const double *dScores, SeenKeys seen, int64_t query, double *sums);

// scores[j] -= slope * (query - j) for keys that are seen.
void subtractDistances(float *scores, SeenKeys seen, int64_t query, float slope);
void subtractDistances(double *scores, SeenKeys seen, int64_t query, double slope);

// scores[j] = exp(scale * scores[j] - maximum) for keys that are seen, 0 for the others. Takes the new keys into the
// state, and returns the factor by which results over the keys before shrink. `first`: there were none. Some are seen.
float softmaxRow(float *scores, SeenKeys seen, float scale, bool first, SoftmaxState<float> &state);
double softmaxRow(double *scores, SeenKeys seen, double scale, bool first, SoftmaxState<double> &state);

// For keys that are seen: p = exp(scale * scores[j] - lse); scores[j] = p, dScores[j] = p * (dScores[j] - delta) *
// scale. Both are 0 for the others.
void softmaxGradRow(float *scores, float *dScores, SeenKeys seen, float scale, float lse, float delta);
void softmaxGradRow(double *scores, double *dScores, SeenKeys seen, double scale, double lse, double delta);

// row *= factor
void scaleRow(float *row, int64_t count, float factor);
void scaleRow(double *row, int64_t count, double factor);

// Sum of a * b, in an order of its own that depends on `count` alone.
float dotRow(const float *a, const float *b, int64_t count);
double dotRow(const double *a, const double *b, int64_t count);

} // namespace stretto::runtime
