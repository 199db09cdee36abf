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

// Keys that a group of queries, from the first on, sees: all of them see those before `common`, some those before
// `end`.
struct Seen {
  int64_t first, common, end;
  Seen(const ScoreColumns &of, int64_t query)
      : first(query), common(of.diagonal ? std::min(of.keys, query + 1) : of.keys),
        end(of.diagonal ? std::min(of.keys, query + lanes) : of.keys) {}
  // Which of the queries see a key.
  STRETTO_INLINE Mask mask(int64_t key) const {
    constexpr Mask index = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return index >= static_cast<int32_t>(key - first);
  }
};

STRETTO_INLINE void clear(const ScoreColumns &of, int64_t begin, float *column) {
  for (int64_t key = begin; key < of.keys; ++key)
    store(column + key * of.stride, Vector{});
}

STRETTO_INLINE Vector larger(const Vector &a, const Vector &b) { return a > b ? a : b; }

STRETTO_INLINE Vector mostOf(const ScoreColumns &of, const Seen &seen, const float *column) {
  const Vector none = Vector{} - std::numeric_limits<float>::infinity();
  Vector most = none;
  for (int64_t key = 0; key < seen.common; ++key)
    most = larger(load(column + key * of.stride), most);
  for (int64_t key = seen.common; key < seen.end; ++key)
    most = larger(seen.mask(key) ? load(column + key * of.stride) : none, most);
  return most;
}

// Of one group of queries. Says which of them have a larger maximum than before.
STRETTO_INLINE Mask softmaxGroup(const ScoreColumns &of, int64_t query, float *scores, float scale, bool first,
                                 const SoftmaxColumns &state) {
  const Seen seen(of, query);
  float *const column = scores + query;
  const Vector most = mostOf(of, seen, column) * scale, before = first ? most : load(state.maximum + query);
  const Vector maximum = larger(most, before);
  Vector sum = {};
  for (int64_t key = 0; key < seen.common; ++key) {
    const Vector p = exponential<float>(load(column + key * of.stride) * scale - maximum);
    store(column + key * of.stride, p);
    sum += p;
  }
  for (int64_t key = seen.common; key < seen.end; ++key) {
    const Vector p = exponential<float>(load(column + key * of.stride) * scale - maximum);
    const Vector visible = seen.mask(key) ? p : Vector{};
    store(column + key * of.stride, visible);
    sum += visible;
  }
  clear(of, seen.end, column);
  const Mask grows = maximum > before;
  const Vector shrink = grows ? exponential<float>(before - maximum) : Vector{} + 1;
  store(state.shrink + query, shrink);
  store(state.maximum + query, maximum);
  store(state.sum + query, first ? sum : load(state.sum + query) * shrink + sum);
  return grows;
}

STRETTO_INLINE void gradGroup(const ScoreColumns &of, int64_t query, float *scores, float *dScores, float scale,
                              const float *lse, const float *delta) {
  const Seen seen(of, query);
  const Vector less = load(lse + query), mean = load(delta + query);
  for (int64_t key = 0; key < seen.end; ++key) {
    float *const score = scores + key * of.stride + query, *const dScore = dScores + key * of.stride + query;
    Vector p = exponential<float>(load(score) * scale - less), grad = p * (load(dScore) - mean) * scale;
    if (key >= seen.common) {
      p = seen.mask(key) ? p : Vector{};
      grad = seen.mask(key) ? grad : Vector{};
    }
    store(score, p);
    store(dScore, grad);
  }
  clear(of, seen.end, scores + query);
  clear(of, seen.end, dScores + query);
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

} // namespace

STRETTO_CLONES bool softmaxColumns(const ScoreColumns &of, float *scores, float scale, bool first,
                                   const SoftmaxColumns &state) {
  return softmaxGroups(of, scores, scale, first, state);
}

STRETTO_CLONES void softmaxGradColumns(const ScoreColumns &of, float *scores, float *dScores, float scale,
                                       const float *lse, const float *delta) {
  gradGroups(of, scores, dScores, scale, lse, delta);
}

} // namespace stretto::runtime
