// MKL with several threads cuts some matmuls along k by the number of threads, which changes the bits
// (measured on an AMD EPYC for tall f64 matmuls, under every value of MKL_CBWR). So every call here, of
// MKL or of our own (packed_matmul.h), runs on one thread and computes one tile of C. With MKL, tiles of 256 x 256 and
// more cost 2 to 5 % against one call; smaller ones are used only where there would be too few to share out. Our own
// copy the right operand once for all of their rows, so they are tall.
#include "runtime/device/cpu/matmul.h"

#include "runtime/core/error.h"
#include "runtime/core/threads.h"
#include "runtime/device/cpu/bf16.h"
#include "runtime/device/cpu/blas.h"
#include "runtime/device/cpu/packed_matmul.h"
#include "runtime/device/cpu/tiles/matmul.h"
#include "runtime/device/cpu/tiles/panels.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>

namespace stretto::runtime {
namespace {

void checkSizes(const MatmulOp &op) {
  for (int64_t size : {op.m, op.n, op.k, op.lda, op.ldb, op.ldc, op.ldd})
    if (size < 0 || size > INT_MAX)
      throw Error(fmt::format("sizes and row strides of a matmul must be in 0..{}, but got {} x {} x {} "
                              "with strides {}, {}, {}",
                              INT_MAX, op.m, op.n, op.k, op.lda, op.ldb, op.ldc));
}

int64_t roundUp(int64_t number, int64_t unit) { return (number + unit - 1) / unit * unit; }
int64_t partsOf(int64_t number, int64_t size) { return (number + size - 1) / size; }

constexpr int64_t fewestTiles = 8;        // worth having
constexpr double least = 2.0 * (1 << 20); // floating point operations worth a tile

// Halves the longer side of tiles until there are enough of them, as long as they are worth it.
MatmulTiles split(MatmulTiles tiles, int64_t m, int64_t n, int64_t k, int64_t enough) {
  while (partsOf(m, tiles.rows) * partsOf(n, tiles.columns) < enough) {
    const bool byRows = tiles.rows >= tiles.columns;
    int64_t &side = byRows ? tiles.rows : tiles.columns;
    const int64_t half = roundUp(side / 2, 16);
    const double operations = 2.0 * half * (byRows ? tiles.columns : tiles.rows) * k;
    if (half < 32 || half >= side || operations < least)
      break;
    side = half;
  }
  return tiles;
}

// Of a tile of C.
MatmulShape shapeOf(const MatmulOp &op, int64_t rows, int64_t columns, bool shared = false) {
  return {op.dtype, rows, columns, op.k, op.transpose_a != 0, op.transpose_b != 0, shared};
}

bool isPacked(const MatmulOp &op) { return runtime::isPacked(shapeOf(op, op.m, op.n)); }

// Begins a tile of C with that of D.
template <typename Real> void copyResidual(const MatmulOp &op, Real *to, int64_t row, int64_t column, int64_t rows,
                                           int64_t columns) {
  const Real *from = static_cast<const Real *>(op.d) + row * op.ldd + column;
  for (int64_t i = 0; i < rows && from != to; ++i)
    std::copy_n(from + i * op.ldd, columns, to + i * op.ldc);
}

template <typename Real> void tile(const MatmulOp &op, int64_t row, int64_t column, int64_t rows, int64_t columns) {
  const bool ta = op.transpose_a, tb = op.transpose_b;
  const Operand<Real> a{static_cast<const Real *>(op.a) + (ta ? row : row * op.lda), op.lda, ta};
  const Operand<Real> b{static_cast<const Real *>(op.b) + (tb ? column * op.ldb : column), op.ldb, tb};
  Real *c = static_cast<Real *>(op.c) + row * op.ldc + column;
  if (op.d)
    copyResidual(op, c, row, column, rows, columns);
  if constexpr (sizeof(Real) == sizeof(float))
    if (isPacked(op))
      return packedMatmul(rows, columns, op.k, a, b, op.accumulate || op.d, c, op.ldc);
  multiply<Real>(rows, columns, op.k, a, b, op.accumulate || op.d, c, op.ldc);
}

template <typename Real> void matmul(const MatmulOp &op) {
  const MatmulTiles tiles = isPacked(op) ? packedTiles(op.m, op.n, op.k, op.transpose_a != 0, op.lda, threadCount())
                                         : matmulTiles(op.m, op.n, op.k);
  const int64_t down = partsOf(op.m, tiles.rows), across = partsOf(op.n, tiles.columns);
  auto run = [&](int64_t index) {
    const int64_t row = index / across * tiles.rows, column = index % across * tiles.columns;
    tile<Real>(op, row, column, std::min(tiles.rows, op.m - row), std::min(tiles.columns, op.n - column));
  };
  if (down * across == 1)
    return run(0);
  parallelFor(down * across, [&](int64_t index, int) { run(index); });
}

} // namespace

MatmulTiles matmulTiles(int64_t m, int64_t n, int64_t k) {
  return split({std::min<int64_t>(m, 512), std::min<int64_t>(n, 512)}, m, n, k, fewestTiles);
}

constexpr int64_t tall = 1024; // rows

// All rows, or equal parts of them, and as few columns as give tiles enough, but no fewer than are worth a tile. A
// small right operand is copied in no time: then all columns, so that the left one is read once.
MatmulTiles tallTiles(int64_t m, int64_t n, int64_t k, int threads) {
  constexpr int64_t wide = 256, small = 32 << 10; // columns, numbers
  const int64_t enough = threads > 1 ? 4 * threads : 1, down = partsOf(m, tall);
  const int64_t rows = std::min(m, roundUp(partsOf(m, down), 16));
  const double ofColumn = 2.0 * static_cast<double>(rows * std::max<int64_t>(1, k)); // operations
  const int64_t fewest = n * k <= small ? n : partsOf(n, partsOf(enough, down));
  const int64_t columns = std::max(fewest, static_cast<int64_t>(least / ofColumn));
  return split({rows, std::min({n, wide, roundUp(columns, tiles::panelColumns)})}, m, n, k, enough);
}

// Few tiles, cut where threads need more: a copy of the left operand serves all columns of a tile, one of the right
// operand all rows.
MatmulTiles largeTiles(int64_t m, int64_t n, int64_t k, int threads) {
  const int64_t rows = roundUp(partsOf(m, partsOf(m, tall)), 16);
  return split({std::min(m, rows), std::min(n, rightColumns)}, m, n, k, threads > 1 ? 2 * threads : 1);
}

MatmulTiles packedTiles(int64_t m, int64_t n, int64_t k, bool transposesA, int64_t strideA, int threads) {
  return copiesLeft(transposesA, strideA) ? largeTiles(m, n, k, threads) : tallTiles(m, n, k, threads);
}

bool collectShapes(const MatmulOp &given, std::set<MatmulShape> &shapes) {
  const MatmulOp op = given.dtype == STRETTO_BF16 ? inFloat(given) : given;
  if (isPacked(op))
    return true;
  const MatmulTiles tiles = matmulTiles(op.m, op.n, op.k);
  const bool shared = tiles.rows < op.m || tiles.columns < op.n;
  for (int64_t rows : {tiles.rows, op.m % std::max<int64_t>(1, tiles.rows)})
    for (int64_t columns : {tiles.columns, op.n % std::max<int64_t>(1, tiles.columns)})
      if (rows > 0 && columns > 0)
        shapes.insert(shapeOf(op, rows, columns, shared));
  return false;
}

void matmul(const MatmulOp &op) {
  checkSizes(op);
  if (op.m == 0 || op.n == 0)
    return;
  if (op.dtype == STRETTO_F64)
    matmul<double>(op);
  else
    matmul<float>(op);
}

void multiplyOnThread(int64_t m, int64_t n, int64_t k, Operand<float> a, Operand<float> b, bool adds, float *c,
                      int64_t ldc) {
  if (isPacked(MatmulShape{STRETTO_F32, m, n, k, a.transpose, b.transpose}))
    packedMatmul(m, n, k, a, b, adds, c, ldc);
  else
    multiply<float>(m, n, k, a, b, adds, c, ldc);
}
void multiplyOnThread(int64_t m, int64_t n, int64_t k, Operand<double> a, Operand<double> b, bool adds, double *c,
                      int64_t ldc) {
  multiply<double>(m, n, k, a, b, adds, c, ldc);
}

} // namespace stretto::runtime
