// The work of linear mixers on the rows of a chunk, in vectors as wide as the CPU has.
#pragma once

#include "runtime/device/cpu/tiles/matrix.h"

#include <cstdint>

namespace stretto::runtime::mixer {

constexpr int64_t chunkRows = 32; // rows worked on together
constexpr int64_t blockRows = 16; // rows of a chunk whose decay by channel is taken pair by pair

using tiles::Matrix;

// Rows whose pairs are taken one by one, as their decay differs by channel.
template <typename Real> struct PairBlock {
  int64_t rows, columns;
  bool before;          // r reads what there was before its own row decays
  Matrix<const Real> e; // exp(decay)
  Matrix<const Real> q, k;
  Matrix<const Real> r; // null data: nothing is erased
};

#define STRETTO_MIXER_ROWS(Real)                                                                                       \
  /* out = factors[i] * in, row by row. `out` may be `in`. */                                                          \
  void scaleRows(int64_t rows, int64_t columns, const Real *factors, Matrix<const Real> in, Matrix<Real> out);         \
  /* out = a * b, element by element. */                                                                               \
  void multiplyElements(int64_t rows, int64_t columns, Matrix<const Real> a, Matrix<const Real> b, Matrix<Real> out);  \
  /* out = a - b, element by element. */                                                                               \
  void subtract(int64_t rows, int64_t columns, Matrix<const Real> a, Matrix<const Real> b, Matrix<Real> out);          \
  /* out[i] += sign * (sum of a * b in row i). */                                                                      \
  void addDots(int64_t rows, int64_t columns, Real sign, Matrix<const Real> a, Matrix<const Real> b, Real *out);       \
  /* out += sign * a * b, element by element. */                                                                       \
  void addProducts(int64_t rows, int64_t columns, Real sign, Matrix<const Real> a, Matrix<const Real> b,               \
                   Matrix<Real> out);                                                                                  \
  /* out += factors[i] * in, row by row. */                                                                            \
  void addScaledRows(int64_t rows, int64_t columns, const Real *factors, Matrix<const Real> in, Matrix<Real> out);     \
  /* out = exp(in), element by element. `out` may be `in`. */                                                          \
  void exponentials(int64_t rows, int64_t columns, Matrix<const Real> in, Matrix<Real> out);                           \
  /* inverse = (I + m)^-1 for the part of m strictly below the diagonal; zero above it. */                             \
  void invertUnitLower(int64_t rows, Matrix<const Real> m, Matrix<Real> inverse);                                      \
  /* Keeps what lies below the diagonal (with it: strict = false) and sets all else to zero. */                        \
  void keepLower(int64_t rows, bool strict, Matrix<Real> pairs);                                                       \
  /* The same, and multiplies what it keeps by the factors. */                                                         \
  void multiplyLower(int64_t rows, bool strict, Matrix<const Real> factors, Matrix<Real> pairs);                       \
  /* sums[i] += sum over j < i of a * b in row i, minus sum over j > i of a * b in column i. */                        \
  void addPairBalance(int64_t rows, Matrix<const Real> a, Matrix<const Real> b, Real *sums);                           \
                                                                                                                       \
  /* out[i] = product of e up to row i; the least one of the last row. */                                              \
  Real runningProducts(int64_t rows, int64_t columns, Matrix<const Real> e, Matrix<Real> out);                         \
  /* inverse = 1 / in, toEnd = the last row of in / in; and k times either of them. */                                 \
  void invertElements(int64_t rows, int64_t columns, Matrix<const Real> in, Matrix<const Real> k,                      \
                      Matrix<Real> inverse, Matrix<Real> kInverse, Matrix<Real> toEnd, Matrix<Real> kToEnd);           \
  /* What a channel keeps from the rows before: with e = exp(decay), through[i] is the product of e from the first row \
   * of its block to row i, and rest[j] that of the rows of its block behind row j. */                                 \
  void blockFactors(int64_t rows, int64_t columns, Matrix<const Real> e, Matrix<Real> through, Matrix<Real> rest);     \
  /* The pairs of a block: a[i,j] = sum over channels of q[i] * k[j] * (product of e behind j up to i), j <= i, and    \
   * m[i,j] likewise of r, j < i; up to i - 1 if `before`. */                                                          \
  void blockPairs(PairBlock<Real> block, Matrix<Real> a, Matrix<Real> m);                                              \
  /* Adds what follows from the gradients of these pairs, without those of a row with itself. */                       \
  void blockPairGradients(PairBlock<Real> block, Matrix<const Real> da, Matrix<const Real> dm, Matrix<Real> dq,        \
                          Matrix<Real> dk, Matrix<Real> dr);                                                           \
  /* dk *= factors, element by element, and sums[column] += the sum of k * dk. */                                      \
  void scaleAndSum(int64_t rows, int64_t columns, Matrix<const Real> factors, Matrix<const Real> k, Matrix<Real> dk,   \
                   Real *sums);                                                                                        \
  /* gates[i] = behind + the sum over rows from i on of q * dq + r * dr - k * dk; less r * dr of row i if `before`.    \
   * r.data may be null. */                                                                                            \
  void channelGates(int64_t rows, int64_t columns, bool before, const Real *behind, Matrix<const Real> q,              \
                    Matrix<const Real> k, Matrix<const Real> r, Matrix<const Real> dq, Matrix<const Real> dk,          \
                    Matrix<const Real> dr, Matrix<Real> gates);
STRETTO_MIXER_ROWS(float)
STRETTO_MIXER_ROWS(double)
#undef STRETTO_MIXER_ROWS

// factors[i,j] = exp(rowGates[i] - gates[j]) for j < i (j <= i: strict = false), rounded from the difference; 0
// elsewhere.
void pairFactors(int64_t rows, bool strict, const double *rowGates, const double *gates, Matrix<float> factors);
void pairFactors(int64_t rows, bool strict, const double *rowGates, const double *gates, Matrix<double> factors);

} // namespace stretto::runtime::mixer
