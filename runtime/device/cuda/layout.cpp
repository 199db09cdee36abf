// How a row-major matmul is told to a library that is column-major.
#include "runtime/device/cuda/layout.h"

#include "runtime/core/op_table.h"

namespace stretto::runtime {

ColumnMajorMatmul columnMajor(const MatmulOp &op) {
  ColumnMajorMatmul matmul;
  matmul.transposeFirst = op.transpose_b;
  matmul.transposeSecond = op.transpose_a;
  matmul.first = op.transpose_b ? ColumnMajor{op.k, op.n, op.ldb} : ColumnMajor{op.n, op.k, op.ldb};
  matmul.second = op.transpose_a ? ColumnMajor{op.m, op.k, op.lda} : ColumnMajor{op.k, op.m, op.lda};
  matmul.result = {op.n, op.m, op.ldc};
  matmul.residual = {op.n, op.m, op.d ? op.ldd : op.ldc};
  return matmul;
}

MatmulKey keyOf(const MatmulOp &op) {
  return {op.dtype,
          op.dtype_c,
          op.m,
          op.n,
          op.k,
          op.lda,
          op.ldb,
          op.ldc,
          op.ldd,
          op.transpose_a,
          op.transpose_b,
          op.accumulate,
          op.d != nullptr,
          alignmentOf(op.a),
          alignmentOf(op.b),
          alignmentOf(op.c),
          op.d ? alignmentOf(op.d) : 0};
}

} // namespace stretto::runtime
