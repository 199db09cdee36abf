// What distances add to scores of attention, for vectors; and sums of gradients by distance.
#include "runtime/device/cpu/bias.h"

#include "runtime/core/threads.h"

#include <algorithm>
#include <utility>

namespace stretto::runtime {

BiasTable::BiasTable(const AttentionOp &op) {
  if (!op.bias)
    return;
  most = std::min(op.reach, op.length) - 1;
  stride = biasRoom + most + 1 + biasRoom;
  table.resize(op.heads * stride);
  const auto scale = static_cast<float>(op.scale);
  for (int64_t head = 0; head < op.heads; ++head) {
    const DistanceBias<float> bias = biasOf<float>(op, head);
    float *const to = table.data() + head * stride + biasRoom;
    for (int64_t distance = 0; distance <= most + biasRoom; ++distance)
      to[distance] = bias.numbers[std::min(distance, most)] / scale;
  }
}

template <typename Real>
BiasGrads<Real>::BiasGrads(const AttentionOp &op)
    : heads(op.heads), reach(op.bias ? op.reach : 0), total(heads * reach) {}

template <typename Real> void BiasGrads<Real>::begin(std::vector<Distances> given) {
  if (!isThere())
    return;
  pieces = std::move(given);
  starts.clear();
  int64_t count = 0;
  for (const Distances &each : pieces)
    starts.push_back(std::exchange(count, count + heads * each.count));
  sums.assign(count, Real(0));
}

template <typename Real> Real *BiasGrads<Real>::of(int64_t piece, int64_t head, int64_t at) {
  const Distances &its = pieces[piece];
  return sums.data() + starts[piece] + head * its.count + at - its.first;
}

template <typename Real> void BiasGrads<Real>::end() {
  if (!isThere())
    return;
  parallelFor(heads, [&](int64_t head, int) {
    for (size_t piece = 0; piece < pieces.size(); ++piece) {
      const Distances &its = pieces[piece];
      const int64_t least = std::max<int64_t>(its.first, 0), behind = its.first + its.count;
      const Real *const from = of(piece, head, its.first);
      for (int64_t distance = least; distance < behind; ++distance)
        total[head * reach + std::min(distance, reach - 1)] += static_cast<double>(from[distance - its.first]);
    }
  });
}

template <typename Real> void BiasGrads<Real>::write(const AttentionGradOp &grad) const {
  for (size_t i = 0; i < total.size(); ++i)
    static_cast<Real *>(grad.d_bias)[i] = static_cast<Real>(total[i] / grad.forward.scale);
}

template class BiasGrads<float>;
template class BiasGrads<double>;

} // namespace stretto::runtime
