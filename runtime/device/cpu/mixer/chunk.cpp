// One head's work on one chunk, up to the state behind it.
#include "runtime/device/cpu/mixer/chunk.h"

#include <algorithm>
#include <cmath>

namespace stretto::runtime::mixer {

template <typename Real> Chunk<Real>::Chunk(const Form &form, Scratch &scratch) {
  const int64_t keys = form.keys, values = form.values;
  auto take = [&](int64_t rows, int64_t columns) { return Out{scratch.take<Real>(rows * columns), columns}; };
  qRows = scratch.take<Real>(chunkRows * keys);
  kRows = scratch.take<Real>(chunkRows * keys);
  vRows = scratch.take<Real>(chunkRows * values);
  kTransposed = take(keys, chunkRows);
  a = take(chunkRows, chunkRows);
  uRows = scratch.take<Real>(chunkRows * values);
  total = scratch.take<Real>(keys);
  if (form.byHead || form.byChannel) {
    qScaled = take(chunkRows, keys);
    kScaled = take(chunkRows, keys);
  }
  if (form.byHead)
    pairFactors = take(chunkRows, chunkRows);
  if (form.byChannel) {
    for (Out *factors : {&kept, &through, &rest, &fromBegin, &toEnd})
      *factors = take(chunkRows, keys);
    inverseDecay = through, kInverse = rest; // either these or those
    qBlock = take(blockRows, keys);
    kBlock = take(blockRows, keys);
  }
  if (!form.erases)
    return;
  rRows = scratch.take<Real>(chunkRows * keys);
  m = take(chunkRows, chunkRows);
  inverse = take(chunkRows, chunkRows);
  if (form.byHead || form.byChannel)
    rScaled = take(chunkRows, keys);
  if (form.byHead)
    erasePairFactors = take(chunkRows, chunkRows);
  if (form.byChannel) {
    rFromBegin = take(chunkRows, keys);
    rBlock = take(blockRows, keys);
  }
}

//===- Rows in memory ---------------------------------------------------------===//

template <typename Real>
Matrix<Real> Head<Real>::target(const Rows &rows, int64_t token, int64_t column, Matrix<Real> buffer) const {
  if (!rows || !isPlain<Real>(rows) || form.twoRows)
    return buffer;
  return {placeIn<Real>(rows, token, column), rows.stride};
}

template <typename Real>
Matrix<const Real> Head<Real>::interleave(const Rows &rows, int64_t token, int64_t tokens, int64_t column,
                                          int64_t columns, int64_t place, Real *buffer) const {
  std::fill_n(buffer, 2 * tokens * columns, Real(0));
  for (int64_t i = 0; i < tokens; ++i) {
    Real *to = buffer + (2 * i + place) * columns;
    const Matrix<const Real> row = readRows(rows, token + i, 1, column, columns, to);
    if (row.data != to)
      std::copy_n(row.data, columns, to);
  }
  return {buffer, columns};
}

template <typename Real> void Head<Real>::load(Chunk<Real> &chunk, int64_t token, int64_t tokens) const {
  chunk.rows = tokens;
  chunk.q = readRows(op.q, token, tokens, keyHead * form.keys, form.keys, chunk.qRows);
  scaleRows(tokens, form.keys, scales, chunk.q, {chunk.qRows, form.keys});
  chunk.q = {chunk.qRows, form.keys};
  chunk.k = readRows(op.k, token, tokens, keyHead * form.keys, form.keys, chunk.kRows);
  chunk.v = readRows(op.v, token, tokens, head * form.values, form.values, chunk.vRows);
  const Rows &strength = op.beta ? op.beta : op.write;
  chunk.writes = static_cast<bool>(strength);
  for (int64_t i = 0; chunk.writes && i < tokens; ++i)
    chunk.w[i] = *placeIn<const Real>(strength, token + i, head);
  if (op.erase)
    chunk.r = readRows(op.erase, token, tokens, head * form.keys, form.keys, chunk.rRows);
  if (op.beta) {
    scaleRows(tokens, form.keys, chunk.w, chunk.k, {chunk.rRows, form.keys});
    chunk.r = {chunk.rRows, form.keys};
  }
}

template <typename Real> void Head<Real>::loadTwoRows(Chunk<Real> &chunk, int64_t token, int64_t tokens) const {
  chunk.rows = 2 * tokens;
  const int64_t keys = form.keys, values = form.values, own = head * keys;
  chunk.q = interleave(op.q, token, tokens, keyHead * keys, keys, 1, chunk.qRows);
  scaleRows(2 * tokens, keys, scales, chunk.q, {chunk.qRows, keys});
  chunk.v = interleave(op.v, token, tokens, head * values, values, 1, chunk.vRows);
  chunk.r = interleave(op.erase, token, tokens, own, keys, 0, chunk.rRows);
  chunk.k = interleave(op.k, token, tokens, keyHead * keys, keys, 1, chunk.kRows);
  for (int64_t i = 0; i < tokens; ++i) {
    Real *to = chunk.kRows + 2 * i * keys;
    const Matrix<const Real> row = readRows(op.eraseWrite, token + i, 1, own, keys, to);
    if (row.data != to)
      std::copy_n(row.data, keys, to);
  }
  chunk.writes = static_cast<bool>(op.write);
  for (int64_t i = 0; chunk.writes && i < tokens; ++i) {
    chunk.w[2 * i] = 0;
    chunk.w[2 * i + 1] = *placeIn<const Real>(op.write, token + i, head);
  }
}

//===- Decay ------------------------------------------------------------------===//

// exp of this is zero also in f64. What is below, -infinity included, keeps nothing either, and would leave nothing of
// the weak decay that it is added to.
constexpr double strongest = -800;

template <typename Real> void Head<Real>::decayByHead(Chunk<Real> &chunk, int64_t token) const {
  const int64_t step = form.rowsPerToken();
  double sum = 0;
  for (int64_t i = 0; i < chunk.rows; ++i) {
    const double before = sum;
    if (i % step == 0)
      sum += std::max(static_cast<double>(*placeIn<const Real>(op.decay, token + i / step, head)), strongest);
    chunk.gates[i] = sum;
    chunk.rowGates[i] = form.before ? before : sum;
  }
  for (int64_t i = 0; i < chunk.rows; ++i) {
    chunk.qFactors[i] = static_cast<Real>(chunk.gates[i]);
    chunk.rFactors[i] = static_cast<Real>(chunk.rowGates[i]);
    chunk.kFactors[i] = static_cast<Real>(sum - chunk.gates[i]);
  }
  for (Real *factors : {chunk.qFactors, chunk.rFactors, chunk.kFactors})
    exponentials(1, chunk.rows, {factors, 0}, {factors, 0});
  std::fill_n(chunk.total, form.keys, chunk.qFactors[chunk.rows - 1]);
  scaleRows(chunk.rows, form.keys, chunk.qFactors, chunk.q, chunk.qScaled);
  scaleRows(chunk.rows, form.keys, chunk.kFactors, chunk.k, chunk.kScaled);
  if (form.erases)
    scaleRows(chunk.rows, form.keys, chunk.rFactors, chunk.r, chunk.rScaled);
}

// Rows `begin` to `end` of out = factors * row.
template <typename Real>
static void scaleBy(const Real *row, int64_t begin, int64_t end, int64_t columns, Matrix<const Real> factors,
                    Matrix<Real> out) {
  for (int64_t i = begin; i < end; ++i)
    for (int64_t d = 0; d < columns; ++d)
      out.row(i)[d] = factors.row(i)[d] * row[d];
}

// The weakest decay of a chunk (what it keeps) whose inverse is formed: far from the least and largest numbers.
template <typename Real> constexpr Real weakest = sizeof(Real) == sizeof(float) ? Real(1e-12) : Real(1e-100);

template <typename Real> void Head<Real>::decayByChannel(Chunk<Real> &chunk, int64_t token) const {
  const int64_t rows = chunk.rows, keys = form.keys, step = form.rowsPerToken(), last = rows - 1;
  const Real *decay = static_cast<const Real *>(op.decay.data) + token * op.decay.stride + head * keys;
  exponentials(rows / step, keys, {decay, op.decay.stride}, {chunk.kept.data, step * keys});
  for (int64_t i = 1; i < rows; i += step)
    if (step > 1)
      std::fill_n(chunk.kept.row(i), keys, Real(1));
  chunk.isWeak = runningProducts(rows, keys, chunk.kept, chunk.fromBegin) >= weakest<Real>;
  if (chunk.isWeak) {
    invertElements(rows, keys, chunk.fromBegin, chunk.k, chunk.inverseDecay, chunk.kInverse, chunk.toEnd,
                   chunk.kScaled);
  } else {
    blockFactors(rows, keys, chunk.kept, chunk.through, chunk.rest);
    const int64_t first = std::min(rows, blockRows); // rows of the first block
    std::copy_n(chunk.rest.row(0), rows * keys, chunk.toEnd.row(0));
    if (first < rows)
      scaleBy<Real>(chunk.through.row(last), 0, first, keys, chunk.rest, chunk.toEnd);
    multiplyElements(rows, keys, chunk.k, chunk.toEnd, chunk.kScaled);
  }
  std::copy_n(chunk.fromBegin.row(last), keys, chunk.total);
  multiplyElements(rows, keys, chunk.q, chunk.fromBegin, chunk.qScaled);
  if (!form.erases)
    return;
  if (form.before) {
    std::fill_n(chunk.rFromBegin.data, keys, Real(1));
    std::copy_n(chunk.fromBegin.data, last * keys, chunk.rFromBegin.row(1));
  } else {
    std::copy_n(chunk.fromBegin.data, rows * keys, chunk.rFromBegin.data);
  }
  multiplyElements(rows, keys, chunk.r, chunk.rFromBegin, chunk.rScaled);
}

//===- Pairs of rows ----------------------------------------------------------===//

template <typename Real>
void Head<Real>::multiplyPairs(Chunk<Real> &chunk, Matrix<const Real> q, Matrix<const Real> r,
                               Matrix<const Real> k) const {
  const int64_t rows = chunk.rows, keys = form.keys;
  transposeRows(rows, keys, k, chunk.kTransposed);
  matmul(rows, rows, keys, read(q), chunk.kTransposed, {}, chunk.a, Part::lower);
  if (form.erases)
    matmul(rows, rows, keys, read(r), chunk.kTransposed, {}, chunk.m, Part::lower);
}

template <typename Real> void Head<Real>::pairsByHead(Chunk<Real> &chunk) const {
  const int64_t rows = chunk.rows;
  multiplyPairs(chunk, chunk.q, chunk.r, chunk.k);
  if (!form.byHead)
    return keepPairs(chunk);
  mixer::pairFactors(rows, /*strict=*/false, chunk.gates, chunk.gates, chunk.pairFactors);
  multiplyLower(rows, /*strict=*/false, chunk.pairFactors, chunk.a);
  if (!form.erases)
    return;
  mixer::pairFactors(rows, /*strict=*/true, chunk.rowGates, chunk.gates, chunk.erasePairFactors);
  multiplyLower(rows, /*strict=*/true, chunk.erasePairFactors, chunk.m);
}

template <typename Real> void Head<Real>::pairsOfWeakDecay(Chunk<Real> &chunk) const {
  multiplyPairs(chunk, chunk.qScaled, chunk.rScaled, chunk.kInverse);
  keepPairs(chunk);
}

template <typename Real> void Head<Real>::keepPairs(Chunk<Real> &chunk) const {
  keepLower(chunk.rows, /*strict=*/false, chunk.a);
  if (form.erases)
    keepLower(chunk.rows, /*strict=*/true, chunk.m);
}

template <typename Real> void Head<Real>::pairsByChannel(Chunk<Real> &chunk) const {
  using Out = Matrix<Real>;
  const int64_t rows = chunk.rows, keys = form.keys, first = std::min(rows, blockRows), second = rows - first;
  for (int64_t begin = 0; begin < rows; begin += blockRows) {
    const Out m = form.erases ? Out{chunk.m.row(begin) + begin, chunk.m.stride} : Out();
    blockPairs(chunk.pairBlock(form, begin), Out{chunk.a.row(begin) + begin, chunk.a.stride}, m);
  }
  if (second == 0)
    return;
  for (int64_t i = 0; i < first; ++i) {
    std::fill_n(chunk.a.row(i) + first, second, Real(0));
    if (form.erases)
      std::fill_n(chunk.m.row(i) + first, second, Real(0));
  }
  multiplyElements(first, keys, chunk.k, chunk.rest, chunk.kBlock);
  transposeRows(first, keys, chunk.kBlock, chunk.kTransposed);
  multiplyElements(second, keys, {chunk.q.row(first), chunk.q.stride}, {chunk.through.row(first), keys}, chunk.qBlock);
  matmul(second, first, keys, read(chunk.qBlock), chunk.kTransposed, {}, {chunk.a.row(first), chunk.a.stride});
  if (!form.erases)
    return;
  Matrix<const Real> r{chunk.r.row(first), chunk.r.stride};
  if (form.before) { // the first row of the block has not decayed yet
    std::copy_n(r.data, keys, chunk.rBlock.data);
    multiplyElements(second - 1, keys, {r.row(1), r.stride}, {chunk.through.row(first), keys},
                     {chunk.rBlock.row(1), keys});
  } else {
    multiplyElements(second, keys, r, {chunk.through.row(first), keys}, chunk.rBlock);
  }
  matmul(second, first, keys, read(chunk.rBlock), chunk.kTransposed, {}, {chunk.m.row(first), chunk.m.stride});
}

//===- The chunk --------------------------------------------------------------===//

template <typename Real> void Head<Real>::prepare(Chunk<Real> &chunk, int64_t token, int64_t tokens) const {
  if (form.twoRows)
    loadTwoRows(chunk, token, tokens);
  else
    load(chunk, token, tokens);
  if (form.byHead)
    decayByHead(chunk, token);
  else if (form.byChannel)
    decayByChannel(chunk, token);
  else
    std::fill_n(chunk.total, form.keys, Real(1));
  const bool decays = form.decays();
  chunk.qDecayed = decays ? Matrix<const Real>(chunk.qScaled) : chunk.q;
  chunk.kRest = decays ? Matrix<const Real>(chunk.kScaled) : chunk.k;
  if (form.erases)
    chunk.rDecayed = decays ? Matrix<const Real>(chunk.rScaled) : chunk.r;
  if (!form.byChannel)
    pairsByHead(chunk);
  else if (chunk.isWeak)
    pairsOfWeakDecay(chunk);
  else
    pairsByChannel(chunk);
  if (form.erases)
    invertUnitLower(chunk.rows, chunk.m, chunk.inverse);
}

template <typename Real> void Head<Real>::solve(Chunk<Real> &chunk, const Real *state, Real *values) const {
  const int64_t rows = chunk.rows, columns = form.values;
  chunk.u = chunk.v;
  const Matrix<Real> written{form.erases ? values : chunk.uRows, columns};
  if (chunk.writes) {
    scaleRows(rows, columns, chunk.w, chunk.v, written);
    chunk.u = written;
  }
  if (!form.erases)
    return;
  if (state) {
    matmul(rows, columns, form.keys, read(chunk.rDecayed), {state, columns}, {}, {chunk.uRows, columns});
    subtract(rows, columns, chunk.u, {chunk.uRows, columns}, written);
    chunk.u = written;
  }
  matmul(rows, columns, rows, read(chunk.inverse, Part::lower), chunk.u, {}, {chunk.uRows, columns});
  chunk.u = {chunk.uRows, columns};
}

template <typename Real>
void Head<Real>::advance(const Chunk<Real> &chunk, const Real *state, Real *next) const {
  const int64_t keys = form.keys, values = form.values;
  const Base<Real> before{{state, values}, form.decays() ? chunk.total : nullptr};
  matmul(keys, values, chunk.rows, transposed(chunk.kRest), chunk.u, before, {next, values});
}

template struct Chunk<float>;
template struct Chunk<double>;
template struct Head<float>;
template struct Head<double>;

} // namespace stretto::runtime::mixer
