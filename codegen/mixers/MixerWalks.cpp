//===- MixerWalks.cpp - linear mixers as tile programs ------------------------===//
#include "codegen/mixers/MixerWalks.h"

#include "codegen/mixers/MixerChunk.h"
#include "codegen/mixers/MixerSpans.h"
#include "codegen/mixers/SumBlocks.h"
#include "codegen/mixers/WalkBuilder.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
template <typename Op> MixerOperands operandsOf(Op op) {
  return {op.getQ(),     op.getK(),    op.getV(),     op.getDecay(),
          op.getWrite(), op.getBeta(), op.getErase(), op.getPositions()};
}

/// The state before each chunk, from those before each segment.
Value chunkStates(ImplicitLocOpBuilder &builder, const MixerShape &shape, const MixerOperands &values, Value states) {
  int64_t span = shape.chunksOfSegment();
  if (span == 1 || shape.chunks() == 1)
    return states;
  MixerOperands needed = values;
  needed.q = {};
  WalkBuilder walk(builder, shape);
  MixerOperands tiles = tilesOf(walk, shape, needed);
  Value state = walk.carry(shape.real, states, span);
  TileBuilder b(builder, shape.stored, shape.real);
  MixerChunk chunk(b, shape, tiles);
  walk.storeStates(state, shape.stored, /*every=*/1);
  Value next = chunk.next(state, chunk.written(state));
  return walk.finish(next, span, /*reverse=*/false, /*gradient=*/true).getResult(0);
}

/// Stores what is given, in the order of the results of seq.mixer_grad, in parts that may still be added up.
void storeGradients(WalkBuilder &walk, const MixerShape &shape, const MixerGradients &gradients, int64_t headsOfPart) {
  Type exact = shape.real, rounded = shape.blocks == 1 ? shape.stored : exact;
  Type ofParts = headsOfPart == 1 ? rounded : exact;
  auto store = [&](Value tile, Type type, int64_t width) {
    if (tile)
      walk.storeRows(tile, type, shape.programs(), width);
  };
  store(gradients.q, ofParts, shape.keys);
  store(gradients.k, ofParts, shape.keys);
  store(gradients.v, shape.stored, shape.blockWidth());
  store(gradients.decay, exact, shape.byChannel ? shape.keys : 1);
  store(gradients.write, exact, 1);
  store(gradients.beta, exact, 1);
  store(gradients.erase, rounded, shape.keys);
}
} // namespace

SmallVector<Value> stretto::codegen::writeMixer(ImplicitLocOpBuilder &builder, seq::MixerOp op, MixerCut cut) {
  MixerShape shape(op, cut);
  MixerOperands values = operandsOf(op);
  Value begins = shape.spans() > 1 ? spanStates(builder, shape, values) : Value();
  WalkBuilder walk(builder, shape);
  MixerOperands tiles = tilesOf(walk, shape, values);
  Value state = walk.carry(shape.real, begins, shape.span);
  TileBuilder b(builder, shape.stored, shape.real);
  MixerChunk chunk(b, shape, tiles);
  Value written = chunk.written(state);
  walk.storeRows(chunk.out(state, written), shape.stored, shape.programs(), shape.blockWidth());
  if (op.getStates())
    walk.storeStates(state, shape.real, shape.chunksOfSegment());
  auto made = walk.finish(chunk.next(state, written), shape.span, /*reverse=*/false, /*gradient=*/false);
  return SmallVector<Value>(made.getResults());
}

SmallVector<Value> stretto::codegen::writeMixerGradient(ImplicitLocOpBuilder &builder, seq::MixerGradOp op,
                                                        MixerCut cut) {
  MixerShape shape(op, cut);
  MixerOperands values = operandsOf(op);
  Value ends = shape.spans() > 1 ? spanGradients(builder, shape, values, op.getGrad()) : Value();
  Value states = chunkStates(builder, shape, values, op.getStates());
  WalkBuilder walk(builder, shape);
  MixerOperands tiles = tilesOf(walk, shape, values);
  Value grad = walk.columns(op.getGrad(), shape.programs()), state = walk.states(states, /*every=*/1);
  Value ahead = walk.carry(shape.real, ends, shape.span);
  TileBuilder b(builder, shape.stored, shape.real);
  MixerChunk chunk(b, shape, tiles);
  MixerGradients gradients = differentiateChunk(b, shape, chunk, grad, state, ahead, static_cast<bool>(op.getDdecay()));
  if (!op.getDwrite())
    gradients.write = {};
  if (!op.getDbeta())
    gradients.beta = {};
  if (!op.getDerase())
    gradients.erase = {};
  storeGradients(walk, shape, gradients, op.getHeadsOfPart());
  auto made = walk.finish(gradients.state, shape.span, /*reverse=*/true, /*gradient=*/true);
  return sumBlocks(builder, made, op.getResultTypes(), shape.programs());
}
