// Attention and its derivative in plain loops in f64: what tests compare with.
#pragma once

#include <cstdint>
#include <vector>

namespace stretto::test {

// q is [B,T,H,D], k [B,T,KV,D], v [B,T,KV,E], dO and o [B,T,H,E].
struct AttentionSizes {
  int64_t batch, length, heads, kvHeads, headDim;
  bool causal;
  int64_t cut = 0; // where documents begin, see positionsOf; 0: rows are whole
  int64_t window = 0;
  bool alibi = false;
  int64_t values = 0; // E; 0: D
  bool sinks = false;
  double cap = 0;
  bool decay = false;
  int64_t reach = 0; // of a bias; 0: there is none
  int64_t valueDim() const { return values ? values : headDim; }
  int64_t width() const { return heads * headDim; }
  int64_t keyWidth() const { return kvHeads * headDim; }
  int64_t valueWidth() const { return kvHeads * valueDim(); }
  int64_t outWidth() const { return heads * valueDim(); }
};

struct AttentionNumbers {
  // grad: dO; sinks: of each head; decay: of each token and head; bias: of each head and distance
  std::vector<double> q, k, v, grad, sinks, decay, bias;
};

struct AttentionResults {
  std::vector<double> o, lse, dq, dk, dv, share, dDecay, dBias;
};

// Places of tokens in their documents, which have lengths of all kinds: with 120134, 849 tokens and 551.
std::vector<int32_t> positionsOf(const AttentionSizes &sizes);
AttentionResults loopsOfAttention(const AttentionSizes &sizes, const AttentionNumbers &numbers);

} // namespace stretto::test
