// Matmuls of layers by oneDNN's block matmul, which wants both operands as they are meant: blocks of 64 x 64 of the
// result, equal pieces of k of at most 768. Sees LibTorch's headers.
#include "bench/matmuls/ways.h"

#include "runtime/device/cpu/tiles/matrix.h"

#include <ATen/native/CPUBlas.h>
#include <algorithm>
#include <vector>

using namespace stretto::runtime;

namespace {

constexpr int64_t side = 64, strip = 512, mostTerms = 768;

// The largest piece of k, and a strip of columns.
struct Copies {
  std::vector<float> left = std::vector<float>(side * mostTerms), right = std::vector<float>(strip * mostTerms);
};

// [rows, columns] of an operand as it is meant: in place, or transposed into `copy`.
Operand<float> plain(const Operand<float> &operand, int64_t rows, int64_t columns, float *copy, int64_t stride) {
  if (!operand.transpose)
    return operand;
  tiles::transposeRows(columns, rows, {operand.data, operand.stride}, {copy, stride});
  return {copy, stride};
}

// A strip of columns from j on, over terms [p, p + terms).
void runStrip(const Matmul &matmul, int64_t p, int64_t terms, int64_t j, Copies &copies) {
  const int64_t columns = std::min(strip, matmul.n - j);
  std::vector<Operand<float>> rights;
  for (int64_t s = 0; s < columns; s += side)
    rights.push_back(plain(from(matmul.right(), p, j + s), terms, std::min(side, columns - s),
                           copies.right.data() + s * terms, side));
  for (int64_t i = 0; i < matmul.m; i += side) {
    const int64_t rows = std::min(side, matmul.m - i);
    const Operand<float> left = plain(from(matmul.left(), i, p), rows, terms, copies.left.data(), terms);
    for (int64_t s = 0; s < columns; s += side)
      at::native::cpublas::brgemm(rows, std::min(side, columns - s), terms, left.stride, rights[s / side].stride,
                                  matmul.n, /*add_C=*/p > 0, left.data, rights[s / side].data,
                                  matmul.c + i * matmul.n + j + s);
  }
}

} // namespace

void stretto_bench_brgemm(const Matmul *matmuls, int64_t count) {
  static Copies copies;
  for (const Matmul *matmul = matmuls; matmul < matmuls + count; ++matmul) {
    const int64_t pieces = (matmul->k + mostTerms - 1) / mostTerms;
    const int64_t depth = ((matmul->k + pieces - 1) / pieces + 15) / 16 * 16;
    for (int64_t j = 0; j < matmul->n; j += strip)
      for (int64_t p = 0; p < matmul->k; p += depth)
        runStrip(*matmul, p, std::min(depth, matmul->k - p), j, copies);
  }
}
