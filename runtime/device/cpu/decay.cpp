// Sums of a decay of attention, and its gradient from sums of those of scores.
#include "runtime/device/cpu/decay.h"

#include "runtime/core/threads.h"

namespace stretto::runtime {
namespace {

int64_t tokensOf(const AttentionOp &op) { return op.batch * op.length; }

template <typename Real> void addUp(const AttentionOp &op, const Document &document, std::vector<double> &sums) {
  const int64_t tokens = tokensOf(op);
  const Real *const decay = static_cast<const Real *>(op.decay);
  for (int64_t head = 0; head < op.heads; ++head) {
    double sum = 0;
    for (int64_t token = document.first; token < document.first + document.length; ++token) {
      sum += static_cast<double>(decay[token * op.heads + head]);
      sums[head * tokens + token] = sum;
    }
  }
}

} // namespace

DecaySums::DecaySums(const AttentionOp &op, const std::vector<Document> &documents)
    : tokens(tokensOf(op)), sums(op.decay ? op.heads * tokens : 0) {
  if (op.decay)
    parallelFor(static_cast<int64_t>(documents.size()), [&](int64_t i, int) {
      op.dtype == STRETTO_F64 ? addUp<double>(op, documents[i], sums) : addUp<float>(op, documents[i], sums);
    });
}

template <typename Real>
DecayGrads<Real>::DecayGrads(const AttentionOp &op)
    : tokens(tokensOf(op)), queries(op.decay ? op.heads * tokens : 0), keys(queries.size()) {}

template <typename Real>
void DecayGrads<Real>::write(const AttentionGradOp &grad, const std::vector<Document> &documents) const {
  const AttentionOp &op = grad.forward;
  if (!op.decay)
    return;
  parallelFor(static_cast<int64_t>(documents.size()), [&](int64_t i, int) {
    const Document &document = documents[i];
    for (int64_t head = 0; head < op.heads; ++head) {
      double sum = 0;
      for (int64_t token = document.first + document.length - 1; token >= document.first; --token) {
        const int64_t at = head * tokens + token;
        sum += static_cast<double>(queries[at]) - static_cast<double>(keys[at]);
        static_cast<Real *>(grad.d_decay)[token * op.heads + head] = static_cast<Real>(sum / op.scale);
      }
    }
  });
}

template class DecayGrads<float>;
template class DecayGrads<double>;

} // namespace stretto::runtime
