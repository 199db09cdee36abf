//===- MixerGates.cpp - what rows of a chunk see of each other --------------------===//
//
// With a decay for each channel, the decay between two rows does not leave the sum over channels. Rows are halved again
// and again: of a block of 2h rows, each row of the second half sees each of the first through the row between the
// halves, so that its pairs are one matmul of scaled rows. h = 1, 2, 4, ... cover all pairs but those of a row with
// itself. See docs/mixers.md.
#include "codegen/mixers/MixerGates.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

MixerGates::MixerGates(TileBuilder &b, const MixerShape &shape, const MixerOperands &tiles)
    : b(b), shape(shape), decay(finite(rowsOf(tiles.decay))) {
  if (tiles.positions)
    begins = b.sub(b.rowNumbers(shape.chunk), b.toReal(tiles.positions));
}

/// Log decays of the rows; of a weight the same for each.
Value MixerGates::rowsOf(Value tile) {
  if (!tile || typeOf(tile).getRank() == (shape.byChannel ? 2 : 1))
    return tile;
  SmallVector<int64_t> wanted{shape.chunk};
  llvm::append_range(wanted, typeOf(tile).getShape());
  return b.broadcast(tile, passes::dimRange(1, wanted.size()), wanted);
}

/// Decays of differences of sums: what keeps nothing counts as a number of which an exponential is 0, so that no
/// difference is that of two infinities, and none loses more digits than that number takes.
Value MixerGates::finite(Value logarithms) {
  if (!logarithms || shape.byChannel)
    return logarithms;
  Value least = b.splat(logarithms.getType(), shape.real.isF64() ? -800 : -128);
  return arith::MaximumFOp::create(b, logarithms, least);
}

//===- Documents --------------------------------------------------------------===//

static Value zeros(TileBuilder &b, Value like) { return b.splat(like.getType(), 0); }

/// Rows whose document began before the chunk, as a factor.
Value MixerGates::beganBefore() { return begins ? b.indicator(b.less(begins, zeros(b, begins))) : Value(); }

/// Rows of the document that the last row belongs to.
Value MixerGates::areLast() {
  if (!begins)
    return {};
  Value last = b.row(begins, shape.chunk - 1);
  return b.indicator(b.equal(begins, b.broadcast(last, {}, {shape.chunk})));
}

/// Whether that document began before the chunk.
Value MixerGates::lastBeganBefore() {
  if (!begins)
    return {};
  Value last = b.row(begins, shape.chunk - 1);
  return b.indicator(b.less(last, zeros(b, last)));
}

//===- Factors of rows --------------------------------------------------------===//

/// The decay over the rows of a block of `rows`: up to each row, or in reverse from it on; exclusive: without its own.
Value MixerGates::decayOver(int64_t rows, bool exclusive, bool reverse) {
  if (shape.byChannel)
    return math::ExpOp::create(b, b.prefixSum(decay, rows, exclusive, reverse));
  Value &known = vectors[exclusive][reverse];
  if (!known)
    known = math::ExpOp::create(b, b.toReal(b.prefixSum(b.convert(decay, shape.sums), rows, exclusive, reverse)));
  return known;
}

Value MixerGates::decayUpTo(int64_t rows, bool exclusive) { return decayOver(rows, exclusive, /*reverse=*/false); }
Value MixerGates::decayBehind(int64_t rows) { return decayOver(rows, /*exclusive=*/true, /*reverse=*/true); }

Value MixerGates::fromBegin() {
  Value ofDecay = decay ? decayUpTo(shape.chunk) : Value();
  return b.both(ofDecay, beganBefore());
}

Value MixerGates::rFromBegin() {
  Value ofDecay = decay ? decayUpTo(shape.chunk, /*exclusive=*/shape.before) : Value();
  return b.both(ofDecay, beganBefore());
}

Value MixerGates::toEnd() {
  Value ofDecay = decay ? decayBehind(shape.chunk) : Value();
  return b.both(ofDecay, areLast());
}

Value MixerGates::whole() {
  Value ofDecay;
  if (decay && shape.byChannel)
    ofDecay = math::ExpOp::create(b, b.columnSums(decay));
  else if (decay)
    ofDecay = b.row(decayUpTo(shape.chunk), shape.chunk - 1);
  return b.both(ofDecay, lastBeganBefore());
}

//===- Pairs ------------------------------------------------------------------===//

void MixerGates::forEachLevel(Pairs pairs, llvm::function_ref<void(const PairLevel &)> work) {
  if (!decay || !shape.byChannel)
    return work(byHead(pairs));
  if (pairs == Pairs::read)
    work(diagonal());
  for (int64_t half = 1; half < shape.chunk; half *= 2)
    work(halves(pairs, half));
}

void MixerGates::forEachLevelOfBoth(llvm::function_ref<void(const PairLevel &, const PairLevel &)> work) {
  for (int64_t half = 1; half < shape.chunk; half *= 2) {
    PairLevel read = halves(Pairs::read, half), erased = read;
    if (shape.before)
      erased.row = decayUpTo(half, /*exclusive=*/true);
    work(read, erased);
  }
}

PairLevel MixerGates::diagonal() {
  Value numbers = b.rowNumbers(shape.chunk);
  return {keep(b.equal(b.asRows(numbers), b.asColumns(numbers)), {}), {}, {}, /*isDiagonal=*/true};
}

PairLevel MixerGates::byHead(Pairs pairs) {
  Value numbers = b.rowNumbers(shape.chunk), row = b.asRows(numbers), column = b.asColumns(numbers);
  bool isErased = pairs == Pairs::erased;
  Value between = decay ? decayBetween(/*exclusive=*/isErased && shape.before) : Value();
  if (isErased)
    return {keep(b.greater(row, column), between)};
  Value upTo = b.select(b.less(row, column), square(0), between ? between : square(1));
  return {ofOneDocument(upTo)};
}

/// From row j to row i, [chunk, chunk]; anything up to 1 where i comes before j.
Value MixerGates::decayBetween(bool exclusive) {
  Value &known = between[exclusive];
  if (known)
    return known;
  Value wide = b.convert(decay, shape.sums), sums = b.prefixSum(wide, shape.chunk);
  Value ofRows = exclusive ? b.prefixSum(wide, shape.chunk, /*exclusive=*/true) : sums;
  Value difference = b.toReal(b.sub(b.asRows(ofRows), b.asColumns(sums)));
  Value atMost0 = arith::MinimumFOp::create(b, difference, zeros(b, difference));
  return known = math::ExpOp::create(b, atMost0);
}

PairLevel MixerGates::halves(Pairs pairs, int64_t half) {
  Value weight = keep(areHalves(half), {});
  Value row = decayUpTo(half, /*exclusive=*/pairs == Pairs::erased && shape.before);
  return {weight, row, decayBehind(half)};
}

/// Whether row i lies in the second half of a block whose first half row j lies in.
Value MixerGates::areHalves(int64_t half) {
  Value number = b.wholePart(b.scale(b.rowNumbers(shape.chunk), 1.0 / static_cast<double>(half)));
  Value one = b.splat(number.getType(), 1), even = b.scale(b.wholePart(b.scale(number, 0.5)), 2);
  Value second = b.select(b.greater(number, even), number, b.splat(number.getType(), -1));
  return b.equal(b.asRows(second), b.asColumns(b.add(number, one)));
}

/// The factor, or 1, where the condition holds for rows of one document, else 0.
Value MixerGates::keep(Value condition, Value factor) {
  Value kept = factor ? factor : square(1);
  return ofOneDocument(b.select(condition, kept, square(0)));
}

Value MixerGates::ofOneDocument(Value weight) {
  return begins ? b.select(b.equal(b.asRows(begins), b.asColumns(begins)), weight, square(0)) : weight;
}

Value MixerGates::square(double number) {
  return b.splat(RankedTensorType::get({shape.chunk, shape.chunk}, shape.real), number);
}

Value stretto::codegen::pairsOf(TileBuilder &b, MixerGates &gates, Pairs pairs, Value x, Value y) {
  Value sum;
  gates.forEachLevel(pairs, [&](const PairLevel &level) {
    Value rows = b.scaled(x, level.row), columns = b.scaled(y, level.column);
    Value part = b.mul(b.matmulTransposeB(rows, columns), level.weight);
    sum = sum ? b.add(sum, part) : part;
  });
  return sum;
}
