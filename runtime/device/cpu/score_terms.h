// What is added to scores of attention besides distances times a slope: the sum of a decay, and a number by distance.
#pragma once

#include "runtime/device/cpu/bias.h"
#include "runtime/device/cpu/decay.h"

namespace stretto::runtime {

// Of a head and a document. `sums`: of the decay from the first token of the document on; null without one.
template <typename Real> struct ScoreTerms {
  const double *sums;
  DistanceBias<Real> bias;
  bool areThere() const { return sums || bias.numbers; }
};

// Sums of the gradients of scores, for both.
template <typename Real> struct ScoreTermGrads {
  DecayGrads<Real> decay;
  BiasGrads<Real> bias;
  explicit ScoreTermGrads(const AttentionOp &op) : decay(op), bias(op) {}
  void write(const AttentionGradOp &grad, const std::vector<Document> &documents) const {
    decay.write(grad, documents);
    bias.write(grad);
  }
};

} // namespace stretto::runtime
