// The work of attention on scores that have a row for each key and a column for each query, in vectors of queries as
// wide as the CPU has (chosen when the program starts).
#pragma once

#include "runtime/device/cpu/softmax_rows.h"

#include <cstdint>

namespace stretto::runtime {

constexpr int64_t columnLanes = 16; // queries are worked on in groups of so many

// Scores of some keys: `queries`, a multiple of columnLanes, in each row, and rows `stride` elements apart. Query i
// sees keys first + i ... last + i, as far as they are there.
struct ScoreColumns {
  int64_t keys, queries, stride, first, last;
};

// scores = cap * tanh(scores / cap)
void capColumns(const ScoreColumns &of, float *scores, float cap);

// The same; and dScores, what softmaxGradColumns takes with this delta, becomes what gives the gradient of scores
// before.
void capGradColumns(const ScoreColumns &of, float *scores, float *dScores, float cap, const float *delta);

// scores = cap * tanh(scores / cap), and slopes, the derivatives of that.
void capSlopeColumns(const ScoreColumns &of, float *scores, float *slopes, float cap);

// scores += what their keys and queries add.
void addDecay(const ScoreColumns &of, float *scores, SplitNumbers<float> ofKeys, SplitNumbers<float> ofQueries);

// scores += what their distances add, where query 0 is `ahead` tokens behind key 0; of a table with room for blocks of
// `biasRoom` queries.
void addBias(const ScoreColumns &of, float *scores, DistanceBias<float> bias, int64_t ahead);

// Adds gradients of scores, which are 0 for keys that a query does not see, to the sum of their distance; sums[0] is
// that of query 0 and key 0.
void addByDistance(const ScoreColumns &of, const float *dScores, float *sums);

// Adds gradients of scores, which are 0 for keys that a query does not see, to the sum of each key and of each query.
void addSums(const ScoreColumns &of, const float *dScores, float *ofKeys, float *ofQueries);

// dScores *= slopes, for keys that a query sees; others stay 0.
void multiplyBySlopes(const ScoreColumns &of, float *dScores, const float *slopes);

// scores -= slope * distance, where query 0 is `ahead` tokens behind key 0.
void subtractDistances(const ScoreColumns &of, float *scores, float slope, int64_t ahead);

// For each query: the maximum of scale * score and the sum of exp(scale * score - maximum) over the keys seen so far,
// and the factor by which the last keys made results over the keys before them shrink.
struct SoftmaxColumns {
  float *maximum, *sum, *shrink;
};

// scores = exp(scale * scores - maximum), and 0 for keys that a query does not see. Takes the keys into the state, and
// says whether any query's results shrink. `first`: there were none before.
bool softmaxColumns(const ScoreColumns &of, float *scores, float scale, bool first, const SoftmaxColumns &state);

// p = exp(scale * scores - lse); scores = p, dScores = p * (dScores - delta) * scale; both 0 for keys that a query does
// not see.
void softmaxGradColumns(const ScoreColumns &of, float *scores, float *dScores, float scale, const float *lse,
                        const float *delta);

} // namespace stretto::runtime
