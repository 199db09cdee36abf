//===- HeldTiles.h - which tiles of a walk the registers hold, and when ----------===//
#pragma once

#include "ir/kern/KernOps.h"

namespace stretto::codegen {

/// Warps of a block of a walk: four where no tile has work for more, else eight.
int64_t warpsOfWalk(kern::WalkOp walk);

/// A matmul that is only added to something is computed there, on top of it.
bool isDeferred(mlir::Operation *op);

/// Registers hold what is carried, sums of matmuls, and elementwise tiles that are computed where they stand: those
/// that take no more registers than what they are the last to read. Other elementwise tiles are computed part by part
/// where they are read, as often as that is; all else is in shared memory, or is a list.
class HeldTiles {
public:
  explicit HeldTiles(kern::WalkOp walk);

  bool isComputedWhereItStands(mlir::Operation *op) const { return made.contains(op); }
  /// Of what is computed where it stands: whether only matmuls and the like read it. It goes to shared memory at once.
  static bool isForOthers(mlir::Operation *op);
  /// Registers of a thread that hold tiles while an operation is computed, its result included, where they are most.
  int64_t most() const { return mostHeld; }

private:
  using Leaves = llvm::SmallSetVector<mlir::Value, 8>;
  bool isMade(mlir::Operation *op);
  bool isRead(mlir::Value tile, unsigned by, mlir::Operation *reader);
  bool isInShared(mlir::Value tile, unsigned by);
  bool isConsumer(mlir::Operation *op, mlir::Operation *reader);
  void addLeaves(mlir::Value tile, Leaves &leaves);
  void decide(mlir::Operation &op);
  void count(mlir::Operation &op);
  int64_t registersOf(mlir::Value tile);

  kern::WalkOp walk;
  int64_t warps, mostHeld = 0;
  llvm::DenseMap<mlir::Operation *, unsigned> places;
  llvm::DenseSet<mlir::Operation *> made;
  llvm::SmallVector<mlir::Value> held; ///< tiles that later operations read
};

} // namespace stretto::codegen
