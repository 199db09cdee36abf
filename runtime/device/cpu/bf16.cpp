// Products and attention of bfloat16 operands on the CPU.
#include "runtime/device/cpu/bf16.h"

#include "runtime/core/bf16.h"
#include "runtime/core/threads.h"
#include "runtime/device/cpu/attention.h"
#include "runtime/device/cpu/attention_step.h"
#include "runtime/device/cpu/matmul.h"

#include <algorithm>
#include <utility>

namespace stretto {
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
  return {const_cast<void *>(op.a), op.transposeA ? op.k : op.m, op.transposeA ? op.m : op.k, op.lda};
}
Rows rowsOfB(const MatmulOp &op) {
  return {const_cast<void *>(op.b), op.transposeB ? op.n : op.k, op.transposeB ? op.k : op.n, op.ldb};
}
Rows rowsOfC(const MatmulOp &op) { return {op.c, op.m, op.n, op.ldc}; }
Rows rowsOfD(const MatmulOp &op) { return {const_cast<void *>(op.d), op.m, op.n, op.ldd}; }

Rows rowsOf(const AttentionOp &op, void *data, int64_t heads, int64_t stride) {
  return {data, op.batch * op.length, heads * op.headDim, stride};
}
Rows queries(const AttentionOp &op, void *data, int64_t stride) { return rowsOf(op, data, op.heads, stride); }
Rows keys(const AttentionOp &op, void *data, int64_t stride) { return rowsOf(op, data, op.kvHeads, stride); }

Rows queries(const AttentionStepOp &op, const void *data, int64_t stride) {
  return {const_cast<void *>(data), op.batch * op.rows, op.heads * op.headDim, stride};
}
Rows cached(const AttentionStepOp &op, const void *data) {
  const int64_t columns = op.kvHeads * op.headDim;
  return {const_cast<void *>(data), op.batch * op.capacity, columns, columns};
}

} // namespace

MatmulOp inFloat(MatmulOp op) {
  op.dtype = STRETTO_F32;
  op.lda = op.transposeA ? op.m : op.k;
  op.ldb = op.transposeB ? op.k : op.n;
  if (op.dtypeC == STRETTO_BF16)
    op.ldc = op.ldd = op.n;
  op.dtypeC = STRETTO_F32;
  return op;
}

AttentionOp inFloat(AttentionOp op) {
  op.dtype = STRETTO_F32;
  op.qStride = op.oStride = op.heads * op.headDim;
  op.kStride = op.vStride = op.kvHeads * op.headDim;
  return op;
}

AttentionGradOp inFloat(AttentionGradOp grad) {
  grad.forward = inFloat(grad.forward);
  grad.dOutStride = grad.dqStride = grad.forward.qStride;
  grad.dkStride = grad.dvStride = grad.forward.kStride;
  return grad;
}

int64_t wideElements(const MatmulOp &op) {
  return rowsOfA(op).elements() + rowsOfB(op).elements() + (op.dtypeC == STRETTO_BF16 ? op.m * op.n : 0);
}
int64_t wideElements(const AttentionOp &op) {
  return 2 * queries(op, nullptr, 0).elements() + 2 * keys(op, nullptr, 0).elements();
}
int64_t wideElements(const AttentionGradOp &op) {
  return 4 * queries(op.forward, nullptr, 0).elements() + 4 * keys(op.forward, nullptr, 0).elements();
}

int64_t wideElements(const AttentionStepOp &op) {
  return 2 * queries(op, nullptr, 0).elements() + 2 * cached(op, nullptr).elements();
}

void matmulBf16(const MatmulOp &op, float *memory) {
  Parts parts(memory);
  MatmulOp wide = inFloat(op);
  wide.a = parts.widened(rowsOfA(op));
  wide.b = parts.widened(rowsOfB(op));
  if (op.dtypeC == STRETTO_F32)
    return matmul(wide);
  const Rows c = rowsOfC(op);
  float *sums = op.d ? parts.widened(rowsOfD(op)) : op.accumulate ? parts.widened(c) : parts.take(c);
  wide.c = sums;
  wide.d = op.d ? sums : nullptr;
  matmul(wide);
  narrow(sums, c);
}

void attentionBf16(const AttentionOp &op, float *memory) {
  Parts parts(memory);
  AttentionOp wide = inFloat(op);
  wide.q = parts.widened(queries(op, op.q, op.qStride));
  wide.k = parts.widened(keys(op, op.k, op.kStride));
  wide.v = parts.widened(keys(op, op.v, op.vStride));
  const Rows out = queries(op, op.o, op.oStride);
  float *result = parts.take(out);
  wide.o = result;
  attention(wide);
  narrow(result, out);
}

void attentionGradBf16(const AttentionGradOp &op, float *memory) {
  const AttentionOp &forward = op.forward;
  Parts parts(memory);
  AttentionGradOp wide = inFloat(op);
  wide.forward.q = parts.widened(queries(forward, forward.q, forward.qStride));
  wide.forward.k = parts.widened(keys(forward, forward.k, forward.kStride));
  wide.forward.v = parts.widened(keys(forward, forward.v, forward.vStride));
  wide.forward.o = parts.widened(queries(forward, forward.o, forward.oStride));
  wide.dOut = parts.widened(queries(forward, op.dOut, op.dOutStride));
  const Rows dq = queries(forward, op.dq, op.dqStride), dk = keys(forward, op.dk, op.dkStride),
             dv = keys(forward, op.dv, op.dvStride);
  float *wideDq = parts.take(dq), *wideDk = parts.take(dk), *wideDv = parts.take(dv);
  wide.dq = wideDq, wide.dk = wideDk, wide.dv = wideDv;
  attentionGrad(wide);
  narrow(wideDq, dq);
  narrow(wideDk, dk);
  narrow(wideDv, dv);
}

void attentionStepBf16(const AttentionStepOp &op, float *memory) {
  Parts parts(memory);
  AttentionStepOp wide = op;
  wide.dtype = STRETTO_F32;
  wide.qStride = wide.oStride = op.heads * op.headDim;
  wide.q = parts.widened(queries(op, op.q, op.qStride));
  wide.k = parts.widened(cached(op, op.k));
  wide.v = parts.widened(cached(op, op.v));
  const Rows out = queries(op, op.o, op.oStride);
  float *result = parts.take(out);
  wide.o = result;
  attentionStep(wide);
  narrow(result, out);
}

} // namespace stretto
