// What a decay adds to scores of attention, and the gradient of the decay. A score gets the sum of the decay over the
// tokens behind its key, up to its query: the difference of two sums over the tokens so far.
#pragma once

#include "runtime/core/op.h"
#include "runtime/device/cpu/documents.h"
#include "runtime/device/cpu/softmax_rows.h"

#include <vector>

namespace stretto::runtime {

// For each head, the sums of the decay over the tokens of each document so far. They are kept in double, so that
// differences of them are as exact at the end of a document as at its begin. Empty where there is no decay.
class DecaySums {
public:
  DecaySums(const AttentionOp &op, const std::vector<Document> &documents);
  // Those of a head at a token of the batch; those of the next tokens follow. Null where there is no decay.
  const double *of(int64_t head, int64_t token) const {
    return sums.empty() ? nullptr : sums.data() + head * tokens + token;
  }

private:
  int64_t tokens;
  std::vector<double> sums; // [heads, tokens]
};

// What up to `count` keys or queries add to scores. Whole numbers cancel exactly, so that a query and a key behind a
// token that loses much get what they would get without it.
template <typename Real, int64_t count> struct DecayTerms {
  Real whole[count], rest[count];
  void set(int64_t i, double number) {
    constexpr double rounder = 0x1.8p52; // added and taken away, it leaves a whole number
    const double near = (number + rounder) - rounder;
    whole[i] = static_cast<Real>(near), rest[i] = static_cast<Real>(number - near);
  }
  operator SplitNumbers<Real>() const { return {whole, rest}; }
};

// Of some keys and some queries, each from the first on, for scores that are scaled later: their sums by that of a
// query `at`. Near it both are small, and as opposite numbers they cancel where query and key are one token.
template <typename Terms>
void decayOfKeys(const double *sums, int64_t at, int64_t key, int64_t count, double scale, Terms &to) {
  for (int64_t i = 0; i < count; ++i)
    to.set(i, (sums[at] - sums[key + i]) / scale);
}
template <typename Terms>
void decayOfQueries(const double *sums, int64_t at, int64_t query, int64_t count, double scale, Terms &to) {
  for (int64_t i = 0; i < count; ++i)
    to.set(i, (sums[query + i] - sums[at]) / scale);
}

// For each head and token, the sums of the gradients of scores before they were scaled: over the keys of a query, and
// over the queries of a key. Empty where there is no decay.
template <typename Real> class DecayGrads {
public:
  explicit DecayGrads(const AttentionOp &op);
  Real *ofQueries(int64_t head, int64_t token) { return queries.data() + head * tokens + token; }
  Real *ofKeys(int64_t head, int64_t token) { return keys.data() + head * tokens + token; }
  // A decay is in the scores of all queries from its token on, of keys before it: its gradient is the sum over these
  // queries, less that over keys that are no earlier. Of pairs among these nothing remains.
  void write(const AttentionGradOp &grad, const std::vector<Document> &documents) const;

private:
  int64_t tokens;
  std::vector<Real> queries, keys; // [heads, tokens]
};

} // namespace stretto::runtime
