//===- MixerChunk.cpp - the forward of a chunk ------------------------------------===//
#include "codegen/mixers/MixerChunk.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

MixerChunk::MixerChunk(TileBuilder &b, const MixerShape &shape, const MixerOperands &tiles)
    : tiles(tiles), gates(b, shape, tiles), b(b), shape(shape) {}

/// All pairs of a level before those of the next: the keys of a level are scaled once.
void MixerChunk::makeBothPairs() {
  auto part = [&](Value x, Value columns, const PairLevel &level) {
    return b.mul(b.matmulTransposeB(b.scaled(x, level.row), columns), level.weight);
  };
  Value pairs;
  read = part(tiles.q, tiles.k, gates.diagonal());
  gates.forEachLevelOfBoth([&](const PairLevel &ofRead, const PairLevel &ofErased) {
    Value columns = b.scaled(tiles.k, ofRead.column), more = part(eraser(), columns, ofErased);
    pairs = pairs ? b.add(pairs, more) : more;
    read = b.add(read, part(tiles.q, columns, ofRead));
  });
  erased = b.scaled(pairs, eraserFactor());
}

Value MixerChunk::reads() {
  if (!read)
    sharesLevels() ? makeBothPairs() : void(read = pairsOf(b, gates, Pairs::read, tiles.q, tiles.k));
  return read;
}

Value MixerChunk::erases() {
  if (!erased && sharesLevels())
    makeBothPairs();
  if (!erased)
    erased = b.scaled(pairsOf(b, gates, Pairs::erased, eraser(), tiles.k), eraserFactor());
  return erased;
}

Value MixerChunk::system() {
  if (shape.stored == shape.real)
    return erases();
  if (!inverse)
    inverse = b.inverse(erases());
  return inverse;
}

Value MixerChunk::solve(Value system, Value right, bool transpose) {
  if (system == erased)
    return b.solve(system, right, transpose);
  return transpose ? b.matmulTransposeA(system, right) : b.matmul(system, right);
}

Value MixerChunk::written(Value state) {
  if (!tiles.erases())
    return b.scaled(tiles.v, strength());
  Value matrix = system();
  Value read = b.scaled(b.scaledMatmul(eraser(), gates.rFromBegin(), state, false), eraserFactor());
  Value given = tiles.v ? b.sub(b.toReal(b.scaled(tiles.v, strength())), read) : b.neg(read);
  return solve(matrix, given, /*transpose=*/false);
}

Value MixerChunk::out(Value state, Value written) {
  Value before = b.scaledMatmul(tiles.q, gates.fromBegin(), state, false), inside = b.matmul(reads(), written);
  return b.scale(b.add(before, inside), shape.scale);
}

Value MixerChunk::next(Value state, Value written) {
  Value toEnd = gates.toEnd(), keys = tiles.k, rows = written;
  bool isTile = toEnd && typeOf(toEnd).getRank() == 2;
  (isTile ? keys : rows) = b.scaled(isTile ? keys : rows, toEnd);
  Value added = b.matmulTransposeA(keys, rows);
  return b.add(b.scaled(state, gates.whole()), added);
}
