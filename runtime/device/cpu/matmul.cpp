// MKL with several threads cuts some matmuls along k by the number of threads, which changes the bits
// (measured on an AMD EPYC for tall f64 matmuls, under every value of MKL_CBWR). So every call here, of
// MKL or of our own (packed_matmul.h), runs on one thread and computes one tile of C. With MKL, tiles of 256 x 256 and
// more cost 2 to 5 % against one call; smaller ones are used only where there would be too few to share out. Our own
// are tall, as they copy the right operand once for all of their rows, and narrow instead.
#include "runtime/device/cpu/matmul.h"

#include "runtime/core/error.h"
#include "runtime/core/threads.h"
#include "runtime/device/cpu/bf16.h"
#include "runtime/device/cpu/blas.h"
#include "runtime/device/cpu/packed_matmul.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <limits>

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

constexpr int64_t fewestTiles = 8; // worth having

bool isWorthIt(MatmulTiles tiles, int64_t k) {
  constexpr double least = 2.0 * (1 << 20); // floating point operations
  return 2.0 * static_cast<double>(tiles.rows * tiles.columns * k) >= least;
}

// Halves the longer side of tiles until there are enough of them, as long as they are worth it.
MatmulTiles split(MatmulTiles tiles, int64_t m, int64_t n, int64_t k, int64_t enough) {
  while (partsOf(m, tiles.rows) * partsOf(n, tiles.columns) < enough) {
    MatmulTiles smaller = tiles;
    int64_t &side = tiles.rows >= tiles.columns ? smaller.rows : smaller.columns;
    side = roundUp(side / 2, 16);
    if (side < 32 || smaller.rows * smaller.columns >= tiles.rows * tiles.columns || !isWorthIt(smaller, k))
      break;
    tiles = smaller;
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
  const MatmulTiles tiles = isPacked(op) ? packedTiles(op.m, op.n, op.k, threadCount()) : matmulTiles(op.m, op.n, op.k);
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

// Tiles that move least: each column of tiles reads the left operand, and each row of them copies the right one, which
// takes as long as reading it four times.
MatmulTiles packedTiles(int64_t m, int64_t n, int64_t k, int threads) {
  constexpr int64_t tallest = 1024, widest = 256, panel = 32, copy = 4;
  const int64_t enough = std::max<int64_t>(fewestTiles, 4 * threads), fewest = partsOf(m, tallest);
  MatmulTiles best{std::min(m, tallest), std::min(n, widest)};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t down = fewest; down <= fewest * enough; down *= 2) {
    const int64_t rows = std::min(m, roundUp(partsOf(m, down), 16));
    const int64_t columns = std::min({n, widest, roundUp(partsOf(n, partsOf(enough, down)), panel)});
    const int64_t moved = m * partsOf(n, columns) + copy * n * partsOf(m, rows);
    if (moved < least && isWorthIt({rows, columns}, k))
      least = moved, best = {rows, columns};
  }
  return split(best, m, n, k, enough);
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

} // namespace stretto::runtime
