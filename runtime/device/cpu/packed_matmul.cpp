// Blocks of 256 terms; of the right operand up to 768 columns, in panels as wide as tiles are, and of the left one 120
// rows: 120 KB, which a second-level cache holds while panel after panel goes by. Meanwhile the next rows come.
#include "runtime/device/cpu/packed_matmul.h"

#include "runtime/abi/abi.h"
#include "runtime/device/cpu/mixer/matmul.h"
#include "runtime/device/cpu/mixer/panels.h"

#include <algorithm>
#include <atomic>
#include <new>

namespace stretto::runtime {
namespace {

using mixer::Ahead;
using mixer::Base;
using mixer::Left;
using Out = mixer::Matrix<float>;
using In = mixer::Matrix<const float>;

constexpr int64_t depth = 256, width = 768, height = 120;
constexpr int64_t fewestRows = 8;      // of a matmul that pays for copies of the right operand
constexpr int64_t fewestColumns = 160; // that pay for a copy of a left operand that lies the other way
constexpr int64_t fewestReads = 256;   // of a right operand that pays for being copied only to lie in order

// A thread's copies of operands. All of them stay until the process ends, in a list: of a variable of a thread that has
// a destructor glibc takes note in memory, and ends the process where there is none.
struct Packing {
  alignas(64) float numbers[depth * (width + height)];
  Packing *next;
};
std::atomic<Packing *> packings = nullptr;

// Null where there is no memory.
Packing *packing() {
  thread_local Packing *mine = nullptr;
  if (!mine && (mine = new (std::nothrow) Packing)) {
    mine->next = packings;
    while (!packings.compare_exchange_weak(mine->next, mine)) {
    }
  }
  return mine;
}

// Where element (row, column) of an operand lies.
const float *at(const Operand<float> &operand, int64_t row, int64_t column) {
  return operand.data + (operand.transpose ? column * operand.stride + row : row * operand.stride + column);
}

// Rows of the left operand from i on, as tiles read them. Those that lie the other way are copied side by side, or,
// where tiles are narrow, in strips: a few numbers of each of 256 lines would be all of a first-level cache of 32 KB,
// beside a panel.
Left<float> leftBlock(const Operand<float> &a, int64_t i, int64_t rows, int64_t p, int64_t terms, int64_t columns,
                      float *buffer) {
  const float *const from = at(a, i, p);
  if (a.transpose && mixer::tilesAreNarrow()) {
    mixer::packPanels(terms, rows, {from, a.stride}, false, buffer, mixer::stripRows);
    return {.data = buffer, .inStrips = true};
  }
  if (!a.transpose || columns < fewestColumns)
    return {from, a.stride, a.transpose};
  for (int64_t t = 0; t < terms; ++t)
    std::copy_n(from + t * a.stride, rows, buffer + t * height);
  return {buffer, height, true};
}

// What of the left operand is read after a block that begins at row i and term p, as it lies.
Ahead aheadOf(const Operand<float> &a, int64_t m, int64_t k, int64_t i, int64_t p) {
  if ((i += height) >= m)
    i = 0, p += depth;
  if (p >= k)
    return {};
  int64_t rows = std::min(height, m - i), terms = std::min(depth, k - p);
  if (a.transpose)
    std::swap(rows, terms);
  constexpr int64_t bytes = sizeof(float);
  return {reinterpret_cast<const char *>(at(a, i, p)), a.stride * bytes, rows, terms * bytes};
}

} // namespace

bool prefersTiles() {
  static const bool isFaster = __builtin_cpu_supports("x86-64-v3") && !__builtin_cpu_is("intel");
  return isFaster;
}

bool isPacked(const MatmulShape &shape) {
  return shape.dtype == STRETTO_F32 && shape.m >= fewestRows && shape.k > 0 && prefersTiles();
}

int64_t reservePacking() { return packing() ? sizeof(Packing) : 0; }

void packedMatmul(int64_t m, int64_t n, int64_t k, Operand<float> a, Operand<float> b, bool adds, float *c,
                  int64_t ldc) {
  Packing *const copies = packing();
  if (!copies)
    throw std::bad_alloc();
  float *const right = copies->numbers, *const left = right + depth * width;
  const bool packs = b.transpose || m >= fewestReads;
  const int64_t panel = mixer::tileColumns();
  for (int64_t j = 0; j < n; j += width)
    for (int64_t p = 0; p < k; p += depth) {
      const int64_t columns = std::min(width, n - j), terms = std::min(depth, k - p);
      if (packs)
        mixer::packPanels(terms, columns, {at(b, p, j), b.stride}, b.transpose, right, panel);
      for (int64_t i = 0; i < m; i += height) {
        const int64_t rows = std::min(height, m - i);
        const Left<float> block = leftBlock(a, i, rows, p, terms, columns, left);
        Ahead ahead = aheadOf(a, m, k, i, p);
        for (int64_t begin = 0; begin < columns; begin += panel) {
          const In from = packs ? In{right + begin * terms, panel} : In{at(b, p, j + begin), b.stride};
          const Out to{c + i * ldc + j + begin, ldc};
          const Base<float> base{adds || p > 0 ? In(to) : In()};
          mixer::matmul(rows, std::min(panel, columns - begin), terms, block, from, base, to, mixer::Part::all,
                        mixer::tilesAreNarrow() ? &ahead : nullptr);
        }
      }
    }
}

} // namespace stretto::runtime
