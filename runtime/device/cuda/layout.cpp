// How a row-major product is told to a library that is column-major.
#include "runtime/device/cuda/layout.h"

#include <algorithm>
#include <bit>

namespace stretto {

ColumnMajorProduct columnMajor(const MatmulOp &op) {
  ColumnMajorProduct product;
  product.transposeFirst = op.transposeB;
  product.transposeSecond = op.transposeA;
  product.first = op.transposeB ? ColumnMajor{op.k, op.n, op.ldb} : ColumnMajor{op.n, op.k, op.ldb};
  product.second = op.transposeA ? ColumnMajor{op.m, op.k, op.lda} : ColumnMajor{op.k, op.m, op.lda};
  product.result = {op.n, op.m, op.ldc};
  product.addend = {op.n, op.m, op.d ? op.ldd : op.ldc};
  return product;
}

int64_t alignmentOf(const void *address) {
  constexpr uintptr_t widest = 16;
  return int64_t(1) << std::countr_zero(reinterpret_cast<uintptr_t>(address) | widest);
}

ProductKey keyOf(const MatmulOp &op) {
  return {op.dtype,
          op.dtypeC,
          op.m,
          op.n,
          op.k,
          op.lda,
          op.ldb,
          op.ldc,
          op.ldd,
          op.transposeA,
          op.transposeB,
          op.accumulate,
          op.d != nullptr,
          alignmentOf(op.a),
          alignmentOf(op.b),
          alignmentOf(op.c),
          op.d ? alignmentOf(op.d) : 0};
}

} // namespace stretto
