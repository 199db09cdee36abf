// The decode entries of a program: sequences side by side that grow a few tokens at a time.
#pragma once

#include "runtime/core/context.h"
#include "runtime/train/state.h"

#include <span>
#include <vector>

namespace stretto::runtime {

// Each of `slots` sequences may grow by some tokens at a time; what later tokens need of earlier ones stays in the
// CACHE arena of the program. Works with the weights that are in the PARAMETERS arena at each call.
class Decoder {
public:
  // Throws Error when the program was compiled without decode entries.
  explicit Decoder(const TrainingState &state);

  int64_t slots() const { return state.program.batch; }
  int64_t capacity() const { return state.program.length; }         // tokens of a sequence, at most
  int64_t chunk() const { return state.program.decode_chunk.rows; } // tokens of a sequence in one call, at most
  int64_t vocabulary() const { return state.program.vocabulary; }

  // Starts the sequence of a slot anew: its next token is its first.
  void restart(int64_t slot) { lengths.at(static_cast<size_t>(slot)) = 0; }
  // Tokens of the sequence so far.
  int64_t length(int64_t slot) const { return lengths.at(static_cast<size_t>(slot)); }

  // Appends tokens[s] to the sequence of slot s: for each slot 0 to chunk() tokens, by the entry for one token where
  // none has more. Returns logits of the token that comes next, [slots, vocabulary]; rows of slots without tokens mean
  // nothing. Valid until the next call. Waits. Throws Error for a token outside the vocabulary, and for a sequence that
  // would grow beyond the capacity.
  std::span<const double> append(std::span<const std::span<const int32_t>> tokens);

private:
  void check(std::span<const std::span<const int32_t>> tokens) const;
  void copyIn(int64_t offset, std::span<const int32_t> values);

  TrainingState state;
  Context context;
  std::vector<int64_t> lengths;
  std::vector<double> logits;
};

} // namespace stretto::runtime
