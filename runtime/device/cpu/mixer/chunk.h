// One head's work on one chunk: what forward and backward have in common. Symbols as in the papers that mixer.h names.
//
// A chunk has up to chunkRows rows. Where a mixer writes back along another direction than it erases (erase_write),
// each token is two rows: one erases, decays and writes nothing, the next writes and erases nothing; with that, all
// mixers are S' = decayed S + k u^T, u = w v - (what r reads).
#pragma once

#include "runtime/device/cpu/mixer/operands.h"
#include "runtime/device/cpu/mixer/rows.h"
#include "runtime/device/cpu/tiles/matmul.h"

#include <algorithm>

namespace stretto::runtime::mixer {

using tiles::Base;
using tiles::Left;
using tiles::Part;

// Tokens of a chunk.
inline int64_t tokensOf(const Form &form) { return chunkRows / form.rowsPerToken(); }

template <typename Real> struct Chunk {
  using In = Matrix<const Real>;
  using Out = Matrix<Real>;

  int64_t rows = 0;
  In q, k, v, r;     // [rows, keys], and v [rows, values], in place where they can be; q times the scale
  Real w[chunkRows]; // what v is multiplied by, where `writes`
  bool writes = false;
  In qDecayed, rDecayed; // from the state before the chunk on: q * e^G, r * e^G
  In kRest;              // up to the end of the chunk: k * e^(total - G)
  Out kTransposed;       // [keys, rows]: the keys that pairs are products with
  Out a, m;              // pairs of q and k, and of r and k, [rows, rows]
  Out inverse;           // (I + m)^-1
  In u;                  // what is written, [rows, values]

  // By head. G: sums of decay from the first row on, that r sees one row earlier if it reads before.
  double gates[chunkRows] = {}, rowGates[chunkRows] = {};
  Real qFactors[chunkRows], rFactors[chunkRows], kFactors[chunkRows];
  Out pairFactors, erasePairFactors;
  // By channel: e^decay; its products from the first row of the chunk on, for r, and behind a row to the last.
  Out kept, fromBegin, rFromBegin, toEnd;
  // Where the decay of the whole chunk is so weak that its inverse can be formed (`isWeak`), pairs are matmuls of what
  // is decayed and its inverse. Else they are taken block by block: products within blocks (rows.h).
  bool isWeak = false;
  Out inverseDecay, kInverse; // 1 / fromBegin, k / fromBegin
  Out through, rest;
  Out qBlock, rBlock, kBlock; // q and r of the second block from its begin on, k of the first one to its end
  Real *total;                // e^G of the whole chunk: [keys], by head and without decay one number for all

  Chunk(const Form &form, Scratch &scratch);
  // The block of rows that begins at one of them, for decay by channel.
  PairBlock<Real> pairBlock(const Form &form, int64_t begin) const {
    auto from = [&](In matrix) { return In{matrix.row(begin), matrix.stride}; };
    return {std::min(blockRows, rows - begin), form.keys, form.before, from(kept), from(q), from(k),
            form.erases ? from(r) : In()};
  }

  // Memory for what cannot be read in place, and for what is decayed.
  Real *qRows, *kRows, *vRows, *rRows, *uRows;
  Out qScaled, rScaled, kScaled;
};

// One head of one sequence.
template <typename Real> struct Head {
  const Operands &op;
  const Form form;
  const int64_t head, keyHead;
  Real scales[chunkRows]; // op.scale for each row

  Head(const Operands &op, int64_t head) : op(op), form(op), head(head), keyHead(head * op.keyHeads / op.heads) {
    std::fill_n(scales, chunkRows, static_cast<Real>(op.scale));
  }

  // Reads the rows of `tokens` tokens from number `token` (among all of the batch) on, and all that does not need the
  // state before them.
  void prepare(Chunk<Real> &chunk, int64_t token, int64_t tokens) const;
  // u, from the state before the chunk, [keys, values]; null: zero.
  void solve(Chunk<Real> &chunk, const Real *state, Real *values) const;
  // The state behind the chunk, from that before it (null: zero), which may lie in the same place.
  void advance(const Chunk<Real> &chunk, const Real *state, Real *next) const;

  // Rows of an operand among two rows for each token: row `place` of the two; the other ones are zero.
  Matrix<const Real> interleave(const Rows &rows, int64_t token, int64_t tokens, int64_t column, int64_t columns,
                                int64_t place, Real *buffer) const;
  // Where rows of a result are best written: in place where they can be, else into `buffer`.
  Matrix<Real> target(const Rows &rows, int64_t token, int64_t column, Matrix<Real> buffer) const;
  static Left<Real> read(Matrix<const Real> matrix, Part part = Part::all) {
    return {matrix.data, matrix.stride, /*transpose=*/false, part};
  }
  static Left<Real> transposed(Matrix<const Real> matrix, Part part = Part::all) {
    return {matrix.data, matrix.stride, /*transpose=*/true, part};
  }

private:
  void load(Chunk<Real> &chunk, int64_t token, int64_t tokens) const;
  void loadTwoRows(Chunk<Real> &chunk, int64_t token, int64_t tokens) const;
  void decayByHead(Chunk<Real> &chunk, int64_t token) const;
  void decayByChannel(Chunk<Real> &chunk, int64_t token) const;
  // a = q k^T and m = r k^T, where they count.
  void multiplyPairs(Chunk<Real> &chunk, Matrix<const Real> q, Matrix<const Real> r, Matrix<const Real> k) const;
  void keepPairs(Chunk<Real> &chunk) const;
  void pairsByHead(Chunk<Real> &chunk) const;
  void pairsOfWeakDecay(Chunk<Real> &chunk) const;
  void pairsByChannel(Chunk<Real> &chunk) const;
};

} // namespace stretto::runtime::mixer
