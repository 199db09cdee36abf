// As in attention.cpp, over blocks of queries and panels of keys; which keys a query sees is said by its position.
#include "runtime/device/cpu/attention_step.h"

#include "runtime/core/distance.h"
#include "runtime/core/threads.h"
#include "runtime/device/cpu/bf16.h"
#include "runtime/device/cpu/bias.h"
#include "runtime/device/cpu/decay.h"
#include "runtime/device/cpu/sinks.h"
#include "runtime/device/cpu/softmax_rows.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace stretto::runtime {
namespace {

constexpr int64_t stepRows = 32;  // queries worked on together
constexpr int64_t stepKeys = 512; // keys whose scores are held at once; a multiple of rowMultiple

int64_t blockCount(const AttentionStepOp &op) { return (op.rows + stepRows - 1) / stepRows; }

// Row `t` of one head in rows of `stride` elements.
template <typename Real> Real *rowOf(const void *data, int64_t t, int64_t stride, int64_t head, int64_t dim) {
  return static_cast<Real *>(const_cast<void *>(data)) + t * stride + head * dim;
}

// What keys add to scores of the queries of a block, and queries, by the sum of the decay at the first query. Keys come
// panel after panel.
template <typename Real> class StepDecay {
public:
  DecayTerms<Real, stepKeys> ofKeys;
  DecayTerms<Real, stepRows> ofQueries;

  StepDecay(const AttentionStepOp &op, int64_t b, int64_t head, const int32_t *positions, int64_t rows,
            int64_t firstKey)
      : op(op), b(b), head(head), sum(sumOf(firstKey, positions[0])) {
    for (int64_t row = 0; row < rows; ++row)
      ofQueries.set(row, sumOf(positions[0], positions[row]) / op.scale);
  }

  // Of the next `count` keys, from `key` on, which lie behind each other.
  void readKeys(int64_t key, int64_t count) {
    int64_t place = key % op.capacity;
    for (int64_t i = 0; i < count; ++i) {
      ofKeys.set(i, sum / op.scale);
      place = next(place);
      sum -= at(place);
    }
  }

private:
  double at(int64_t place) const {
    return static_cast<double>(static_cast<const Real *>(op.decay)[(b * op.capacity + place) * op.heads + head]);
  }
  int64_t next(int64_t place) const { return place + 1 == op.capacity ? 0 : place + 1; }
  // Over the tokens behind a position up to another.
  double sumOf(int64_t position, int64_t last) const {
    double sum = 0;
    for (int64_t place = position % op.capacity; position < last; ++position) {
      place = next(place);
      sum += at(place);
    }
    return sum;
  }

  const AttentionStepOp &op;
  int64_t b, head;
  double sum; // from the next key to the first query
};

template <typename Real> void stepBlock(const AttentionStepOp &op, int64_t b, int64_t head, int64_t index) {
  const int64_t begin = index * stepRows, first = b * op.rows + begin;
  const int64_t rows = std::clamp<int64_t>(op.counts[b] - begin, 0, std::min(stepRows, op.rows - begin));
  Real *out = rowOf<Real>(op.o, first, op.o_stride, head, op.value_dim);
  for (int64_t row = rows; row < std::min(stepRows, op.rows - begin); ++row)
    std::memset(out + row * op.o_stride, 0, op.value_dim * sizeof(Real));
  if (rows == 0)
    return;
  const int32_t *positions = op.positions + first;
  const int64_t firstKey = firstSeenKey(op.window, positions[0]), endKey = positions[rows - 1] + 1; // positions ascend
  const int64_t kvHead = head * op.kv_heads / op.heads;
  const int64_t kStride = op.kv_heads * op.head_dim, vStride = op.kv_heads * op.value_dim;
  const Operand<Real> q{rowOf<Real>(op.q, first, op.q_stride, head, op.head_dim), op.q_stride};
  alignas(64) Real scores[stepRows * stepKeys];
  SoftmaxState<Real> states[stepRows];
  std::optional<StepDecay<Real>> decay;
  if (op.decay)
    decay.emplace(op, b, head, positions, rows, firstKey);
  for (int64_t panel = firstKey, keys; panel < endKey; panel += keys) {
    const int64_t place = panel % op.capacity, key = b * op.capacity + place;
    keys = std::min({stepKeys, endKey - panel, op.capacity - place});
    const Operand<Real> k{rowOf<Real>(op.k, key, kStride, kvHead, op.head_dim), kStride, true};
    const Operand<Real> v{rowOf<Real>(op.v, key, vStride, kvHead, op.value_dim), vStride};
    multiply<Real>(rows, keys, op.head_dim, q, k, 0, scores, stepKeys);
    if (decay)
      decay->readKeys(panel, keys);
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t first = firstSeenKey(op.window, positions[row]);
      const SeenKeys seen{std::clamp<int64_t>(first - panel, 0, keys),
                          std::clamp<int64_t>(positions[row] + 1 - panel, 0, keys), keys};
      if (seen.begin == seen.end) {
        std::fill_n(scores + row * stepKeys, keys, Real(0));
        continue;
      }
      if (op.cap > 0)
        capRow(scores + row * stepKeys, seen, static_cast<Real>(op.cap / op.scale));
      if (op.alibi)
        subtractDistances(scores + row * stepKeys, seen, positions[row] - panel,
                          static_cast<Real>(alibiSlope(head, op.heads) / op.scale));
      if (decay)
        addDecay(scores + row * stepKeys, seen, decay->ofKeys, decay->ofQueries, row);
      if (op.bias)
        addBias(scores + row * stepKeys, seen, positions[row] - panel, biasOf<Real>(op, head),
                static_cast<Real>(1 / op.scale));
      const bool isFirst = first >= panel;
      const Real shrink = softmaxRow(scores + row * stepKeys, seen, static_cast<Real>(op.scale), isFirst, states[row]);
      if (!isFirst)
        scaleRow(out + row * op.o_stride, op.value_dim, shrink);
    }
    multiply<Real>(rows, op.value_dim, keys, {scores, stepKeys}, v, panel > firstKey, out, op.o_stride);
  }
  for (int64_t row = 0; row < rows; ++row)
    scaleRow(out + row * op.o_stride, op.value_dim,
             normaliser(states[row].maximum, states[row].sum, sinkOf<Real>(op, head)).factor);
}

template <typename Real> void step(const AttentionStepOp &op) {
  const int64_t heads = op.batch * op.heads;
  parallelFor(heads * blockCount(op),
              [&](int64_t i, int) { stepBlock<Real>(op, i % heads / op.heads, i % heads % op.heads, i / heads); });
}

} // namespace

void collectShapes(const AttentionStepOp &op, std::set<MatmulShape> &shapes) {
  const int32_t dtype = op.dtype == STRETTO_BF16 ? STRETTO_F32 : op.dtype;
  const int64_t rows = std::min(stepRows, op.rows), keys = std::min(stepKeys, op.capacity);
  shapes.insert({.dtype = dtype, .m = rows, .n = keys, .k = op.head_dim, .transposeB = true, .shared = true});
  shapes.insert({.dtype = dtype, .m = rows, .n = op.value_dim, .k = keys, .shared = true});
}

void attentionStep(const AttentionStepOp &op) {
  if (op.dtype == STRETTO_F64)
    step<double>(op);
  else
    step<float>(op);
}

} // namespace stretto::runtime
