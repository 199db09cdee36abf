// Row-major matmuls as calls of a column-major library.
#include "runtime/device/cuda/layout.h"
#include "test/unit/runtime/ops.h"

#include <set>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

// Element of a column-major matrix, of its transpose if asked.
double at(const std::vector<double> &data, const ColumnMajor &matrix, bool transpose, int64_t row, int64_t column) {
  if (transpose)
    std::swap(row, column);
  EXPECT_LT(row, matrix.rows);
  EXPECT_LT(column, matrix.columns);
  return data[column * matrix.stride + row];
}

// What a column-major library does with such a matmul: op(first) op(second) + beta residual.
void multiplyColumnMajor(const ColumnMajorMatmul &matmul, const std::vector<double> &first,
                         const std::vector<double> &second, double beta, const std::vector<double> &residual,
                         std::vector<double> &result) {
  const int64_t depth = matmul.transposeFirst ? matmul.first.rows : matmul.first.columns;
  EXPECT_EQ(depth, matmul.transposeSecond ? matmul.second.columns : matmul.second.rows);
  for (int64_t column = 0; column < matmul.result.columns; ++column)
    for (int64_t row = 0; row < matmul.result.rows; ++row) {
      double sum = 0;
      for (int64_t l = 0; l < depth; ++l)
        sum += at(first, matmul.first, matmul.transposeFirst, row, l) *
               at(second, matmul.second, matmul.transposeSecond, l, column);
      result[column * matmul.result.stride + row] = sum + beta * residual[column * matmul.residual.stride + row];
    }
}

MatmulOp makeOp(int64_t m, int64_t n, int64_t k, int bits) {
  MatmulOp op;
  op.dtype = op.dtype_c = STRETTO_F64;
  op.m = m, op.n = n, op.k = k, op.transpose_a = bits & 1, op.transpose_b = bits >> 1 & 1,
  op.accumulate = bits >> 2 & 1;
  op.lda = (op.transpose_a ? m : k) + 3, op.ldb = (op.transpose_b ? k : n) + 1, op.ldc = n + 2;
  return op;
}

} // namespace

TEST(Layout, AColumnMajorLibraryComputesTheRowMajorMatmul) {
  for (int bits = 0; bits < 8; ++bits) {
    MatmulOp op = makeOp(5, 7, 3, bits);
    const auto a = randomReals<double>((op.transpose_a ? op.k : op.m) * op.lda, 1);
    const auto b = randomReals<double>((op.transpose_b ? op.n : op.k) * op.ldb, 2);
    auto c = randomReals<double>(op.m * op.ldc, 3), expected = c;
    op.a = a.data(), op.b = b.data(), op.c = expected.data();
    makeDevice("cpu")->submit(op);
    multiplyColumnMajor(columnMajor(op), b, a, op.accumulate ? 1 : 0, c, c);
    EXPECT_LE(relativeError(c, expected), 1e-14) << "case " << bits;
  }
}

TEST(Layout, AResidualHasAStrideOfItsOwn) {
  MatmulOp op = makeOp(5, 7, 3, 2);
  op.ldd = 11;
  const auto a = randomReals<double>(op.m * op.lda, 1), b = randomReals<double>(op.n * op.ldb, 2);
  const auto d = randomReals<double>(op.m * op.ldd, 4);
  std::vector<double> c(op.m * op.ldc), expected = c;
  op.a = a.data(), op.b = b.data(), op.c = expected.data(), op.d = d.data();
  makeDevice("cpu")->submit(op);
  multiplyColumnMajor(columnMajor(op), b, a, 1, d, c);
  EXPECT_LE(relativeError(c, expected), 1e-14);
}

TEST(Layout, StridesCoverTheirColumns) {
  for (int bits = 0; bits < 4; ++bits) {
    const ColumnMajorMatmul matmul = columnMajor(makeOp(5, 7, 3, bits));
    for (const ColumnMajor &matrix : {matmul.first, matmul.second, matmul.result})
      EXPECT_GE(matrix.stride, matrix.rows); // what libraries insist on
  }
}

TEST(Layout, PlansAreSharedByLayersAndByNothingElse) {
  MatmulOp op = makeOp(64, 32, 16, 0);
  op.a = reinterpret_cast<void *>(4096);
  MatmulOp other = op;
  other.a = reinterpret_cast<void *>(8192 + 64);
  EXPECT_EQ(keyOf(op), keyOf(other));
  std::set<MatmulKey> keys = {keyOf(op)};
  auto differs = [&](auto change) {
    MatmulOp changed = op;
    change(changed);
    EXPECT_TRUE(keys.insert(keyOf(changed)).second);
  };
  differs([](MatmulOp &o) { o.m = 65; });
  differs([](MatmulOp &o) { o.n = 33; });
  differs([](MatmulOp &o) { o.k = 17; });
  differs([](MatmulOp &o) { o.lda = 99; });
  differs([](MatmulOp &o) { o.ldb = 99; });
  differs([](MatmulOp &o) { o.ldc = 99; });
  differs([](MatmulOp &o) { o.transpose_a = true; });
  differs([](MatmulOp &o) { o.transpose_b = true; });
  differs([](MatmulOp &o) { o.accumulate = true; });
  differs([](MatmulOp &o) { o.dtype_c = STRETTO_F32; });
  differs([](MatmulOp &o) { o.dtype = STRETTO_BF16; });
  differs([](MatmulOp &o) { o.a = reinterpret_cast<void *>(4096 + 2); });
  differs([](MatmulOp &o) { o.d = reinterpret_cast<void *>(4096); });
  differs([](MatmulOp &o) { o.d = reinterpret_cast<void *>(4096), o.ldd = 99; });
}
