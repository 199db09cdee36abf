// Matmuls on the calling thread, of operands that lie in its caches: tiles of the result stay in registers.
#pragma once

#include "runtime/device/cpu/tiles/matrix.h"

#include <array>
#include <cassert>

namespace stretto::runtime::tiles {

// What of a square matrix counts; the rest is not read, or not written.
enum class Part { all, lower, upper }; // with the diagonal

constexpr int64_t stripRows = 6; // of narrow tiles where nothing is triangular, and so of strips

// The left operand: rows `stride` elements apart. If `transpose` is set, its transpose is meant, which costs nothing;
// `part` is that of what is meant. What counts is read in blocks of 8 rows: within these, the rest must be zero.
// `inStrips`: for narrow tiles, its transpose lies in panels of `stripRows` columns (panels.h), whatever the rest says.
template <typename Real> struct Left {
  const Real *data = nullptr;
  int64_t stride = 0;
  bool transpose = false;
  Part part = Part::all;
  bool inStrips = false;
};

// What the product is added to: row i of it times factors[i], if there are factors. May be the result. Null data: zero.
template <typename Real> struct Base {
  Matrix<const Real> rows;
  const Real *factors = nullptr;
};

// What is used after a matmul, rows of at most 8 blocks: each of its tiles brings some of them into the second-level
// cache.
struct Ahead {
  struct Block {
    const char *next;
    int64_t stride, rows, bytes; // stride: bytes; rows: that are not yet brought
  };
  std::array<Block, 8> blocks = {};
  int64_t added = 0, at = 0; // blocks
  int64_t ofTile = 1;        // rows
  template <typename Real> void add(Matrix<Real> block, int64_t rows, int64_t columns) {
    constexpr int64_t size = sizeof(Real);
    if (rows <= 0)
      return;
    assert(added < static_cast<int64_t>(blocks.size()));
    blocks[added++] = {reinterpret_cast<const char *>(block.data), block.stride * size, rows, columns * size};
  }
};

// c[m,n] = base + a[m,k] b[k,n]. `part`: at least that part of c is written. Bits depend on the operands alone.
// `ahead`: counts down what is not yet brought.
void matmul(int64_t m, int64_t n, int64_t k, Left<float> a, Matrix<const float> b, Base<float> base, Matrix<float> c,
            Part part = Part::all, Ahead *ahead = nullptr);
void matmul(int64_t m, int64_t n, int64_t k, Left<double> a, Matrix<const double> b, Base<double> base,
            Matrix<double> c, Part part = Part::all, Ahead *ahead = nullptr);

// Columns of the widest tile of f32 that this CPU computes in registers: panels of the right operand that are so wide
// are read in order.
int64_t tileColumns();

// Whether that is less than the widest panel: on CPUs without AVX-512, or while one of NarrowTiles lives, so that tests
// of what goes by it reach both ways on any CPU.
bool tilesAreNarrow();
class NarrowTiles {
public:
  NarrowTiles();
  ~NarrowTiles();
  NarrowTiles(const NarrowTiles &) = delete;
  NarrowTiles &operator=(const NarrowTiles &) = delete;

private:
  bool before;
};

} // namespace stretto::runtime::tiles
