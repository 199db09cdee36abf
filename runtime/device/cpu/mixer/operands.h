// What all ways of computing a mixer have in common: memory, and the rows of its operands.
#pragma once

#include "runtime/device/cpu/mixer/mixer.h"
#include "runtime/device/cpu/tiles/matrix.h"

namespace stretto::runtime::mixer {

// Hands out parts of a thread's scratch; with no memory, counts how much it takes.
class Scratch {
public:
  explicit Scratch(char *begin) : begin(begin) {}
  template <typename Real> Real *take(int64_t count) {
    const int64_t at = bytes;
    bytes += (count * static_cast<int64_t>(sizeof(Real)) + 63) / 64 * 64;
    return begin ? reinterpret_cast<Real *>(begin + at) : nullptr;
  }
  int64_t taken() const { return bytes; }

private:
  char *begin;
  int64_t bytes = 0;
};

// What holds for all of an operation.
struct Form {
  explicit Form(const Operands &op)
      : keys(op.keyColumns), values(op.valueColumns), erases(op.beta || op.erase), twoRows(op.eraseWrite),
        byChannel(op.decay && op.decaysByChannel), byHead(op.decay && !op.decaysByChannel), before(op.readsBefore) {}
  int64_t keys, values;
  bool erases, twoRows, byChannel, byHead, before;
  bool decays() const { return byHead || byChannel; }
  int64_t rowsPerToken() const { return twoRows ? 2 : 1; }
};

// The number of the state that is saved before the segment of a token, among those of all sequences and heads.
template <typename Op> int64_t savedState(const Op &op, int64_t head, int64_t token) {
  const int64_t segments = (op.length + op.segment - 1) / op.segment, sequence = token / op.length;
  return (sequence * op.heads + head) * segments + token % op.length / op.segment;
}

// Whether rows of that type lie in memory as they are computed with.
template <typename Real> bool isPlain(const Rows &rows);
// Where plain rows have a number.
template <typename Real> Real *placeIn(const Rows &rows, int64_t token, int64_t column) {
  return static_cast<Real *>(rows.data) + token * rows.stride + column;
}
// Rows of an operand: in place, or in `buffer`.
template <typename Real>
tiles::Matrix<const Real> readRows(const Rows &rows, int64_t token, int64_t tokens, int64_t column, int64_t columns,
                                   Real *buffer);
// Stores rows of a result, every `step`-th of `from`, unless they are in place.
template <typename Real>
void storeRows(const Rows &rows, int64_t token, int64_t tokens, int64_t column, int64_t columns,
               tiles::Matrix<const Real> from, int64_t step);

// Numbers on their way to zero pass through subnormal ones, which processors are slow with: they count as zero while
// one of these lives.
class FlushToZero {
public:
  FlushToZero();
  ~FlushToZero();

private:
  unsigned before;
};

} // namespace stretto::runtime::mixer
