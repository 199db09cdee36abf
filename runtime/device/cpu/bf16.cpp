// Matmuls and attention of bfloat16 operands on the CPU.
#include "runtime/device/cpu/bf16.h"

#include "runtime/core/bf16.h"
#include "runtime/core/threads.h"
#include "runtime/device/cpu/attention.h"
#include "runtime/device/cpu/attention_step.h"
#include "runtime/device/cpu/matmul.h"

#include <algorithm>
#include <utility>

namespace stretto::runtime {
namespace {

// Rows of a matrix, `stride` elements apart in memory; dense where they are widened.
struct Rows {
  void *data = nullptr;
  int64_t rows = 0, columns = 0, stride = 0;
  int64_t elements() const { return rows * columns; }
};

template <typename Work> void eachRow(const Rows &rows, const Work &work) {
  const int64_t block = std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, rows.columns));
  parallelFor((rows.rows + block - 1) / block, [&](int64_t piece, int) {
    for (int64_t row = piece * block; row < std::min(rows.rows, (piece + 1) * block); ++row)
      work(static_cast<uint16_t *>(rows.data) + row * rows.stride, row * rows.columns);
  });
}

void widen(const Rows &rows, float *wide) {
  eachRow(rows, [&](const uint16_t *narrow, int64_t at) {
    std::transform(narrow, narrow + rows.columns, wide + at, widenBf16);
  });
}

void narrow(const float *wide, const Rows &rows) {
  eachRow(rows, [&](uint16_t *narrow, int64_t at) {
    std::transform(wide + at, wide + at + rows.columns, narrow, roundToBf16);
  });
}

// Hands out parts of the memory for widened matrices, in order.
class Parts {
public:
  explicit Parts(float *next) : next(next) {}
  float *take(const Rows &rows) { return std::exchange(next, next + rows.elements()); }
  float *widened(const Rows &rows) {
    float *wide = take(rows);
    widen(rows, wide);
    return wide;
  }

private:
  float *next;
};

Rows rowsOfA(const MatmulOp &op) {
  return {const_cast<void *>(op.a), op.transpose_a ? op.k : op.m, op.transpose_a ? op.m : op.k, op.lda};
}
Rows rowsOfB(const MatmulOp &op) {
  return {const_cast<void *>(op.b), op.transpose_b ? op.n : op.k, op.transpose_b ? op.k : op.n, op.ldb};
}
Rows rowsOfC(const MatmulOp &op) { return {op.c, op.m, op.n, op.ldc}; }
Rows rowsOfD(const MatmulOp &op) { return {const_cast<void *>(op.d), op.m, op.n, op.ldd}; }

Rows rowsOf(const AttentionOp &op, void *data, int64_t columns, int64_t stride) {
  return {data, op.batch * op.length, columns, stride};
}
Rows queries(const AttentionOp &op, void *data, int64_t stride) {
  return rowsOf(op, data, op.heads * op.head_dim, stride);
}
Rows keys(const AttentionOp &op, void *data, int64_t stride) {
  return rowsOf(op, data, op.kv_heads * op.head_dim, stride);
}
Rows values(const AttentionOp &op, void *data, int64_t stride) {
  return rowsOf(op, data, op.kv_heads * op.value_dim, stride);
}
Rows results(const AttentionOp &op, void *data, int64_t stride) {
  return rowsOf(op, data, op.heads * op.value_dim, stride);
}

Rows rowsOf(const AttentionStepOp &op, const void *data, int64_t dim, int64_t stride) {
  return {const_cast<void *>(data), op.batch * op.rows, op.heads * dim, stride};
}
Rows cached(const AttentionStepOp &op, const void *data, int64_t dim) {
  const int64_t columns = op.kv_heads * dim;
  return {const_cast<void *>(data), op.batch * op.capacity, columns, columns};
}

} // namespace

MatmulOp inFloat(MatmulOp op) {
  op.dtype = STRETTO_F32;
  op.lda = op.transpose_a ? op.m : op.k;
  op.ldb = op.transpose_b ? op.k : op.n;
  if (op.dtype_c == STRETTO_BF16)
    op.ldc = op.ldd = op.n;
  op.dtype_c = STRETTO_F32;
  return op;
}

AttentionOp inFloat(AttentionOp op) {
  op.dtype = STRETTO_F32;
  op.q_stride = op.heads * op.head_dim;
  op.o_stride = op.heads * op.value_dim;
  op.k_stride = op.kv_heads * op.head_dim;
  op.v_stride = op.kv_heads * op.value_dim;
  return op;
}

AttentionGradOp inFloat(AttentionGradOp grad) {
  grad.forward = inFloat(grad.forward);
  grad.do_stride = grad.forward.o_stride;
  grad.dq_stride = grad.forward.q_stride;
  grad.dk_stride = grad.forward.k_stride;
  grad.dv_stride = grad.forward.v_stride;
  return grad;
}

int64_t wideElements(const MatmulOp &op) {
  return rowsOfA(op).elements() + rowsOfB(op).elements() + (op.dtype_c == STRETTO_BF16 ? op.m * op.n : 0);
}
int64_t wideElements(const AttentionOp &op) {
  int64_t sum = 0;
  for (const Rows &rows :
       {queries(op, nullptr, 0), keys(op, nullptr, 0), values(op, nullptr, 0), results(op, nullptr, 0)})
    sum += rows.elements();
  return sum;
}
int64_t wideElements(const AttentionGradOp &op) { return 2 * wideElements(op.forward); }

int64_t wideElements(const AttentionStepOp &op) {
  int64_t sum = 0;
  for (const int64_t dim : {op.head_dim, op.value_dim})
    sum += rowsOf(op, nullptr, dim, 0).elements() + cached(op, nullptr, dim).elements();
  return sum;
}

void matmulBf16(const MatmulOp &op, float *memory) {
  Parts parts(memory);
  MatmulOp wide = inFloat(op);
  wide.a = parts.widened(rowsOfA(op));
  wide.b = parts.widened(rowsOfB(op));
  if (op.dtype_c == STRETTO_F32)
    return matmul(wide);
  const Rows c = rowsOfC(op);
  float *sums = op.d ? parts.widened(rowsOfD(op)) : op.accumulate ? parts.widened(c) : parts.take(c);
  wide.c = sums;
  wide.d = op.d ? sums : nullptr;
  matmul(wide);
  narrow(sums, c);
}

void attentionBf16(const AttentionOp &op, float *memory, char *scratch) {
  Parts parts(memory);
  AttentionOp wide = inFloat(op);
  wide.q = parts.widened(queries(op, op.q, op.q_stride));
  wide.k = parts.widened(keys(op, op.k, op.k_stride));
  wide.v = parts.widened(values(op, op.v, op.v_stride));
  const Rows out = results(op, op.o, op.o_stride);
  float *result = parts.take(out);
  wide.o = result;
  attention(wide, scratch);
  narrow(result, out);
}

void attentionGradBf16(const AttentionGradOp &op, float *memory, char *scratch) {
  const AttentionOp &forward = op.forward;
  Parts parts(memory);
  AttentionGradOp wide = inFloat(op);
  wide.forward.q = parts.widened(queries(forward, forward.q, forward.q_stride));
  wide.forward.k = parts.widened(keys(forward, forward.k, forward.k_stride));
  wide.forward.v = parts.widened(values(forward, forward.v, forward.v_stride));
  wide.forward.o = parts.widened(results(forward, forward.o, forward.o_stride));
  wide.d_o = parts.widened(results(forward, op.d_o, op.do_stride));
  const Rows dq = queries(forward, op.d_q, op.dq_stride), dk = keys(forward, op.d_k, op.dk_stride),
             dv = values(forward, op.d_v, op.dv_stride);
  float *wideDq = parts.take(dq), *wideDk = parts.take(dk), *wideDv = parts.take(dv);
  wide.d_q = wideDq, wide.d_k = wideDk, wide.d_v = wideDv;
  attentionGrad(wide, scratch);
  narrow(wideDq, dq);
  narrow(wideDk, dk);
  narrow(wideDv, dv);
}

void attentionStepBf16(const AttentionStepOp &op, float *memory) {
  Parts parts(memory);
  AttentionStepOp wide = op;
  wide.dtype = STRETTO_F32;
  wide.q_stride = op.heads * op.head_dim;
  wide.o_stride = op.heads * op.value_dim;
  wide.q = parts.widened(rowsOf(op, op.q, op.head_dim, op.q_stride));
  wide.k = parts.widened(cached(op, op.k, op.head_dim));
  wide.v = parts.widened(cached(op, op.v, op.value_dim));
  const Rows out = rowsOf(op, op.o, op.value_dim, op.o_stride);
  float *result = parts.take(out);
  wide.o = result;
  attentionStep(wide);
  narrow(result, out);
}

} // namespace stretto::runtime
