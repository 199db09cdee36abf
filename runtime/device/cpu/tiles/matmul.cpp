// A tile of the result stays in registers while the sum goes on; elements of the left operand are read one by one, so
// that it may lie either way. Tiles fill the registers of each instruction set.
#include "runtime/device/cpu/tiles/matmul.h"

#include "runtime/device/cpu/vectors.h"

#include <algorithm>
#include <utility>

namespace stretto::runtime::tiles {
namespace {

constexpr int64_t vectorBytes = 64;
template <typename Real> constexpr int64_t width = vectorBytes / sizeof(Real);
template <typename Real> struct Wide {
  typedef Real Value __attribute__((vector_size(vectorBytes)));
};
template <typename Real> using Vector = typename Wide<Real>::Value;

// A vector of a row, or its first `count` numbers, where Partial.
template <bool Partial, typename Real> STRETTO_INLINE Vector<Real> loadPart(const Real *data, int64_t count) {
  Vector<Real> value = {};
  std::memcpy(&value, data, Partial ? count * sizeof(Real) : sizeof(value));
  return value;
}
template <bool Partial, typename Real>
STRETTO_INLINE void storePart(Real *data, const Vector<Real> &value, int64_t count) {
  std::memcpy(data, &value, Partial ? count * sizeof(Real) : sizeof(value));
}

template <typename Real> struct Matmul {
  int64_t m, n, k;
  Left<Real> a;
  Matrix<const Real> b;
  Base<Real> base;
  Matrix<Real> c;
  Part part;
  Ahead *ahead;
};

// The rows of a tile. An address has a pointer and 0, 1 or 2 strides, so there is one of each third row; each is hidden
// from the compiler, which would compute it from the first again and again.
template <int Rows, typename Real> class TileRows {
public:
  STRETTO_INLINE TileRows(Real *first, int64_t stride) : stride(stride) {
    for (Real *&pointer : thirds) {
      asm("" : "+r"(first));
      pointer = first;
      first += 3 * stride;
    }
  }
  STRETTO_INLINE Real *operator[](int row) const { return thirds[row / 3] + row % 3 * stride; }
  STRETTO_INLINE void move(int64_t distance) {
    for (Real *&pointer : thirds)
      pointer += distance;
  }

private:
  Real *thirds[(Rows + 2) / 3];
  int64_t stride;
};

// How a tile that begins at row i reads the left operand: term p of its row r is first[r * row + p * inner].
template <typename Real> struct LeftRows {
  int64_t row, inner;
  const Real *first;
};
template <typename Real> STRETTO_INLINE LeftRows<Real> leftRows(const Matmul<Real> &x, int64_t i) {
  const auto &[data, stride, transpose, part, inStrips] = x.a;
  if (inStrips)
    return {1, stripRows, data + i / stripRows * stripRows * x.k + i % stripRows};
  return {transpose ? 1 : stride, transpose ? stride : 1, data + (transpose ? i : i * stride)};
}

template <int Rows, int Vectors, typename Real> using Sums = Vector<Real>[Rows][Vectors];

// Adds the terms [begin, end) of the sums of a tile.
template <int Rows, int Vectors, bool Partial, typename Real>
STRETTO_INLINE void addTerms(const Matmul<Real> &x, int64_t i, int64_t j, int64_t count, int64_t begin, int64_t end,
                             Sums<Rows, Vectors, Real> &sums) {
  const auto [row, inner, first] = leftRows(x, i);
  TileRows<Rows, const Real> a(first + begin * inner, row);
  const Real *b = x.b.row(begin) + j;
  for (int64_t p = begin; p < end; ++p, a.move(inner), b += x.b.stride) {
    Vector<Real> right[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v)
      right[v] = loadPart<Partial>(b + v * width<Real>, count);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v)
        sums[r][v] += *a[r] * right[v];
  }
}

// Rows [i, i + Rows) and Vectors vectors of columns from j on; with Partial, `count` columns in one vector. What a
// vector holds beyond these is not stored: it is read only where that is still b.
template <int Rows, int Vectors, bool Partial, typename Real>
STRETTO_INLINE void tile(const Matmul<Real> &x, int64_t i, int64_t j, int64_t count) {
  const int64_t begin = x.a.part == Part::upper ? std::min(x.k, i) : 0;
  const int64_t end = x.a.part == Part::lower ? std::min(x.k, i + Rows) : x.k;
  Sums<Rows, Vectors, Real> sums = {};
  if (x.base.rows.data) {
    const TileRows<Rows, const Real> base(x.base.rows.row(i) + j, x.base.rows.stride);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v)
        sums[r][v] =
            loadPart<Partial>(base[r] + v * width<Real>, count) * (x.base.factors ? x.base.factors[i + r] : Real(1));
  }
  int64_t whole = end;
  if constexpr (Partial)
    whole = std::clamp(x.k - (width<Real> - count + x.b.stride - 1) / x.b.stride, begin, end);
  addTerms<Rows, Vectors, false>(x, i, j, count, begin, whole, sums);
  if constexpr (Partial)
    addTerms<Rows, Vectors, true>(x, i, j, count, whole, end, sums);
  const TileRows<Rows, Real> c(x.c.row(i) + j, x.c.stride);
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v)
      storePart<Partial>(c[r] + v * width<Real>, sums[r][v], count);
}

// Brings nearer what is used next: some rows of what the caller tells, and the next tile of c.
template <int Rows, int Vectors, typename Real>
STRETTO_INLINE void bring(Ahead &ahead, const Matmul<Real> &x, int64_t i, int64_t j) {
  constexpr int line = 64; // bytes
  for (int64_t row = 0; row < ahead.ofTile && ahead.at < ahead.added; ++row) {
    Ahead::Block &block = ahead.blocks[ahead.at];
    for (int64_t byte = 0; byte < block.bytes; byte += line)
      __builtin_prefetch(block.next + byte, /*rw=*/0, /*locality=*/2);
    block.next += block.stride;
    ahead.at += --block.rows == 0;
  }
  if (i + 2 * Rows > x.m)
    return;
  const TileRows<Rows, Real> c(x.c.row(i + Rows) + j, x.c.stride);
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v)
      __builtin_prefetch(c[r] + v * width<Real>, /*rw=*/1);
}

// All rows of some columns; the last rows by fours, twos and ones, eight of them by two fours, unless strips forbid it.
template <int Rows, int Vectors, bool Partial, typename Real>
STRETTO_INLINE void columns(const Matmul<Real> &x, int64_t j, int64_t count) {
  auto counts = [&](int64_t i, int64_t rows) { return x.part != Part::lower || j < i + rows; };
  int64_t i = 0;
  for (; i + Rows <= x.m && (Rows != stripRows || x.m - i != 8 || x.a.inStrips); i += Rows)
    if (counts(i, Rows)) {
      if (x.ahead)
        bring<Rows, Vectors>(*x.ahead, x, i, j);
      tile<Rows, Vectors, Partial>(x, i, j, count);
    }
  if constexpr (Rows > 4)
    for (; i + 4 <= x.m; i += 4)
      tile<4, Vectors, Partial>(x, i, j, count);
  for (; i + 2 <= x.m; i += 2)
    tile<2, Vectors, Partial>(x, i, j, count);
  for (; i < x.m; ++i)
    tile<1, Vectors, Partial>(x, i, j, count);
}

template <int Rows, int Vectors, typename Real> STRETTO_INLINE void all(const Matmul<Real> &x) {
  int64_t j = 0;
  if (x.part == Part::all)
    for (; j + Vectors * width<Real> <= x.n; j += Vectors * width<Real>)
      columns<Rows, Vectors, false>(x, j, 0);
  for (; j + width<Real> <= x.n; j += width<Real>)
    columns<Rows, 1, false>(x, j, 0);
  if (j < x.n)
    columns<Rows, 1, true>(x, j, x.n - j);
}

// Of 32 registers 8 x 2 vectors are half; of 16, where a vector takes two, 6 x 1 leave room for the operands, and 4 x 1
// fit into blocks of 8 rows.
template <typename Real> __attribute__((target("arch=x86-64-v4"))) void runV4(const Matmul<Real> &x) { all<8, 2>(x); }
template <typename Real> __attribute__((target("arch=x86-64-v3"))) void runV3(const Matmul<Real> &x) {
  if (x.part == Part::all && x.a.part == Part::all)
    all<stripRows, 1>(x);
  else
    all<4, 1>(x);
}
template <typename Real> void runAny(const Matmul<Real> &x) { all<4, 1>(x); }

bool &narrow() {
  static bool is = !__builtin_cpu_supports("x86-64-v4");
  return is;
}

template <typename Real> void run(const Matmul<Real> &x) {
  static void (*const ofNarrow)(const Matmul<Real> &) =
      __builtin_cpu_supports("x86-64-v3") ? runV3<Real> : runAny<Real>;
  (narrow() ? ofNarrow : runV4<Real>)(x);
}

} // namespace

int64_t tileColumns() { return (narrow() ? 1 : 2) * width<float>; }
bool tilesAreNarrow() { return narrow(); }
NarrowTiles::NarrowTiles() : before(std::exchange(narrow(), true)) {}
NarrowTiles::~NarrowTiles() { narrow() = before; }

void matmul(int64_t m, int64_t n, int64_t k, Left<float> a, Matrix<const float> b, Base<float> base, Matrix<float> c,
            Part part, Ahead *ahead) {
  run<float>({m, n, k, a, b, base, c, part, ahead});
}
void matmul(int64_t m, int64_t n, int64_t k, Left<double> a, Matrix<const double> b, Base<double> base,
            Matrix<double> c, Part part, Ahead *ahead) {
  run<double>({m, n, k, a, b, base, c, part, ahead});
}

} // namespace stretto::runtime::tiles
