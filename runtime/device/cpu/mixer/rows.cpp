// Each function is compiled once per instruction set; all of one type are made from the templates here.
#include "runtime/device/cpu/mixer/rows.h"

#include "runtime/device/cpu/vectors.h"

#include <algorithm>

namespace stretto::runtime::mixer {
namespace {

template <typename Real>
STRETTO_INLINE void scale(int64_t rows, int64_t columns, const Real *factors, Matrix<const Real> in, Matrix<Real> out) {
  for (int64_t i = 0; i < rows; ++i) {
    const Real factor = factors[i], *from = in.row(i);
    Real *to = out.row(i);
    for (int64_t d = 0; d < columns; ++d)
      to[d] = factor * from[d];
  }
}

template <typename Real>
STRETTO_INLINE void addScaled(int64_t rows, int64_t columns, const Real *factors, Matrix<const Real> in,
                              Matrix<Real> out) {
  for (int64_t i = 0; i < rows; ++i) {
    const Real factor = factors[i], *from = in.row(i);
    Real *to = out.row(i);
    for (int64_t d = 0; d < columns; ++d)
      to[d] += factor * from[d];
  }
}

template <typename Real>
STRETTO_INLINE void elements(int64_t rows, int64_t columns, Matrix<const Real> a, Matrix<const Real> b,
                             Matrix<Real> out) {
  for (int64_t i = 0; i < rows; ++i) {
    const Real *left = a.row(i), *right = b.row(i);
    Real *to = out.row(i);
    for (int64_t d = 0; d < columns; ++d)
      to[d] = left[d] * right[d];
  }
}

template <typename Real>
STRETTO_INLINE void differences(int64_t rows, int64_t columns, Matrix<const Real> a, Matrix<const Real> b,
                                Matrix<Real> out) {
  for (int64_t i = 0; i < rows; ++i) {
    const Real *left = a.row(i), *right = b.row(i);
    Real *to = out.row(i);
    for (int64_t d = 0; d < columns; ++d)
      to[d] = left[d] - right[d];
  }
}

template <typename Real>
STRETTO_INLINE void addElements(int64_t rows, int64_t columns, Real sign, Matrix<const Real> a, Matrix<const Real> b,
                                Matrix<Real> out) {
  for (int64_t i = 0; i < rows; ++i) {
    const Real *left = a.row(i), *right = b.row(i);
    Real *to = out.row(i);
    for (int64_t d = 0; d < columns; ++d)
      to[d] += sign * left[d] * right[d];
  }
}

template <typename Real>
STRETTO_INLINE void dots(int64_t rows, int64_t columns, Real sign, Matrix<const Real> a, Matrix<const Real> b,
                         Real *out) {
  for (int64_t i = 0; i < rows; ++i)
    out[i] += sign * dot(a.row(i), b.row(i), columns);
}

// The first min(lanes, count) of them; zeros behind.
template <typename Real> STRETTO_INLINE Value<Real> loadSome(const Real *data, int64_t count) {
  if (count >= lanes)
    return load(data);
  Real some[lanes] = {};
  std::copy_n(data, count, some);
  return load(some);
}
template <typename Real> STRETTO_INLINE void storeSome(Real *data, int64_t count, const Value<Real> &value) {
  if (count >= lanes)
    return store(data, value);
  Real some[lanes];
  store(some, value);
  std::copy_n(some, count, data);
}

// What is below the least normal number is zero.
template <typename Real> STRETTO_INLINE Value<Real> decayed(const Value<Real> &argument) {
  const Value<Real> zero = {}, value = exponential<Real>(argument);
  return argument < Vectors<Real>::least ? zero : value;
}

// The least of the products of all rows.
template <typename Real>
STRETTO_INLINE Real products(int64_t rows, int64_t columns, Matrix<const Real> e, Matrix<Real> out) {
  std::copy_n(e.data, columns, out.data);
  for (int64_t i = 1; i < rows; ++i)
    for (int64_t d = 0; d < columns; ++d)
      out.row(i)[d] = out.row(i - 1)[d] * e.row(i)[d];
  Real least = out.row(rows - 1)[0];
  for (int64_t d = 1; d < columns; ++d)
    least = std::min(least, out.row(rows - 1)[d]);
  return least;
}

template <typename Real>
STRETTO_INLINE void inverses(int64_t rows, int64_t columns, Matrix<const Real> in, Matrix<const Real> k,
                             Matrix<Real> inverse, Matrix<Real> kInverse, Matrix<Real> toEnd, Matrix<Real> kToEnd) {
  const Real *last = in.row(rows - 1);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t d = 0; d < columns; d += lanes) {
      const int64_t count = columns - d;
      const Value<Real> key = loadSome(k.row(i) + d, count), inverted = Real(1) / loadSome(in.row(i) + d, count);
      const Value<Real> rest = loadSome(last + d, count) * inverted;
      storeSome<Real>(inverse.row(i) + d, count, inverted);
      storeSome<Real>(kInverse.row(i) + d, count, key * inverted);
      storeSome<Real>(toEnd.row(i) + d, count, rest);
      storeSome<Real>(kToEnd.row(i) + d, count, key * rest);
    }
}

template <typename Real>
STRETTO_INLINE void exps(int64_t rows, int64_t columns, Matrix<const Real> in, Matrix<Real> out) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t d = 0; d < columns; d += lanes)
      storeSome<Real>(out.row(i) + d, columns - d, decayed<Real>(loadSome(in.row(i) + d, columns - d)));
}

// 0, 1, 2, ...
template <typename Real> STRETTO_INLINE Value<Real> numbers() {
  Value<Real> value;
  for (int i = 0; i < lanes; ++i)
    value[i] = static_cast<Real>(i);
  return value;
}

// Numbers of columns from j on that are among the first `count`; zeros for the others.
template <typename Real> STRETTO_INLINE Value<Real> keepFirst(const Value<Real> &value, int64_t j, int64_t count) {
  const Value<Real> zero = {};
  return numbers<Real>() < static_cast<Real>(count - j) ? value : zero;
}

template <typename Real>
STRETTO_INLINE void factorsOfPairs(int64_t rows, bool strict, const double *rowGates, const double *gates,
                                   Matrix<Real> factors) {
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t count = i + (strict ? 0 : 1);
    for (int64_t j = 0; j < rows; j += lanes) {
      Value<Real> row = {};
      if (j < count)
        row = decayed<Real>(
            keepFirst<Real>(__builtin_convertvector(rowGates[i] - load(gates + j), Value<Real>), j, count));
      storeSome<Real>(factors.row(i) + j, rows - j, keepFirst<Real>(row, j, count));
    }
  }
}

// `inverse` has room for chunkRows columns.
template <typename Real> STRETTO_INLINE void invert(int64_t rows, Matrix<const Real> m, Matrix<Real> inverse) {
  static_assert(chunkRows % lanes == 0);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t c = 0; c < chunkRows; c += lanes) {
      Value<Real> sum = numbers<Real>() == static_cast<Real>(i - c) ? Value<Real>{} + Real(1) : Value<Real>{};
      for (int64_t j = c; j < i; ++j)
        sum -= m.row(i)[j] * load(inverse.row(j) + c);
      store(inverse.row(i) + c, sum);
    }
}

template <typename Real> STRETTO_INLINE void lower(int64_t rows, bool strict, Matrix<Real> pairs) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = i + (strict ? 0 : 1); j < rows; ++j)
      pairs.row(i)[j] = 0;
}

template <typename Real>
STRETTO_INLINE void scaleLower(int64_t rows, bool strict, Matrix<const Real> factors, Matrix<Real> pairs) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < rows; j += lanes) {
      const Value<Real> row = loadSome(factors.row(i) + j, rows - j) * loadSome(pairs.row(i) + j, rows - j);
      storeSome<Real>(pairs.row(i) + j, rows - j, keepFirst<Real>(row, j, i + (strict ? 0 : 1)));
    }
}

template <typename Real>
STRETTO_INLINE void balance(int64_t rows, Matrix<const Real> a, Matrix<const Real> b, Real *sums) {
  Real columns[chunkRows] = {};
  for (int64_t i = 0; i < rows; ++i) {
    Real sum = 0;
    for (int64_t j = 0; j < i; ++j) {
      const Real pair = a.row(i)[j] * b.row(i)[j];
      sum += pair;
      columns[j] += pair;
    }
    sums[i] += sum;
  }
  for (int64_t j = 0; j < rows; ++j)
    sums[j] -= columns[j];
}

template <typename Real>
STRETTO_INLINE void factorsOfBlocks(int64_t rows, int64_t columns, Matrix<const Real> e, Matrix<Real> through,
                                    Matrix<Real> rest) {
  for (int64_t begin = 0; begin < rows; begin += blockRows) {
    const int64_t end = std::min(rows, begin + blockRows);
    std::copy_n(e.row(begin), columns, through.row(begin));
    for (int64_t i = begin + 1; i < end; ++i)
      for (int64_t d = 0; d < columns; ++d)
        through.row(i)[d] = through.row(i - 1)[d] * e.row(i)[d];
    std::fill_n(rest.row(end - 1), columns, Real(1));
    for (int64_t j = end - 2; j >= begin; --j)
      for (int64_t d = 0; d < columns; ++d)
        rest.row(j)[d] = rest.row(j + 1)[d] * e.row(j + 1)[d];
  }
}

// Channels are worked on in groups of so many, so that a key that decays stays in registers.
constexpr int64_t group = lanes;

template <typename Real>
STRETTO_INLINE void pairsOfBlock(PairBlock<Real> block, Matrix<Real> a, Matrix<Real> m) {
  const auto [rows, columns, before, e, q, k, r] = block;
  for (int64_t j = 0; j < rows; ++j) {
    Value<Real> sums[blockRows] = {}, erased[blockRows] = {};
    for (int64_t d = 0; d < columns; d += group) {
      const int64_t count = columns - d;
      Value<Real> key = loadSome(k.row(j) + d, count);
      sums[j] += loadSome(q.row(j) + d, count) * key;
      for (int64_t i = j + 1; i < rows; ++i) {
        if (r.data && before)
          erased[i] += loadSome(r.row(i) + d, count) * key;
        key *= loadSome(e.row(i) + d, count);
        sums[i] += loadSome(q.row(i) + d, count) * key;
        if (r.data && !before)
          erased[i] += loadSome(r.row(i) + d, count) * key;
      }
    }
    for (int64_t i = 0; i < rows; ++i) {
      a.row(i)[j] = i < j ? Real(0) : total<Real>(sums[i]);
      if (r.data)
        m.row(i)[j] = i <= j ? Real(0) : total<Real>(erased[i]);
    }
  }
}

template <typename Real>
STRETTO_INLINE void gradientsOfBlock(PairBlock<Real> block, Matrix<const Real> da, Matrix<const Real> dm,
                                     Matrix<Real> dq, Matrix<Real> dk, Matrix<Real> dr) {
  const auto [rows, columns, before, e, q, k, r] = block;
  for (int64_t d = 0; d < columns; d += group) {
    const int64_t count = columns - d;
    for (int64_t j = 0; j < rows; ++j) {
      Value<Real> key = loadSome(k.row(j) + d, count);
      for (int64_t i = j + 1; i < rows; ++i) {
        if (r.data && before)
          storeSome<Real>(dr.row(i) + d, count, loadSome(dr.row(i) + d, count) + dm.row(i)[j] * key);
        key *= loadSome(e.row(i) + d, count);
        storeSome<Real>(dq.row(i) + d, count, loadSome(dq.row(i) + d, count) + da.row(i)[j] * key);
        if (r.data && !before)
          storeSome<Real>(dr.row(i) + d, count, loadSome(dr.row(i) + d, count) + dm.row(i)[j] * key);
      }
      Value<Real> back = {};
      for (int64_t i = rows - 1; i > j; --i) {
        back += da.row(i)[j] * loadSome(q.row(i) + d, count);
        if (r.data && !before)
          back += dm.row(i)[j] * loadSome(r.row(i) + d, count);
        back *= loadSome(e.row(i) + d, count);
        if (r.data && before)
          back += dm.row(i)[j] * loadSome(r.row(i) + d, count);
      }
      storeSome<Real>(dk.row(j) + d, count, loadSome(dk.row(j) + d, count) + back);
    }
  }
}

template <typename Real>
STRETTO_INLINE void scaledSums(int64_t rows, int64_t columns, Matrix<const Real> factors, Matrix<const Real> k,
                               Matrix<Real> dk, Real *sums) {
  for (int64_t d = 0; d < columns; d += lanes) {
    const int64_t count = columns - d;
    Value<Real> sum = loadSome(sums + d, count);
    for (int64_t i = 0; i < rows; ++i) {
      const Value<Real> gradient = loadSome(factors.row(i) + d, count) * loadSome(dk.row(i) + d, count);
      sum += loadSome(k.row(i) + d, count) * gradient;
      storeSome<Real>(dk.row(i) + d, count, gradient);
    }
    storeSome<Real>(sums + d, count, sum);
  }
}

template <typename Real>
STRETTO_INLINE void gatesOfChannels(int64_t rows, int64_t columns, bool before, const Real *behind,
                                    Matrix<const Real> q, Matrix<const Real> k, Matrix<const Real> r,
                                    Matrix<const Real> dq, Matrix<const Real> dk, Matrix<const Real> dr,
                                    Matrix<Real> gates) {
  for (int64_t d = 0; d < columns; d += lanes) {
    const int64_t count = columns - d;
    auto product = [&](Matrix<const Real> a, Matrix<const Real> b, int64_t i) __attribute__((always_inline)) {
      return loadSome(a.row(i) + d, count) * loadSome(b.row(i) + d, count);
    };
    Value<Real> sum = loadSome(behind + d, count);
    for (int64_t i = rows - 1; i >= 0; --i) {
      Value<Real> erased = {};
      if (r.data)
        erased = product(r, dr, i);
      sum += product(q, dq, i) + erased - product(k, dk, i);
      storeSome<Real>(gates.row(i) + d, count, before ? sum - erased : sum);
    }
  }
}

} // namespace

#define STRETTO_MIXER_ROWS(Real)                                                                                       \
  STRETTO_CLONES void scaleRows(int64_t rows, int64_t columns, const Real *factors, Matrix<const Real> in,             \
                                Matrix<Real> out) {                                                                    \
    scale(rows, columns, factors, in, out);                                                                            \
  }                                                                                                                    \
  STRETTO_CLONES void addScaledRows(int64_t rows, int64_t columns, const Real *factors, Matrix<const Real> in,         \
                                    Matrix<Real> out) {                                                                \
    addScaled(rows, columns, factors, in, out);                                                                        \
  }                                                                                                                    \
  STRETTO_CLONES void multiplyElements(int64_t rows, int64_t columns, Matrix<const Real> a, Matrix<const Real> b,      \
                                       Matrix<Real> out) {                                                             \
    elements(rows, columns, a, b, out);                                                                                \
  }                                                                                                                    \
  STRETTO_CLONES void subtract(int64_t rows, int64_t columns, Matrix<const Real> a, Matrix<const Real> b,              \
                               Matrix<Real> out) {                                                                     \
    differences(rows, columns, a, b, out);                                                                             \
  }                                                                                                                    \
  STRETTO_CLONES void addProducts(int64_t rows, int64_t columns, Real sign, Matrix<const Real> a,                      \
                                  Matrix<const Real> b, Matrix<Real> out) {                                            \
    addElements(rows, columns, sign, a, b, out);                                                                       \
  }                                                                                                                    \
  STRETTO_CLONES void addDots(int64_t rows, int64_t columns, Real sign, Matrix<const Real> a, Matrix<const Real> b,    \
                              Real *out) {                                                                             \
    dots(rows, columns, sign, a, b, out);                                                                              \
  }                                                                                                                    \
  STRETTO_CLONES Real runningProducts(int64_t rows, int64_t columns, Matrix<const Real> e, Matrix<Real> out) {         \
    return products(rows, columns, e, out);                                                                            \
  }                                                                                                                    \
  STRETTO_CLONES void invertUnitLower(int64_t rows, Matrix<const Real> m, Matrix<Real> inverse) {                      \
    invert(rows, m, inverse);                                                                                          \
  }                                                                                                                    \
  STRETTO_CLONES void keepLower(int64_t rows, bool strict, Matrix<Real> pairs) { lower(rows, strict, pairs); }         \
  STRETTO_CLONES void addPairBalance(int64_t rows, Matrix<const Real> a, Matrix<const Real> b, Real *sums) {           \
    balance(rows, a, b, sums);                                                                                         \
  }                                                                                                                    \
  STRETTO_CLONES void blockFactors(int64_t rows, int64_t columns, Matrix<const Real> e, Matrix<Real> through,          \
                                   Matrix<Real> rest) {                                                                \
    factorsOfBlocks(rows, columns, e, through, rest);                                                                  \
  }                                                                                                                    \
  STRETTO_CLONES void blockPairs(PairBlock<Real> block, Matrix<Real> a, Matrix<Real> m) { pairsOfBlock(block, a, m); } \
  STRETTO_CLONES void blockPairGradients(PairBlock<Real> block, Matrix<const Real> da, Matrix<const Real> dm,          \
                                         Matrix<Real> dq, Matrix<Real> dk, Matrix<Real> dr) {                          \
    gradientsOfBlock(block, da, dm, dq, dk, dr);                                                                       \
  }                                                                                                                    \
  STRETTO_CLONES void invertElements(int64_t rows, int64_t columns, Matrix<const Real> in, Matrix<const Real> k,       \
                                     Matrix<Real> inverse, Matrix<Real> kInverse, Matrix<Real> toEnd,                  \
                                     Matrix<Real> kToEnd) {                                                            \
    inverses(rows, columns, in, k, inverse, kInverse, toEnd, kToEnd);                                                  \
  }                                                                                                                    \
  STRETTO_CLONES void exponentials(int64_t rows, int64_t columns, Matrix<const Real> in, Matrix<Real> out) {           \
    exps(rows, columns, in, out);                                                                                      \
  }                                                                                                                    \
  STRETTO_CLONES void multiplyLower(int64_t rows, bool strict, Matrix<const Real> factors, Matrix<Real> pairs) {       \
    scaleLower(rows, strict, factors, pairs);                                                                          \
  }                                                                                                                    \
  STRETTO_CLONES void scaleAndSum(int64_t rows, int64_t columns, Matrix<const Real> factors, Matrix<const Real> k,     \
                                  Matrix<Real> dk, Real *sums) {                                                       \
    scaledSums(rows, columns, factors, k, dk, sums);                                                                   \
  }                                                                                                                    \
  STRETTO_CLONES void channelGates(                                                                                    \
      int64_t rows, int64_t columns, bool before, const Real *behind, Matrix<const Real> q, Matrix<const Real> k,      \
      Matrix<const Real> r, Matrix<const Real> dq, Matrix<const Real> dk, Matrix<const Real> dr, Matrix<Real> gates) { \
    gatesOfChannels(rows, columns, before, behind, q, k, r, dq, dk, dr, gates);                                        \
  }                                                                                                                    \
  STRETTO_CLONES void pairFactors(int64_t rows, bool strict, const double *rowGates, const double *gates,              \
                                  Matrix<Real> factors) {                                                              \
    factorsOfPairs(rows, strict, rowGates, gates, factors);                                                            \
  }
STRETTO_MIXER_ROWS(float)
STRETTO_MIXER_ROWS(double)

} // namespace stretto::runtime::mixer
