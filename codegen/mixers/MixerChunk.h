//===- MixerChunk.h - a chunk of a mixer as operations on tiles -----------------===//
#pragma once

#include "codegen/mixers/MixerGates.h"

namespace stretto::codegen {

/// What the forward computes for a chunk. Where a mixer erases, the rows u that are written to the state solve
/// (I + M) u = w v - (what the rows read of the state before); else u = w v.
class MixerChunk {
public:
  /// `tiles` are those of one chunk; q may be null for what does not read it.
  MixerChunk(TileBuilder &b, const MixerShape &shape, const MixerOperands &tiles);

  /// The rows written, given the state before the chunk; where there is no v, what they are for v = 0.
  mlir::Value written(mlir::Value state);
  mlir::Value out(mlir::Value state, mlir::Value written);
  /// The state behind the chunk.
  mlir::Value next(mlir::Value state, mlir::Value written);

  /// Pairs of q and k, without the scale; of what is erased and k.
  mlir::Value reads();
  mlir::Value erases();
  /// What solves (I + erases) X = right: the inverse where operands of matmuls are rounded, else erases.
  mlir::Value system();
  /// X, given the system; or that of the transpose.
  mlir::Value solve(mlir::Value system, mlir::Value right, bool transpose);
  /// What erases: the tile, and a factor for each row or null.
  mlir::Value eraser() const { return tiles.erase ? tiles.erase : tiles.k; }
  mlir::Value eraserFactor() const { return tiles.beta; }
  /// How strongly v is written, for each row, or null.
  mlir::Value strength() const { return tiles.beta ? tiles.beta : tiles.write; }

  const MixerOperands tiles;
  MixerGates gates;

private:
  /// Whether pairs come level by level and those that are read and those that erase share what scales k.
  bool sharesLevels() const { return tiles.q && tiles.decay && tiles.erases() && shape.byChannel; }
  void makeBothPairs();

  TileBuilder &b;
  const MixerShape &shape;
  mlir::Value read, erased, inverse; ///< what reads(), erases() and system() made
};

/// The gradient of the state before a chunk alone; it does not depend on that state, nor on v.
mlir::Value differentiateState(TileBuilder &b, const MixerShape &shape, MixerChunk &chunk, mlir::Value grad,
                               mlir::Value ahead);

/// The gradients of the tiles of one chunk; null where the operand is not given.
struct MixerGradients {
  mlir::Value q, k, v, decay, write, beta, erase;
  mlir::Value state; ///< of the state before the chunk
};

/// `grad`: of the output; `state`: before the chunk; `ahead`: the gradient of the state behind it. The decay's is
/// computed where `decays` says so. Sources: docs/mixers.md.
MixerGradients differentiateChunk(TileBuilder &b, const MixerShape &shape, MixerChunk &chunk, mlir::Value grad,
                                  mlir::Value state, mlir::Value ahead, bool decays);

} // namespace stretto::codegen
