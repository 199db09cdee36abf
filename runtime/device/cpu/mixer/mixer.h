// Linear mixers on the CPU, by chunks of tokens. What they compute is said at seq.mixer (ir/seq/SeqMixerOps.td); the
// chunk form and its derivative are those of Yang et al., arXiv 2406.06484 (delta rule) and 2312.06635 (decay by
// channel), and of Dao and Gu, arXiv 2405.21060 (decay by head).
#pragma once

#include "runtime/device/cpu/typed_rows.h"

#include <cstdint>

namespace stretto::runtime::mixer {

// [batch * length, columns]; stride 0: the same for all tokens.
using Rows = TypedRows;

struct Operands {
  int64_t batch = 0, length = 0;
  int64_t heads = 1, keyHeads = 1, keyColumns = 0, valueColumns = 0; // columns of a head
  double scale = 1;
  int32_t real = 0; // stretto_dtype of decay, write, beta and states, and of sums
  bool decaysByChannel = false, readsBefore = false;
  Rows q, k, v, decay, write, beta, erase, eraseWrite;
  const int32_t *positions = nullptr; // as in stretto_input, or null
};

// Writes out, and states, [batch, heads, ceil(length / segment), keyColumns * valueColumns], unless that is null.
struct Forward : Operands {
  int64_t segment = 0;
  Rows out;
  void *states = nullptr;
};

// Reads states; writes the gradients that are given. dq and dk have keyColumns columns for each part: for each head, or
// for each 16 where seq.mixer_grad says so.
struct Backward : Operands {
  int64_t segment = 0, headsOfPart = 1;
  const void *states = nullptr;
  Rows grad, dq, dk, dv, dDecay, dWrite, dBeta, dErase, dEraseWrite;
};

// `length` rows of each sequence, of which counts[b] are valid; goes on from `state`, [batch, heads, keyColumns *
// valueColumns], or from zero where the first row is at position 0, and leaves there what it comes to.
struct Step : Operands {
  const int32_t *counts = nullptr;
  void *state = nullptr;
  Rows out;
};

// Bytes of scratch that each thread needs, a multiple of 64.
int64_t scratchBytes(const Forward &mixer);
int64_t scratchBytes(const Backward &mixer);
int64_t scratchBytes(const Step &mixer);

// `scratch`: that of all threads, one behind the other.
void run(const Forward &mixer, char *scratch);
void run(const Backward &mixer, char *scratch);
void run(const Step &mixer, char *scratch);

} // namespace stretto::runtime::mixer
