// Vectors as wide as the CPU has; each function is compiled once per instruction set.
#include "runtime/device/cpu/softmax_columns.h"

#include "runtime/device/cpu/vectors.h"

#include <algorithm>
#include <limits>

namespace stretto::runtime {
namespace {

static_assert(lanes == columnLanes);

using Vector = Value<float>;
using Mask = Vectors<float>::Bits;

// Keys that follow each other.
struct KeyRange {
  int64_t begin, end;
};

// Keys that a group of queries, from the first on, sees: all of them see `common`, some those before and behind.
struct Seen {
  int64_t first, last; // what the first query sees, whether it is there or not
  KeyRange before, common, behind;
  Seen(const ScoreColumns &of, int64_t query) : first(of.first + query), last(of.last + query) {
    const int64_t begin = std::clamp<int64_t>(first, 0, of.keys), end = std::clamp(last + lanes, begin, of.keys);
    common.begin = std::clamp(first + lanes - 1, begin, end);
    common.end = std::clamp(last + 1, common.begin, end);
    before = {begin, common.begin};
    behind = {common.end, end};
  }
};

// What counts of a vector of the queries at a key: all of it where all see the key, else `hidden` in place of others.
template <bool areAll>
STRETTO_INLINE Vector visible(const Seen &seen, int64_t key, const Vector &x, const Vector &hidden) {
  if constexpr (areAll)
    return x;
  constexpr Mask index = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Mask sees =
      (index >= static_cast<int32_t>(key - seen.last)) & (index <= static_cast<int32_t>(key - seen.first));
  return sees ? x : hidden;
}

STRETTO_INLINE void clear(const ScoreColumns &of, const Seen &seen, float *column) {
  for (int64_t key = 0; key < seen.before.begin; ++key)
    store(column + key * of.stride, Vector{});
  for (int64_t key = seen.behind.end; key < of.keys; ++key)
    store(column + key * of.stride, Vector{});
}

STRETTO_INLINE void capGroups(const ScoreColumns &of, float *scores, float most) {
  for (int64_t key = 0; key < of.keys; ++key)
    for (int64_t query = 0; query < of.queries; query += lanes) {
      float *const score = scores + key * of.stride + query;
      store(score, most * hyperbolicTangent<float>(load(score) * (1 / most)));
    }
}

STRETTO_INLINE void capGradGroups(const ScoreColumns &of, float *scores, float *dScores, float most,
                                  const float *delta) {
  for (int64_t key = 0; key < of.keys; ++key)
    for (int64_t query = 0; query < of.queries; query += lanes) {
      float *const score = scores + key * of.stride + query, *const dScore = dScores + key * of.stride + query;
      const Vector t = hyperbolicTangent<float>(load(score) * (1 / most)), mean = load(delta + query);
      store(score, most * t);
      store(dScore, (load(dScore) - mean) * (1 - t * t) + mean);
    }
}

STRETTO_INLINE void capSlopeGroups(const ScoreColumns &of, float *scores, float *slopes, float most) {
  for (int64_t key = 0; key < of.keys; ++key)
    for (int64_t query = 0; query < of.queries; query += lanes) {
      float *const score = scores + key * of.stride + query;
      const Vector t = hyperbolicTangent<float>(load(score) * (1 / most));
      store(score, most * t);
      store(slopes + key * of.stride + query, 1 - t * t);
    }
}

STRETTO_INLINE void addDecayGroups(const ScoreColumns &of, float *scores, SplitNumbers<float> ofKeys,
                                   SplitNumbers<float> ofQueries) {
  for (int64_t query = 0; query < of.queries; query += lanes) {
    const Vector whole = load(ofQueries.whole + query), rest = load(ofQueries.rest + query);
    for (int64_t key = 0; key < of.keys; ++key) {
      float *const score = scores + key * of.stride + query;
      store(score, load(score) + ((whole + ofKeys.whole[key]) + (rest + ofKeys.rest[key])));
    }
  }
}

STRETTO_INLINE void addBiasGroups(const ScoreColumns &of, float *scores, DistanceBias<float> bias, int64_t ahead) {
  for (int64_t key = 0; key < of.keys; ++key) {
    const float *const numbers = bias.numbers + std::min(ahead - key, bias.most);
    for (int64_t query = 0; query < of.queries; query += lanes) {
      float *const score = scores + key * of.stride + query;
      store(score, load(score) + load(numbers + query));
    }
  }
}

STRETTO_INLINE void addGroupsByDistance(const ScoreColumns &of, const float *dScores, float *sums) {
  for (int64_t key = 0; key < of.keys; ++key)
    for (int64_t query = 0; query < of.queries; query += lanes)
      store(sums - key + query, load(sums - key + query) + load(dScores + key * of.stride + query));
}

STRETTO_INLINE void addSumsOfGroups(const ScoreColumns &of, const float *dScores, float *ofKeys, float *ofQueries) {
  for (int64_t query = 0; query < of.queries; query += lanes) {
    Vector sum = load(ofQueries + query);
    for (int64_t key = 0; key < of.keys; ++key)
      sum += load(dScores + key * of.stride + query);
    store(ofQueries + query, sum);
  }
  for (int64_t key = 0; key < of.keys; ++key) {
    Vector sum = {};
    for (int64_t query = 0; query < of.queries; query += lanes)
      sum += load(dScores + key * of.stride + query);
    ofKeys[key] += total<float>(sum);
  }
}

STRETTO_INLINE void multiplyGroup(const ScoreColumns &of, int64_t query, float *dScores, const float *slopes) {
  const Seen seen(of, query);
  for (int64_t key = seen.before.begin; key < seen.behind.end; ++key) {
    float *const dScore = dScores + key * of.stride + query;
    const Vector product = load(dScore) * load(slopes + key * of.stride + query);
    store(dScore, visible<false>(seen, key, product, Vector{}));
  }
}

STRETTO_INLINE void multiplyGroups(const ScoreColumns &of, float *dScores, const float *slopes) {
  for (int64_t query = 0; query < of.queries; query += lanes)
    multiplyGroup(of, query, dScores, slopes);
}

STRETTO_INLINE void subtractGroup(const ScoreColumns &of, int64_t query, float *scores, float slope, int64_t ahead) {
  constexpr Vector index = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Vector ofFirstKey = index + static_cast<float>(ahead + query);
  for (int64_t key = 0; key < of.keys; ++key) {
    float *const score = scores + key * of.stride + query;
    store(score, load(score) - slope * (ofFirstKey - static_cast<float>(key)));
  }
}

STRETTO_INLINE Vector larger(const Vector &a, const Vector &b) { return a > b ? a : b; }

template <bool areAll>
STRETTO_INLINE void findMost(const ScoreColumns &of, const Seen &seen, KeyRange keys, const float *column,
                             Vector &most) {
  const Vector none = Vector{} - std::numeric_limits<float>::infinity();
  for (int64_t key = keys.begin; key < keys.end; ++key)
    most = larger(visible<areAll>(seen, key, load(column + key * of.stride), none), most);
}

template <bool areAll>
STRETTO_INLINE void exponentiate(const ScoreColumns &of, const Seen &seen, KeyRange keys, float *column, float scale,
                                 const Vector &maximum, Vector &sum) {
  for (int64_t key = keys.begin; key < keys.end; ++key) {
    const Vector power = exponential<float>(load(column + key * of.stride) * scale - maximum);
    const Vector p = visible<areAll>(seen, key, power, Vector{});
    store(column + key * of.stride, p);
    sum += p;
  }
}

// Of one group of queries. Says which of them have a larger maximum than before.
STRETTO_INLINE Mask softmaxGroup(const ScoreColumns &of, int64_t query, float *scores, float scale, bool first,
                                 const SoftmaxColumns &state) {
  const Seen seen(of, query);
  float *const column = scores + query;
  Vector most = Vector{} - std::numeric_limits<float>::infinity();
  findMost<false>(of, seen, seen.before, column, most);
  findMost<true>(of, seen, seen.common, column, most);
  findMost<false>(of, seen, seen.behind, column, most);
  most *= scale;
  const Vector before = first ? most : load(state.maximum + query), maximum = larger(most, before);
  Vector sum = {};
  exponentiate<false>(of, seen, seen.before, column, scale, maximum, sum);
  exponentiate<true>(of, seen, seen.common, column, scale, maximum, sum);
  exponentiate<false>(of, seen, seen.behind, column, scale, maximum, sum);
  clear(of, seen, column);
  const Mask grows = maximum > before;
  const Vector shrink = grows ? exponential<float>(before - maximum) : Vector{} + 1;
  store(state.shrink + query, shrink);
  store(state.maximum + query, maximum);
  store(state.sum + query, first ? sum : load(state.sum + query) * shrink + sum);
  return grows;
}

template <bool areAll>
STRETTO_INLINE void gradKeys(const ScoreColumns &of, const Seen &seen, KeyRange keys, float *scores, float *dScores,
                             float scale, const Vector &lse, const Vector &delta) {
  for (int64_t key = keys.begin; key < keys.end; ++key) {
    float *const score = scores + key * of.stride, *const dScore = dScores + key * of.stride;
    const Vector p = exponential<float>(load(score) * scale - lse), grad = p * (load(dScore) - delta) * scale;
    store(score, visible<areAll>(seen, key, p, Vector{}));
    store(dScore, visible<areAll>(seen, key, grad, Vector{}));
  }
}

STRETTO_INLINE void gradGroup(const ScoreColumns &of, int64_t query, float *scores, float *dScores, float scale,
                              const float *lse, const float *delta) {
  const Seen seen(of, query);
  const Vector less = load(lse + query), mean = load(delta + query);
  scores += query, dScores += query;
  gradKeys<false>(of, seen, seen.before, scores, dScores, scale, less, mean);
  gradKeys<true>(of, seen, seen.common, scores, dScores, scale, less, mean);
  gradKeys<false>(of, seen, seen.behind, scores, dScores, scale, less, mean);
  clear(of, seen, scores);
  clear(of, seen, dScores);
}

STRETTO_INLINE bool softmaxGroups(const ScoreColumns &of, float *scores, float scale, bool first,
                                  const SoftmaxColumns &state) {
  Mask grows = {};
  for (int64_t query = 0; query < of.queries; query += lanes)
    grows |= softmaxGroup(of, query, scores, scale, first, state);
  bool any = false;
  for (int64_t i = 0; i < lanes; ++i)
    any |= grows[i] != 0;
  return any;
}

STRETTO_INLINE void gradGroups(const ScoreColumns &of, float *scores, float *dScores, float scale, const float *lse,
                               const float *delta) {
  for (int64_t query = 0; query < of.queries; query += lanes)
    gradGroup(of, query, scores, dScores, scale, lse, delta);
}

STRETTO_INLINE void subtractGroups(const ScoreColumns &of, float *scores, float slope, int64_t ahead) {
  for (int64_t query = 0; query < of.queries; query += lanes)
    subtractGroup(of, query, scores, slope, ahead);
}

} // namespace

STRETTO_CLONES void capColumns(const ScoreColumns &of, float *scores, float most) { capGroups(of, scores, most); }

STRETTO_CLONES void capGradColumns(const ScoreColumns &of, float *scores, float *dScores, float most,
                                   const float *delta) {
  capGradGroups(of, scores, dScores, most, delta);
}

STRETTO_CLONES void capSlopeColumns(const ScoreColumns &of, float *scores, float *slopes, float most) {
  capSlopeGroups(of, scores, slopes, most);
}

STRETTO_CLONES void addDecay(const ScoreColumns &of, float *scores, SplitNumbers<float> ofKeys,
                             SplitNumbers<float> ofQueries) {
  addDecayGroups(of, scores, ofKeys, ofQueries);
}

STRETTO_CLONES void addBias(const ScoreColumns &of, float *scores, DistanceBias<float> bias, int64_t ahead) {
  addBiasGroups(of, scores, bias, ahead);
}

STRETTO_CLONES void addByDistance(const ScoreColumns &of, const float *dScores, float *sums) {
  addGroupsByDistance(of, dScores, sums);
}

STRETTO_CLONES void addSums(const ScoreColumns &of, const float *dScores, float *ofKeys, float *ofQueries) {
  addSumsOfGroups(of, dScores, ofKeys, ofQueries);
}

STRETTO_CLONES void multiplyBySlopes(const ScoreColumns &of, float *dScores, const float *slopes) {
  multiplyGroups(of, dScores, slopes);
}

STRETTO_CLONES void subtractDistances(const ScoreColumns &of, float *scores, float slope, int64_t ahead) {
  subtractGroups(of, scores, slope, ahead);
}

STRETTO_CLONES bool softmaxColumns(const ScoreColumns &of, float *scores, float scale, bool first,
                                   const SoftmaxColumns &state) {
  return softmaxGroups(of, scores, scale, first, state);
}

STRETTO_CLONES void softmaxGradColumns(const ScoreColumns &of, float *scores, float *dScores, float scale,
                                       const float *lse, const float *delta) {
  gradGroups(of, scores, dScores, scale, lse, delta);
}

} // namespace stretto::runtime
