// The recurrence of linear mixers and its derivative, token by token in f64, as seq.mixer (ir/seq/SeqMixerOps.td) says:
// what tests compare with.
#pragma once

#include <cstdint>
#include <vector>

namespace stretto::test {

struct MixerSizes {
  int64_t batch = 1, length = 1, heads = 1, keyHeads = 1, keys = 1, values = 1; // keys, values: columns of a head
  double scale = 1;
  bool byChannel = false, shared = false, before = false; // shared: the same decay at all tokens
  int64_t segment = 64, headsOfPart = 1;                  // headsOfPart: that dq and dk have one part for
  int64_t tokens() const { return batch * length; }
  int64_t segments() const { return (length + segment - 1) / segment; }
};

// The operands and the gradient of the result, each [tokens, columns]; those that are not given are empty.
struct MixerNumbers {
  std::vector<double> q, k, v, decay, write, beta, erase, eraseWrite, grad;
  std::vector<int32_t> positions;
};

// The gradients of operands that are not given are empty. States: before each segment, [batch, heads, segments, keys *
// values], also where a document begins with it.
struct MixerResults {
  std::vector<double> out, states, dq, dk, dv, dDecay, dWrite, dBeta, dErase, dEraseWrite;
};

// Zeros.
MixerResults emptyResults(const MixerSizes &sizes, const MixerNumbers &numbers);
MixerResults runRecurrence(const MixerSizes &sizes, const MixerNumbers &numbers);

} // namespace stretto::test
