// Blocks of 256 terms; of the right operand up to 768 columns, in panels as wide as tiles, and of the left one 120
// rows: 120 KB, which a second-level cache holds while panel after panel goes by. Meanwhile the next rows come. A
// number is one chain of multiply-adds, so its bits do not depend on the blocks.
#include "runtime/device/cpu/packed_matmul.h"

#include "runtime/abi/abi.h"
#include "runtime/device/cpu/tiles/matmul.h"
#include "runtime/device/cpu/tiles/panels.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace stretto::runtime {
namespace {

using tiles::Ahead;
using tiles::Base;
using tiles::Left;
using Out = tiles::Matrix<float>;
using In = tiles::Matrix<const float>;

constexpr int64_t depth = 256, height = 120;
constexpr int64_t depthOfLines = 128;  // where each term of a few rows is a line of its own
constexpr int64_t fewestRows = 8;      // of a matmul that pays for copies of the right operand
constexpr int64_t fewestColumns = 160; // that pay for a copy of a left operand that lies the other way, with wide tiles
constexpr int64_t fewestReads = 256;   // of a right operand that pays for being copied only to lie in order
constexpr int64_t fewestResults = 48 << 10; // that pay for strips
constexpr int64_t tallest = 8;              // rows of a tile in registers
constexpr int64_t pitch = depth + 16;       // of rows that are copied as they lie: an odd number of lines

// A thread's copies of operands. All of them stay until the process ends, in a list: of a variable of a thread that has
// a destructor glibc takes note in memory, and ends the process where there is none.
struct alignas(64) Packing {
  Packing *next;
  float right[depth * rightColumns], left[pitch * height];
};
std::atomic<Packing *> packings = nullptr;

// Null where there is no memory.
Packing *packing() {
  thread_local Packing *mine = nullptr;
  if (mine)
    return mine;
  mine = static_cast<Packing *>(std::aligned_alloc(alignof(Packing), sizeof(Packing)));
  if (!mine)
    return nullptr;
  mine->next = packings;
  while (!packings.compare_exchange_weak(mine->next, mine)) {
  }
  return mine;
}

// Where element (row, column) of an operand lies.
const float *at(const Operand<float> &operand, int64_t row, int64_t column) {
  return operand.data + (operand.transpose ? column * operand.stride + row : row * operand.stride + column);
}

// How tiles read the left operand: from where it is, or copied. `sideBySide`, `strips`: where it lies the other way.
enum class Way { asItLies, rows, sideBySide, strips };

// Whether rows lie in the same sets of a first-level cache, of which there are 64.
bool sharesSets(int64_t stride) { return stride % static_cast<int64_t>(4096 / sizeof(float)) == 0; }

// With narrow tiles a copy lies in strips: a few numbers of each of 256 lines would be all of a first-level cache of
// 32 KB, beside a panel. A small result does not pay for that: then the lines are fewer.
Way wayOf(const Operand<float> &a, int64_t m, int64_t n) {
  if (!tiles::tilesAreNarrow())
    return a.transpose && n >= fewestColumns ? Way::sideBySide : Way::asItLies;
  if (!a.transpose)
    return sharesSets(a.stride) ? Way::rows : Way::asItLies;
  return sharesSets(a.stride) || m * n >= fewestResults ? Way::strips : Way::asItLies;
}

int64_t depthOf(const Operand<float> &a, Way way) {
  return tiles::tilesAreNarrow() && a.transpose && way == Way::asItLies ? depthOfLines : depth;
}

// Rows of the left operand from row i and term p on.
Left<float> leftBlock(const Operand<float> &a, Way way, int64_t i, int64_t rows, int64_t p, int64_t terms,
                      float *buffer) {
  const float *const from = at(a, i, p);
  switch (way) {
  case Way::asItLies:
    return {from, a.stride, a.transpose};
  case Way::rows:
    for (int64_t row = 0; row < rows; ++row)
      std::copy_n(from + row * a.stride, terms, buffer + row * pitch);
    return {buffer, pitch};
  case Way::sideBySide:
    for (int64_t t = 0; t < terms; ++t)
      std::copy_n(from + t * a.stride, rows, buffer + t * height);
    return {buffer, height, true};
  case Way::strips:
    tiles::packPanels(terms, rows, {from, a.stride}, false, buffer, tiles::stripRows);
    return {.data = buffer, .inStrips = true};
  }
}

// What of the left operand is read after a block of `deep` terms, `columns` columns, that begins at row i and term p,
// as it lies.
Ahead aheadOf(const Operand<float> &a, int64_t m, int64_t k, int64_t i, int64_t p, int64_t deep, int64_t columns) {
  const int64_t fewest = std::min(height, m - i) / tallest * (columns / tiles::tileColumns()); // tiles
  if ((i += height) >= m)
    i = 0, p += deep;
  if (p >= k)
    return {};
  int64_t rows = std::min(height, m - i), terms = std::min(deep, k - p);
  if (a.transpose)
    std::swap(rows, terms);
  Ahead ahead{.ofTile = rows / std::max<int64_t>(1, fewest) + 1};
  ahead.add(In{at(a, i, p), a.stride}, rows, terms);
  return ahead;
}

} // namespace

bool prefersTiles() {
  static const bool isFaster = __builtin_cpu_supports("x86-64-v3") && !__builtin_cpu_is("intel");
  return isFaster;
}

bool isPacked(const MatmulShape &shape) {
  return shape.dtype == STRETTO_F32 && shape.m >= fewestRows && shape.k > 0 && prefersTiles();
}

bool copiesLeft(bool transposes, int64_t stride) {
  return transposes || (tiles::tilesAreNarrow() && sharesSets(stride));
}

int64_t reservePacking() { return packing() ? sizeof(Packing) : 0; }

void packedMatmul(int64_t m, int64_t n, int64_t k, Operand<float> a, Operand<float> b, bool adds, float *c,
                  int64_t ldc) {
  Packing *const copies = packing();
  if (!copies)
    throw std::bad_alloc();
  const bool packs = b.transpose || m >= fewestReads;
  const int64_t panel = tiles::tileColumns();
  const Way way = wayOf(a, m, n);
  const int64_t deep = depthOf(a, way);
  for (int64_t j = 0; j < n; j += rightColumns)
    for (int64_t p = 0; p < k; p += deep) {
      const int64_t columns = std::min(rightColumns, n - j), terms = std::min(deep, k - p);
      if (packs)
        tiles::packPanels(terms, columns, {at(b, p, j), b.stride}, b.transpose, copies->right, panel);
      for (int64_t i = 0; i < m; i += height) {
        const int64_t rows = std::min(height, m - i);
        const Left<float> block = leftBlock(a, way, i, rows, p, terms, copies->left);
        Ahead ahead = aheadOf(a, m, k, i, p, deep, columns);
        for (int64_t begin = 0; begin < columns; begin += panel) {
          const In from = packs ? In{copies->right + begin * terms, panel} : In{at(b, p, j + begin), b.stride};
          const Out to{c + i * ldc + j + begin, ldc};
          const Base<float> base{adds || p > 0 ? In(to) : In()};
          tiles::matmul(rows, std::min(panel, columns - begin), terms, block, from, base, to, tiles::Part::all, &ahead);
        }
      }
    }
}

} // namespace stretto::runtime
