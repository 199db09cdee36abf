// What sinks add to the softmax of attention.
#pragma once

#include "runtime/core/op.h"

#include <algorithm>
#include <cmath>

namespace stretto::runtime {

// The sink of a head of an AttentionOp or AttentionStepOp; null where there is none.
template <typename Real, typename Op> const Real *sinkOf(const Op &op, int64_t head) {
  return op.sinks ? static_cast<const Real *>(op.sinks) + head : nullptr;
}

// What makes a softmax of results that were added up with exp(score - maximum): the factor of results, the log-sum-exp,
// and the sink's share of the sum.
template <typename Real> struct Normaliser {
  Real factor, lse, share;
};
template <typename Real> Normaliser<Real> normaliser(Real maximum, Real sum, const Real *sink) {
  if (!sink)
    return {1 / sum, maximum + std::log(sum), 0};
  const Real top = std::max(maximum, *sink), keep = std::exp(maximum - top), ofSink = std::exp(*sink - top);
  const Real total = sum * keep + ofSink;
  return {keep / total, top + std::log(total), ofSink / total};
}

// The share of a head's sink at a token of the batch.
template <typename Real> void writeShare(const AttentionOp &op, int64_t head, int64_t token, Real share) {
  if (op.share)
    static_cast<Real *>(op.share)[token * op.heads + head] = share;
}

} // namespace stretto::runtime
