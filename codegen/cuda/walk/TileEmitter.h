//===- TileEmitter.h - the tiles of a walk's body as device code ----------------===//
//
// A tile has one or both of two forms: the registers that TileLayout says, and shared memory. What moves or computes
// elements by themselves (elementwise operations, constants, broadcasts) has no code of its own: each part is computed
// where it is asked for, once in a step; of those that a walk computes where they stand (HeldTiles.h) the parts are set
// there. Everything else is code where the operation stands.
#pragma once

#include "codegen/cuda/walk/SharedTiles.h"
#include "codegen/cuda/walk/TileLayout.h"
#include "ir/kern/KernOps.h"

#include <map>

namespace stretto::codegen {

using Values = llvm::SmallVector<mlir::Value>;

class TileEmitter {
public:
  /// Addresses and places are computed where the builder stands now. `rolled`: code that need not stand once for each
  /// part is a loop.
  TileEmitter(CudaBuilder &b, int64_t warps, bool rolled);

  /// Begins a step (SharedTiles.h). What is known only where it stands is asked for within one.
  void beginStep();
  /// Begins the code of a chunk, which depends on nothing that was computed before.
  void beginChunk() { renewThread(0); }
  /// The number of the thread. Each step offers to renew it, so that addresses and masks that follow from it may be
  /// computed where they are needed: else compilers compute all of them in front of the loop over chunks, and there
  /// may not be enough registers for them (Renewals.h).
  mlir::Value thread() const { return number; }
  mlir::Value lane() { return b.remainder(number, warpThreads); }

  // The forms of a tile.
  /// Part `number` of what a thread has of a tile; not asked for inside of branches and loops.
  mlir::Value part(mlir::Value tile, int64_t number);
  Values parts(mlir::Value tile);
  void setParts(mlir::Value tile, Values parts) { forms[tile].parts = std::move(parts); }
  /// The form in shared memory; is made, by a step, where it is not there.
  SharedTile inShared(mlir::Value tile);
  void setShared(mlir::Value tile, SharedTile shared) { forms[tile].shared = shared; }
  std::optional<SharedTile> sharedOf(mlir::Value tile) { return forms[tile].shared; }

  /// Brings a list that is repeated along rows or columns to shared memory, unless its elements need no memory.
  void prepareLine(mlir::Value list);
  /// The tile has no form any more.
  void forget(mlir::Value tile) { forms.erase(tile); }

  // Within a step:
  mlir::Value load(const SharedTile &from, const TilePlace &place, int64_t lanes);
  void store(const SharedTile &to, const TilePlace &place, mlir::Value value);
  /// One element at row (null: of a list) and column.
  mlir::Value loadAt(const SharedTile &from, mlir::Value row, mlir::Value column);
  void storeAt(const SharedTile &to, mlir::Value row, mlir::Value column, mlir::Value value);
  /// body(i) for all i below `count`, shared out to the threads.
  void forEachOf(int64_t count, llvm::function_ref<void(mlir::Value)> body);
  /// The same, shared out to the warps: all lanes of one have the same i.
  void forEachByWarp(int64_t count, llvm::function_ref<void(mlir::Value)> body);

  TilePlaces &placesOf(llvm::ArrayRef<int64_t> shape);
  const TileLayout &layoutOf(mlir::Value tile);
  int64_t threads() const { return warps * warpThreads; }
  bool isRolled() const { return rolled; }

  CudaBuilder &b;
  SharedTiles shared;

private:
  void renewThread(int64_t step);
  struct Forms {
    Values parts; // all, or none
    std::optional<SharedTile> shared;
  };
  /// What is made once in a step: part `number` of a tile or, by numbers below 0, what its parts have in common.
  mlir::Value inStep(mlir::Value tile, int64_t number, llvm::function_ref<mlir::Value()> make);
  mlir::Value compute(mlir::Value tile, int64_t number);
  mlir::Value broadcast(seq::BroadcastOp op, int64_t number);
  mlir::Value loadLine(mlir::Value list, mlir::Value first, int64_t more, int64_t lanes);
  mlir::Value columnNumbers(seq::ColumnIndexOp op, int64_t number);
  mlir::Value addressOf(const SharedTile &tile, const TilePlace &place);
  bool isInMemory(mlir::Value tile);
  void copy(mlir::Value tile, const SharedTile &to);
  void copyByHalves(mlir::Value tile, const SharedTile &to);
  TilePlace placeOf(const TileLayout &layout, int64_t number);

  int64_t warps, steps = 0;
  bool rolled;
  mlir::Value half;   // within a loop over the halves of squares: its number, for which the first part of a row stands
  mlir::Value number; // of the thread; places are computed behind it
  llvm::DenseMap<mlir::Value, Forms> forms;
  std::map<llvm::SmallVector<int64_t, 2>, TilePlaces> places;
  std::map<std::pair<void *, int64_t>, mlir::Value> loaded; // what inStep made in this step
};

} // namespace stretto::codegen
