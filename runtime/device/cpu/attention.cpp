// Flash attention through LibTorch's kernels for CPU. They are called below the operator, so that they
// write straight into the planned buffers; views carry the row strides.
#include "runtime/device/cpu/library.h"

#include <ATen/Version.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <cstring>
#include <string>

namespace stretto {
namespace {

// The build of a dispatched kernel that LibTorch itself would pick for this CPU.
template <typename Stub> auto kernelFor(const Stub &) {
  static const auto kernel = [] {
    const std::string capability = at::get_cpu_capability();
    if (capability == "AVX512" && Stub::AVX512)
      return Stub::AVX512;
    return (capability == "AVX512" || capability == "AVX2") && Stub::AVX2 ? Stub::AVX2 : Stub::DEFAULT;
  }();
  return kernel;
}

at::ScalarType scalarType(int32_t dtype) { return dtype == STRETTO_F64 ? at::kDouble : at::kFloat; }

// [batch, heads, length, headDim] over rows of `stride` elements.
at::Tensor headsView(const AttentionOp &op, void *data, int64_t heads, int64_t stride) {
  return at::from_blob(data, {op.batch, heads, op.length, op.headDim},
                       {op.length * stride, op.headDim, stride, 1}, at::TensorOptions(scalarType(op.dtype)));
}

at::Tensor lseView(const AttentionOp &op) {
  return at::from_blob(op.lse, {op.batch, op.heads, op.length}, {op.heads * op.length, op.length, 1},
                       at::TensorOptions(scalarType(op.dtype)));
}

// The kernels add into the gradients.
void zeroRows(const AttentionOp &op, void *data, int64_t width, int64_t stride) {
  const int64_t element = elementBytes(op.dtype), rows = op.batch * op.length;
  char *base = static_cast<char *>(data);
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < rows; ++row)
    std::memset(base + row * stride * element, 0, width * element);
}

} // namespace

void attention(const AttentionOp &op) {
  c10::InferenceMode guard;
  // The kernel takes the log-sum-exp as [batch, length, heads].
  kernelFor(at::native::flash_attention_kernel)(
      headsView(op, op.o, op.heads, op.oStride).transpose(1, 2), lseView(op).transpose(1, 2),
      headsView(op, op.q, op.heads, op.qStride), headsView(op, op.k, op.kvHeads, op.kStride),
      headsView(op, op.v, op.kvHeads, op.vStride), 0.0, op.causal, std::nullopt, op.scale);
}

void attentionGrad(const AttentionGradOp &op) {
  c10::InferenceMode guard;
  const AttentionOp &forward = op.forward;
  const int64_t width = forward.heads * forward.headDim, kvWidth = forward.kvHeads * forward.headDim;
  zeroRows(forward, op.dq, width, op.dqStride);
  zeroRows(forward, op.dk, kvWidth, op.dkStride);
  zeroRows(forward, op.dv, kvWidth, op.dvStride);
  auto view = [&](void *data, int64_t heads, int64_t stride) {
    return headsView(forward, data, heads, stride).transpose(1, 2);
  };
  kernelFor(at::native::flash_attention_backward_kernel)(
      view(op.dq, forward.heads, op.dqStride), view(op.dk, forward.kvHeads, op.dkStride),
      view(op.dv, forward.kvHeads, op.dvStride), view(op.dOut, forward.heads, op.dOutStride),
      view(forward.q, forward.heads, forward.qStride), view(forward.k, forward.kvHeads, forward.kStride),
      view(forward.v, forward.kvHeads, forward.vStride), view(forward.o, forward.heads, forward.oStride),
      lseView(forward).transpose(1, 2), 0.0, forward.causal, std::nullopt, forward.scale);
}

} // namespace stretto
