// What all ways of computing a mixer have in common.
#pragma once

#include "runtime/device/cpu/mixer/mixer.h"
#include "runtime/device/cpu/scratch.h"

namespace stretto::runtime::mixer {

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
