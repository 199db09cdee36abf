//===- MixerChunkGradient.cpp - the gradients of a chunk --------------------------===//
#include "codegen/mixers/MixerChunk.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// What follows from the gradients of the output and of the state behind a chunk, without the state before it.
class StateGradient {
public:
  StateGradient(TileBuilder &b, const MixerShape &shape, MixerChunk &chunk, Value grad, Value ahead)
      : b(b), shape(shape), chunk(chunk), tiles(chunk.tiles), gates(chunk.gates), grad(grad), ahead(ahead) {}

  void addPairsAndValues() {
    reads = chunk.reads();
    if (tiles.erases())
      erases = chunk.erases();
    addValues();
  }

  /// Of the state before the chunk. Where something erases, addPairsAndValues comes first.
  Value ofState() {
    Value read = b.scale(b.toReal(b.scaled(tiles.q, gates.fromBegin())), shape.scale);
    Value sum = b.add(b.scaled(ahead, gates.whole()), b.matmulTransposeA(read, grad));
    if (!tiles.erases())
      return sum;
    Value erased = b.scaled(b.scaled(chunk.eraser(), gates.rFromBegin()), chunk.eraserFactor());
    return b.sub(sum, b.matmulTransposeA(erased, dGiven));
  }

private:
  /// du = scale reads^T grad + toEnd (k ahead); dy, the gradient of what u is solved from.
  void addValues() {
    Value inside = b.scale(b.matmulTransposeA(reads, grad), shape.scale);
    Value behind = b.scaledMatmul(tiles.k, gates.toEnd(), ahead, false);
    dWritten = b.add(inside, behind);
    dGiven = tiles.erases() ? chunk.solve(chunk.system(), dWritten, /*transpose=*/true) : dWritten;
  }

protected:
  TileBuilder &b;
  const MixerShape &shape;
  MixerChunk &chunk;
  const MixerOperands &tiles;
  MixerGates &gates;
  Value grad, ahead;
  Value reads, erases;
  Value dWritten, dGiven;
};

/// The order in which tiles are written is that in which they are computed (OrderTiles.h): what is complete is given
/// away before the next tile of as many numbers is begun.
class ChunkGradient : private StateGradient {
public:
  ChunkGradient(TileBuilder &b, const MixerShape &shape, MixerChunk &chunk, Value grad, Value state, Value ahead,
                bool decays)
      : StateGradient(b, shape, chunk, grad, ahead), state(state), decays(decays), written(chunk.written(state)) {
    addPairsAndValues();
    addPairGradients();
  }

  MixerGradients all() {
    MixerGradients result;
    addValueGradients(result);
    shape.byChannel ? addByChannel(result) : addByHead(result);
    result.state = ofState();
    return result;
  }

private:
  /// Gradients of pairs, also of those that are no pairs.
  void addPairGradients() {
    dReads = b.scale(b.matmulTransposeB(grad, written), shape.scale);
    if (tiles.erases())
      dErases = b.neg(b.matmulTransposeB(dGiven, written));
  }

  /// What rows get by the states before and behind the chunk.
  Value dqOfStates() { return b.scale(b.scaled(b.matmulTransposeB(grad, state), gates.fromBegin()), shape.scale); }
  Value dkOfStates() { return b.scaled(b.matmulTransposeB(written, ahead), gates.toEnd()); }
  Value drOfStates() { return b.neg(b.scaled(b.matmulTransposeB(dGiven, state), gates.rFromBegin())); }

  void addValueGradients(MixerGradients &result) {
    Value strength = chunk.strength();
    result.v = b.scaled(dGiven, strength);
    if (strength)
      (tiles.write ? result.write : result.beta) = b.rowDots(tiles.v, dGiven);
  }

  /// Adds what follows for rows x and for k from the gradient of their pairs; a null sum is left out.
  void addLevel(const PairLevel &level, Value dPairs, Value factor, Value x, Value *dx, Value *dk) {
    Value weighted = b.mul(dPairs, level.weight);
    if (dx) {
      Value columns = b.scaled(tiles.k, level.column);
      *dx = b.add(*dx, b.scaled(b.matmul(weighted, columns), level.row));
    }
    if (dk) {
      Value rows = b.scaled(x, level.row), ofKeys = b.scaled(weighted, factor);
      *dk = b.add(*dk, b.scaled(b.matmulTransposeA(ofKeys, rows), level.column));
    }
  }

  void addReads(bool diagonal, Value *dq, Value *dk) {
    gates.forEachLevel(Pairs::read, [&](const PairLevel &level) {
      if (level.isDiagonal == diagonal)
        addLevel(level, dReads, {}, tiles.q, dq, dk);
    });
  }

  void addErases(Value *dr, Value *dk) {
    gates.forEachLevel(Pairs::erased, [&](const PairLevel &level) {
      addLevel(level, dErases, chunk.eraserFactor(), chunk.eraser(), dr, dk);
    });
  }

  /// Adds what follows from the pairs of both kinds, level by level, to dq, dr and dk.
  void addBoth(Value &dq, Value &dr, Value &dk) {
    gates.forEachLevelOfBoth([&](const PairLevel &read, const PairLevel &erased) {
      Value columns = b.scaled(tiles.k, read.column);
      Value ofRead = b.mul(dReads, read.weight), ofErased = b.mul(dErases, read.weight);
      dq = b.add(dq, b.scaled(b.matmul(ofRead, columns), read.row));
      dr = b.add(dr, b.scaled(b.matmul(ofErased, columns), erased.row));
      Value rows = b.scaled(tiles.q, read.row), erasers = b.scaled(chunk.eraser(), erased.row);
      Value ofKeys = b.matmulTransposeA(b.scaled(ofErased, chunk.eraserFactor()), erasers);
      dk = b.add(dk, b.scaled(b.add(b.matmulTransposeA(ofRead, rows), ofKeys), read.column));
    });
  }

  /// What erases is given away, or added to what else k gets.
  void addEraser(MixerGradients &result, Value dr, Value &dk) {
    result.erase = tiles.erase ? dr : Value();
    if (!tiles.beta)
      return;
    result.beta = b.add(result.beta, b.rowDots(tiles.k, dr));
    Value ofKeys = b.scaled(dr, tiles.beta);
    dk = dk ? b.add(dk, ofKeys) : ofKeys;
  }

  //===- One decay for all channels ---------------------------------------------===//

  void addByHead(MixerGradients &result) {
    Value sums, ofErased, dk;
    if (decays)
      sums = balance(dReads, reads);
    if (tiles.erases()) {
      Value dr = drOfStates();
      if (decays)
        ofErased = erasedSums(dr, sums);
      addErases(&dr, nullptr);
      addEraser(result, dr, dk);
    }
    Value ofStates = dkOfStates(), ofKeys = decays ? b.rowDots(tiles.k, ofStates) : Value();
    dk = dk ? b.add(dk, ofStates) : ofStates;
    if (tiles.erases())
      addErases(nullptr, &dk);
    addReads(false, nullptr, &dk);
    result.k = dk;
    Value dq = dqOfStates();
    if (decays)
      result.decay = decayByHead(b.add(sums, b.sub(b.rowDots(tiles.q, dq), ofKeys)), ofKeys, ofErased);
    addReads(false, &dq, nullptr);
    result.q = dq;
  }

  /// What the sums of log decays get by what erases; added to `sums` with what k gets of it.
  Value erasedSums(Value ofStates, Value &sums) {
    Value pairs = strictly(b.mul(dErases, erases));
    Value ofErased = b.scaled(b.rowDots(chunk.eraser(), ofStates), chunk.eraserFactor());
    ofErased = b.add(ofErased, b.rowSums(pairs));
    sums = b.sub(b.add(sums, ofErased), b.columnSums(pairs));
    return ofErased;
  }

  Value decayByHead(Value sums, Value ofKeys, Value ofErased) {
    Value states = b.rowSums(b.rowDots(state, ahead));
    Value total = b.add(b.scaled(states, gates.whole()), b.rowSums(ofKeys));
    return fromSums(sums, total, ofErased);
  }

  //===- A decay for each channel -----------------------------------------------===//

  /// Pairs of a row with itself say nothing of a decay, and would cancel only up to rounding.
  void addByChannel(MixerGradients &result) {
    Value k = b.toReal(tiles.k), dk = dkOfStates(), total, sums, ofErased;
    if (decays)
      total = b.columnSums(b.mul(k, dk));
    Value dq = dqOfStates(), dr;
    if (tiles.erases()) {
      dr = drOfStates();
      addBoth(dq, dr, dk);
    } else {
      addReads(false, &dq, &dk);
    }
    if (decays)
      sums = b.mul(b.toReal(tiles.q), dq);
    addReads(true, &dq, nullptr);
    result.q = dq;
    if (tiles.erases()) {
      if (decays) {
        ofErased = b.mul(b.toReal(b.scaled(chunk.eraser(), chunk.eraserFactor())), dr);
        sums = b.add(sums, ofErased);
      }
      Value ofKeys;
      addEraser(result, dr, ofKeys);
      sums = decays ? b.sub(sums, b.mul(k, dk)) : Value();
      dk = ofKeys ? b.add(dk, ofKeys) : dk;
    } else if (decays) {
      sums = b.sub(sums, b.mul(k, dk));
    }
    if (decays) {
      total = b.add(b.scaled(b.rowDots(state, ahead), gates.whole()), total);
      result.decay = fromSums(sums, total, ofErased);
    }
    addReads(true, nullptr, &dk);
    result.k = dk;
  }

  /// A decay acts on all later rows of the chunk and on the state behind it.
  Value fromSums(Value sums, Value total, Value ofErased) {
    Type wide = shape.byChannel ? shape.real : shape.sums;
    Value later = b.prefixSum(b.convert(sums, wide), shape.chunk, /*exclusive=*/false, /*reverse=*/true);
    int64_t rank = typeOf(sums).getRank();
    Value all = b.broadcast(b.convert(total, wide), passes::dimRange(1, rank), typeOf(sums).getShape());
    Value decay = b.toReal(b.add(later, all));
    return shape.before && ofErased ? b.sub(decay, ofErased) : decay;
  }

  /// Of pairs below the diagonal: what their rows gain less what their columns lose.
  Value balance(Value gradient, Value pairs) {
    Value products = strictly(b.mul(gradient, pairs));
    return b.sub(b.rowSums(products), b.columnSums(products));
  }

  Value strictly(Value pairs) {
    Value numbers = b.rowNumbers(shape.chunk);
    return b.select(b.greater(b.asRows(numbers), b.asColumns(numbers)), pairs, b.splat(pairs.getType(), 0));
  }

  Value state;
  bool decays;
  Value written, dReads, dErases;
};
} // namespace

Value stretto::codegen::differentiateState(TileBuilder &b, const MixerShape &shape, MixerChunk &chunk, Value grad,
                                           Value ahead) {
  StateGradient gradient(b, shape, chunk, grad, ahead);
  if (chunk.tiles.erases())
    gradient.addPairsAndValues();
  return gradient.ofState();
}

MixerGradients stretto::codegen::differentiateChunk(TileBuilder &b, const MixerShape &shape, MixerChunk &chunk,
                                                    Value grad, Value state, Value ahead, bool decays) {
  return ChunkGradient(b, shape, chunk, grad, state, ahead, decays).all();
}
