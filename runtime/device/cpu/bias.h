// What distances add to scores of attention, and its gradient: sums of the gradients of scores, by distance.
#pragma once

#include "runtime/core/op.h"

#include <vector>

namespace stretto::runtime {

// A number for each distance of query and key up to `most`, which counts for longer ones, too; null where there are
// none.
template <typename Real> struct DistanceBias {
  const Real *numbers = nullptr;
  int64_t most = 0;
};

// Those of a head, as an op has them.
template <typename Real, typename Op> DistanceBias<Real> biasOf(const Op &op, int64_t head) {
  if (!op.bias)
    return {};
  return {static_cast<const Real *>(op.bias) + head * op.reach, op.reach - 1};
}

// Those of all heads for scores that are scaled later, with room around them: `biasRoom` numbers before distance 0,
// which mean nothing, and as many behind `most`, which are the same. So a vector is read wherever it begins.
constexpr int64_t biasRoom = 64;
class BiasTable {
public:
  explicit BiasTable(const AttentionOp &op);
  DistanceBias<float> of(int64_t head) const {
    return table.empty() ? DistanceBias<float>{} : DistanceBias<float>{table.data() + head * stride + biasRoom, most};
  }

private:
  int64_t most = 0, stride = 0;
  std::vector<float> table;
};

// For each head and distance, the sum of the gradients of scores before they were scaled. Pieces of work add up sums of
// their own, which become part of those of all in the order of the pieces. Nothing is kept where there is no bias.
template <typename Real> class BiasGrads {
public:
  // Distances first, first + 1, ... that a piece may meet; of scores that are hidden, negative ones, too.
  struct Distances {
    int64_t first, count;
  };
  explicit BiasGrads(const AttentionOp &op);
  bool isThere() const { return reach > 0; }
  // Sums of these pieces are zero.
  void begin(std::vector<Distances> pieces);
  // Where a piece adds up for distance `at` of a head; those of longer ones follow.
  Real *of(int64_t piece, int64_t head, int64_t at);
  void end();
  void write(const AttentionGradOp &grad) const;

private:
  int64_t heads, reach;
  std::vector<Distances> pieces;
  std::vector<int64_t> starts; // of the sums of a piece
  std::vector<Real> sums;      // of each piece, [heads, its distances]
  std::vector<double> total;   // [heads, reach]
};

} // namespace stretto::runtime
