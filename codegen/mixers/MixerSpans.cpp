//===- MixerSpans.cpp - the states between spans of a sequence ------------------===//
#include "codegen/mixers/MixerSpans.h"

#include "codegen/mixers/MixerChunk.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

MixerOperands stretto::codegen::tilesOf(WalkBuilder &walk, const MixerShape &shape, const MixerOperands &values) {
  int64_t heads = shape.heads;
  MixerOperands tiles;
  tiles.q = walk.columns(values.q, shape.keyHeads);
  tiles.k = walk.columns(values.k, shape.keyHeads);
  tiles.v = walk.columns(values.v, shape.programs());
  tiles.decay = shape.byChannel ? walk.columns(values.decay, heads) : walk.numbers(values.decay, heads);
  tiles.write = walk.numbers(values.write, heads);
  tiles.beta = walk.numbers(values.beta, heads);
  tiles.erase = walk.columns(values.erase, heads);
  tiles.positions = walk.numbers(values.positions, 1);
  return tiles;
}

namespace {
/// What spans do to states: `added` to what `map` makes of one. The map is null (nothing changes), the factors of each
/// program, [batch, programs, spans, keys], or with an eraser matrices, [batch, heads, spans, keys * keys].
struct SpanEffect {
  Value added, map;
};

/// Numbers that are carried on from `begin` where a span begins, though what is carried is zero there.
class CarriedFrom {
public:
  CarriedFrom(WalkBuilder &walk, ArrayRef<int64_t> tile)
      : carried(walk.carryTile(tile)), hasBegun(walk.carryTile({})) {}

  Value get(TileBuilder &b, Value begin) {
    one = b.splat(hasBegun.getType(), 1);
    return b.add(carried, b.scaled(begin, b.sub(one, hasBegun)));
  }
  SmallVector<Value> next(Value value) { return {value, one}; }

private:
  Value carried, hasBegun, one;
};

/// The walks over the spans of one mixer.
class SpanWalks {
public:
  SpanWalks(ImplicitLocOpBuilder &builder, const MixerShape &shape, const MixerOperands &values)
      : builder(builder), shape(shape), values(values) {}

  /// Each span from a state of zero, or in reverse from a gradient of zero.
  SpanEffect walkStates();
  SpanEffect walkGradients(Value grad);
  /// What comes into each span, by all those before it; with `reverse` behind it.
  Value combine(const SpanEffect &effect, bool reverse);

private:
  SpanEffect finish(WalkBuilder &walk, MixerChunk &chunk, TileBuilder &b, Value state, bool reverse);
  Value matrices(bool gradient);
  Value identity(TileBuilder &b, const MixerShape &columns);
  Value mapped(TileBuilder &b, Value state, Value map, bool reverse);
  MixerShape shapeOfMatrices() const;
  MixerShape shapeOfEntries() const;

  ImplicitLocOpBuilder &builder;
  const MixerShape &shape;
  const MixerOperands &values;
};
} // namespace

//===- Each span by itself ------------------------------------------------------===//

/// `state`: what leaves the chunk. With an eraser, the matrices are found by a walk of their own.
SpanEffect SpanWalks::finish(WalkBuilder &walk, MixerChunk &chunk, TileBuilder &b, Value state, bool reverse) {
  SmallVector<Value> carried{state};
  walk.storeEnds(state, reverse);
  Value whole = values.erases() ? Value() : chunk.gates.whole();
  if (whole) {
    CarriedFrom factors(walk, {shape.tileKeys()});
    Value before = factors.get(b, b.splat(RankedTensorType::get({shape.tileKeys()}, shape.real), 1));
    Value factor = b.scaled(before, whole);
    walk.storeEnds(factor, reverse);
    llvm::append_range(carried, factors.next(factor));
  }
  auto made = walk.finish(carried, shape.span, reverse, /*gradient=*/reverse);
  return {made.getResult(0), values.erases() ? matrices(reverse) : whole ? made.getResult(1) : Value()};
}

SpanEffect SpanWalks::walkStates() {
  MixerOperands needed = values;
  needed.q = {};
  WalkBuilder walk(builder, shape);
  MixerOperands tiles = tilesOf(walk, shape, needed);
  Value state = walk.carry(shape.real);
  TileBuilder b(builder, shape.stored, shape.real);
  MixerChunk chunk(b, shape, tiles);
  return finish(walk, chunk, b, chunk.next(state, chunk.written(state)), /*reverse=*/false);
}

SpanEffect SpanWalks::walkGradients(Value grad) {
  MixerOperands needed = values;
  needed.v = needed.write = {};
  if (!values.erases())
    needed.k = {};
  WalkBuilder walk(builder, shape);
  MixerOperands tiles = tilesOf(walk, shape, needed);
  Value ofOut = walk.columns(grad, shape.programs()), ahead = walk.carry(shape.real);
  TileBuilder b(builder, shape.stored, shape.real);
  MixerChunk chunk(b, shape, tiles);
  return finish(walk, chunk, b, differentiateState(b, shape, chunk, ofOut, ahead), /*reverse=*/true);
}

//===- Matrices -----------------------------------------------------------------===//

/// Programs have columns of the matrix as others have those of values, and no more of them.
MixerShape SpanWalks::shapeOfMatrices() const {
  MixerShape result = shape;
  result.values = shape.keys;
  for (result.blocks = 1; shape.keys % result.blocks != 0 || result.tileValues() > shape.tileValues();)
    ++result.blocks;
  return result;
}

/// The columns of the unit matrix that a program has.
Value SpanWalks::identity(TileBuilder &b, const MixerShape &columns) {
  auto type = columns.stateTile(shape.real);
  Value program = kern::ProgramIndexOp::create(b, RankedTensorType::get({}, shape.real));
  Value half = b.splat(program.getType(), 0.5); // of a program, against rounding
  Value head = b.wholePart(b.scale(b.add(program, half), 1.0 / static_cast<double>(columns.blocks)));
  Value block = b.sub(program, b.scale(head, static_cast<double>(columns.blocks)));
  Value first = b.scale(block, static_cast<double>(columns.blockWidth()));
  Value numbers = b.rowNumbers(type.getDimSize(1));
  numbers = b.add(numbers, b.broadcast(first, {}, {type.getDimSize(1)}));
  Value ofColumns = b.broadcast(numbers, {1}, type.getShape());
  return b.indicator(b.equal(b.broadcast(b.rowNumbers(type.getDimSize(0)), {0}, type.getShape()), ofColumns));
}

/// What a state becomes where nothing is written: the unit matrix goes over each span as a state does.
Value SpanWalks::matrices(bool gradient) {
  MixerShape columns = shapeOfMatrices();
  MixerOperands needed = values;
  needed.q = needed.v = needed.write = {};
  WalkBuilder walk(builder, columns);
  MixerOperands tiles = tilesOf(walk, columns, needed);
  CarriedFrom matrix(walk, columns.stateTile(shape.real).getShape());
  TileBuilder b(builder, shape.stored, shape.real);
  MixerChunk chunk(b, columns, tiles);
  Value before = matrix.get(b, identity(b, columns));
  Value behind = chunk.next(before, chunk.written(before));
  walk.storeEnds(behind, /*reverse=*/false);
  auto made = walk.finish(matrix.next(behind), shape.span, /*reverse=*/false, gradient);
  return made.getResult(0);
}

//===- All spans in order -------------------------------------------------------===//

/// A walk over entries, one for each span. Its programs have few columns, 16 where that divides them, so that there are
/// many.
MixerShape SpanWalks::shapeOfEntries() const {
  constexpr int64_t fewest = 16;
  MixerShape result = shape;
  result.time = shape.spans();
  result.chunk = 1;
  result.span = result.time;
  for (int64_t parts = shape.blockWidth(); parts > 1; --parts)
    if (shape.blockWidth() % parts == 0 && shape.blockWidth() / parts >= fewest) {
      result.blocks = shape.blocks * parts;
      break;
    }
  return result;
}

Value SpanWalks::mapped(TileBuilder &b, Value state, Value map, bool reverse) {
  if (!map || typeOf(map).getRank() == 1)
    return b.scaled(state, map);
  return reverse ? b.matmulTransposeA(map, state) : b.matmul(map, state);
}

Value SpanWalks::combine(const SpanEffect &effect, bool reverse) {
  MixerShape entries = shapeOfEntries();
  int64_t keys = shape.tileKeys();
  WalkBuilder walk(builder, entries);
  Value added = walk.states(effect.added, /*every=*/1), map;
  if (effect.map)
    map = values.erases() ? walk.entries(effect.map, shape.heads, shape.keys, {keys, keys})
                          : walk.entries(effect.map, shape.programs(), 1, {keys});
  Value state = walk.carry(shape.real);
  TileBuilder b(builder, shape.real, shape.real);
  walk.storeStates(state, shape.real, /*every=*/1);
  Value next = b.add(mapped(b, state, map, reverse), added);
  return walk.finish(next, entries.span, reverse, /*gradient=*/reverse).getResult(0);
}

Value stretto::codegen::spanStates(ImplicitLocOpBuilder &builder, const MixerShape &shape,
                                   const MixerOperands &values) {
  SpanWalks walks(builder, shape, values);
  return walks.combine(walks.walkStates(), /*reverse=*/false);
}

Value stretto::codegen::spanGradients(ImplicitLocOpBuilder &builder, const MixerShape &shape,
                                      const MixerOperands &values, Value grad) {
  SpanWalks walks(builder, shape, values);
  return walks.combine(walks.walkGradients(grad), /*reverse=*/true);
}
