//===- MixerGates.h - what rows of a chunk see of each other --------------------===//
#pragma once

#include "codegen/mixers/MixerShape.h"
#include "codegen/mixers/TileBuilder.h"

namespace stretto::codegen {

/// A part of the pairs of rows i and earlier ones j: the pairs where `weight` is not 0. The decay between them is the
/// product weight[i, j] row[i] column[j], where row and column are tiles, [chunk, keys], or null: 1.
struct PairLevel {
  mlir::Value weight; ///< [chunk, chunk]
  mlir::Value row = {}, column = {};
  bool isDiagonal = false; ///< pairs of rows with themselves
};

/// Pairs of a row and those up to its own, which it reads; or of a row and those before it, which it erases.
enum class Pairs { read, erased };

/// Decay and documents of a chunk, as factors between 0 and 1; null: 1. Where there is one decay for all channels, a
/// factor has a number for each row, else one for each key column, too: such tiles are written anew each time they are
/// asked for, since they take more room than time. No exponential is of a positive number.
class MixerGates {
public:
  MixerGates(TileBuilder &b, const MixerShape &shape, const MixerOperands &tiles);

  mlir::Value fromBegin();  ///< what a row has of the state before the chunk
  mlir::Value rFromBegin(); ///< the same for what it erases
  mlir::Value toEnd();      ///< what the state behind the chunk has of a row
  mlir::Value whole();      ///< what it has of the state before; a number, or one for each key column

  /// Calls work(level) for parts that are all pairs together.
  void forEachLevel(Pairs pairs, llvm::function_ref<void(const PairLevel &)> work);
  /// With a decay for each channel: calls work(read, erased) for parts that are all pairs of rows and earlier ones,
  /// those that are read and those that erase. Weight and column of the two are the same values.
  void forEachLevelOfBoth(llvm::function_ref<void(const PairLevel &, const PairLevel &)> work);
  /// Pairs of rows with themselves, which are read.
  PairLevel diagonal();

private:
  mlir::Value rowsOf(mlir::Value tile);
  mlir::Value finite(mlir::Value logarithms);
  mlir::Value decayOver(int64_t rows, bool exclusive, bool reverse);
  mlir::Value decayUpTo(int64_t rows, bool exclusive = false);
  mlir::Value decayBehind(int64_t rows);
  mlir::Value decayBetween(bool exclusive);
  mlir::Value areHalves(int64_t half);
  mlir::Value keep(mlir::Value condition, mlir::Value factor);
  mlir::Value ofOneDocument(mlir::Value weight);
  mlir::Value square(double number);
  PairLevel byHead(Pairs pairs);
  PairLevel halves(Pairs pairs, int64_t half);
  mlir::Value beganBefore();
  mlir::Value areLast();
  mlir::Value lastBeganBefore();

  TileBuilder &b;
  const MixerShape &shape;
  mlir::Value decay;                     ///< logarithms, of the rows; or null
  mlir::Value vectors[2][2], between[2]; ///< by head: what decayOver gave for the whole chunk, and decayBetween
  mlir::Value begins;                    ///< of the document of each row, counted from the chunk's first row; or null
};

/// pairs[i, j] = sum over d of x[i, d] y[j, d] decay[i, j, d].
mlir::Value pairsOf(TileBuilder &b, MixerGates &gates, Pairs pairs, mlir::Value x, mlir::Value y);

} // namespace stretto::codegen
