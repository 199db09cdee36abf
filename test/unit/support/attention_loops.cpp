// Attention and its derivative in plain loops in f64, one query row after the other.
#include "test/unit/support/attention_loops.h"

#include <algorithm>
#include <cmath>

using namespace stretto::test;

namespace {

// The sums of a decay over the tokens behind each key, up to the query.
std::vector<double> decayBehind(const AttentionSizes &c, const std::vector<double> &decay, int64_t b, int64_t h,
                                int64_t t, int64_t last) {
  std::vector<double> sums(last);
  for (int64_t s = t; c.decay && s > 0; --s)
    sums[s - 1] = sums[s] + decay[(b * c.length + s) * c.heads + h];
  return sums;
}

// One query row against all keys it may see.
void attendRow(const AttentionSizes &c, const AttentionNumbers &in, const std::vector<int32_t> &positions,
               AttentionResults &r, int64_t b, int64_t h, int64_t t) {
  const int64_t kv = h * c.kvHeads / c.heads, d = c.headDim, e = c.valueDim();
  const int64_t first = std::max(t - positions[b * c.length + t], c.window ? t + 1 - c.window : 0);
  int64_t last = t + 1;
  while (!c.causal && last < c.length && positions[b * c.length + last] > 0)
    ++last;
  const double scale = 1 / std::sqrt(static_cast<double>(d)), ofSink = c.sinks ? std::exp(in.sinks[h]) : 0;
  const double slope = c.alibi ? std::exp2(-8.0 * static_cast<double>(h + 1) / static_cast<double>(c.heads)) : 0;
  const int64_t token = (b * c.length + t) * c.heads + h, row = token * d, out = token * e;
  auto at = [&](int64_t s) { return ((b * c.length + s) * c.kvHeads + kv) * d; };
  auto valueAt = [&](int64_t s) { return ((b * c.length + s) * c.kvHeads + kv) * e; };
  std::vector<double> p(last), dp(last), slopes(last, 1); // slopes: of capped scores
  const std::vector<double> behind = decayBehind(c, in.decay, b, h, t, last);
  auto place = [&](int64_t s) { return h * c.reach + std::min(t - s, c.reach - 1); };
  double sum = ofSink, delta = 0, ofScores = 0;
  for (int64_t s = first; s < last; ++s) {
    double dot = 0;
    for (int64_t i = 0; i < d; ++i)
      dot += in.q[row + i] * in.k[at(s) + i];
    double score = dot * scale;
    if (c.cap > 0) {
      const double part = std::tanh(score / c.cap);
      score = c.cap * part, slopes[s] = 1 - part * part;
    }
    sum += p[s] = std::exp(score - slope * static_cast<double>(t - s) + behind[s] + (c.reach ? in.bias[place(s)] : 0));
  }
  r.lse[(b * c.heads + h) * c.length + t] = std::log(sum);
  r.share[token] = ofSink / sum;
  for (int64_t s = first; s < last; ++s) {
    p[s] /= sum;
    for (int64_t i = 0; i < e; ++i) {
      r.o[out + i] += p[s] * in.v[valueAt(s) + i];
      dp[s] += in.grad[out + i] * in.v[valueAt(s) + i];
      r.dv[valueAt(s) + i] += p[s] * in.grad[out + i];
    }
    delta += p[s] * dp[s];
  }
  for (int64_t s = first; s < last; ++s) {
    ofScores += p[s] * (dp[s] - delta);
    if (c.decay && s < t)
      r.dDecay[(b * c.length + s + 1) * c.heads + h] += ofScores;
    if (c.reach)
      r.dBias[place(s)] += p[s] * (dp[s] - delta);
    for (int64_t i = 0; i < d; ++i) {
      const double ds = p[s] * (dp[s] - delta) * slopes[s] * scale;
      r.dq[row + i] += ds * in.k[at(s) + i];
      r.dk[at(s) + i] += ds * in.q[row + i];
    }
  }
}

} // namespace

std::vector<int32_t> stretto::test::positionsOf(const AttentionSizes &c) {
  std::vector<int32_t> positions;
  for (int64_t token = 0; token < c.batch * c.length; ++token) {
    const int64_t t = token % c.length;
    const bool begins = t == 0 || (c.cut && (t * t / 3 + token / c.length + 1) % c.cut == 0);
    positions.push_back(begins ? 0 : positions.back() + 1);
  }
  return positions;
}

AttentionResults stretto::test::loopsOfAttention(const AttentionSizes &c, const AttentionNumbers &in) {
  const int64_t rows = c.batch * c.length;
  AttentionResults r{std::vector<double>(rows * c.outWidth()),   std::vector<double>(rows * c.heads),
                     std::vector<double>(rows * c.width()),      std::vector<double>(rows * c.keyWidth()),
                     std::vector<double>(rows * c.valueWidth()), std::vector<double>(rows * c.heads),
                     std::vector<double>(rows * c.heads),        std::vector<double>(c.heads * c.reach)};
  const std::vector<int32_t> positions = positionsOf(c);
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t h = 0; h < c.heads; ++h)
      for (int64_t t = 0; t < c.length; ++t)
        attendRow(c, in, positions, r, b, h, t);
  return r;
}
