//===- MixerShape.h - what the tile programs of a mixer follow from -------------===//
#pragma once

#include "ir/seq/SeqOps.h"
#include "ir/seq/TensorShape.h"

#include "llvm/Support/MathExtras.h"

namespace stretto::codegen {

/// The operands that a mixer and its gradient have in common; null where they are not given. As values of the program,
/// or as the tiles of a chunk.
struct MixerOperands {
  mlir::Value q, k, v, decay, write, beta, erase, positions;

  bool erases() const { return beta || erase; }
};

/// How the programs of a mixer are cut.
struct MixerCut {
  int64_t chunk;    ///< rows of a chunk; divides the segments of the mixer
  int64_t blocks;   ///< programs of a head, each with as many of the value columns; divides them
  int64_t span = 0; ///< chunks of a span, side by side with the others; 0: a sequence is one span
};

/// Sizes of a mixer and of the tiles of its programs.
struct MixerShape {
  template <typename Op>
  MixerShape(Op op, MixerCut cut)
      : chunk(cut.chunk), heads(op.getHeads()), keyHeads(op.getKeyHeads()), keys(op.getKeyColumns()),
        values(op.getValueColumns()), blocks(cut.blocks), segment(op.getSegment()),
        scale(op.getScale().convertToDouble()), byChannel(op.decaysByChannel()), before(op.getReadBefore()),
        stored(typeOf(op.getV()).getElementType()) {
    auto type = typeOf(op.getV());
    batch = type.getDimSize(0), time = type.getDimSize(1);
    span = cut.span ? std::min(cut.span, chunks()) : chunks();
    real = stored.isBF16() ? mlir::Type(mlir::Float32Type::get(type.getContext())) : stored;
    sums = stored.isBF16() ? real : mlir::Type(mlir::Float64Type::get(type.getContext()));
  }

  int64_t batch = 0, time = 0;
  int64_t chunk;                                 ///< divides a segment
  int64_t span = 0;                              ///< chunks of a walk of its own
  int64_t heads, keyHeads, keys, values, blocks; ///< keys, values: columns of a head
  int64_t segment;                               ///< tokens between the states that are saved
  double scale;
  bool byChannel, before; ///< a decay for each key channel; what is erased is read before the decay
  mlir::Type stored;      ///< of rows in memory and of operands of matmuls
  mlir::Type real;        ///< of everything else
  mlir::Type sums;        ///< of sums of decays over a chunk: differences of large ones count

  int64_t programs() const { return heads * blocks; }
  /// Chunks between the states that are saved.
  int64_t chunksOfSegment() const { return segment / chunk; }
  int64_t chunks() const { return llvm::divideCeil(time, chunk); }
  int64_t spans() const { return llvm::divideCeil(chunks(), span); }
  int64_t blockWidth() const { return values / blocks; }
  int64_t tileKeys() const { return llvm::alignTo(keys, 16); }
  int64_t tileValues() const { return llvm::alignTo(blockWidth(), 16); }
  mlir::RankedTensorType stateTile(mlir::Type element) const {
    return mlir::RankedTensorType::get({tileKeys(), tileValues()}, element);
  }
};

} // namespace stretto::codegen
