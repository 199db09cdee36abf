//===- Roles.h - what the warps of a matmul do ---------------------------------------===//
//
//   3 or 7, 4 or 8    compute the epilogue of the tile that is staged, while the next one is multiplied
//   4 or 8            in warpgroups: each multiplies 64 rows of a tile, and stages them
//   one               of which one lane copies operands into stages, step after step
//
// They come in warpgroups, four of them each, which exchange registers: a thread that multiplies keeps those that its
// sums take, and leaves the others to the epilogue. The warp that copies fills up the epilogue's groups, or is the
// first of a last warpgroup in which three have nothing to do.
//
// All go over the same items, each for itself, and meet at the mbarriers of two rings: the stages of operands, and the
// one place where a tile is staged. So copies for the next tile begin before this one is done.
//
// The stages of all blocks of a cluster are filled together: each block waits until all have emptied one, and copies
// its part of the weight to all of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/matmul/Accumulators.h"
#include "codegen/cuda/matmul/Epilogue.h"

namespace stretto::codegen {

class MatmulRoles {
public:
  /// `shared`: what a block has of shared memory.
  MatmulRoles(CudaBuilder &b, KernelFunction &function, kern::MatmulOp op, const MatmulTiling &tiling,
              mlir::Value shared);

  /// The whole kernel.
  void build();

private:
  /// All threads of the cluster meet, or of the block where that is alone, and see the mbarriers of all.
  void meetAtStart();
  void takeRoles(mlir::Value thread, mlir::Value warp);
  /// No block ends before others have arrived at its mbarriers.
  void meetAtEnd();
  /// The warpgroup has so many of a thread from now on.
  void keepRegisters(int64_t registers);

  void copyByOneLane();
  void copyOperands();
  void multiply(mlir::Value warp);
  mlir::Value multiplyTile(StagePlace &place, mlir::Value warpgroup);
  /// Gives a stage of operands back to all blocks that fill it.
  void giveBack(mlir::Value stage);
  void computeEpilogue(mlir::Value thread);
  Values computeItem(RowwiseBuilder &rows, mlir::Value number, mlir::Value thread, mlir::ValueRange turn);
  void storeSums(RowwiseBuilder &rows, mlir::Value number, mlir::Value thread, mlir::ValueRange sums);

  MatmulItem itemOf(mlir::Value number);
  MatmulItem itemOfRun(mlir::Value run);
  MatmulItem renewedItem(mlir::Value number);
  Values forEachItem(mlir::ValueRange carried, llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);
  Values forEachTile(mlir::ValueRange carried, llvm::function_ref<Values(MatmulTile, mlir::ValueRange)> body);
  /// One lane of each warp arrives, when all lanes have come here.
  void arriveOnce(llvm::function_ref<void()> arrive);

  CudaBuilder &b;
  const MatmulTiling &tiling;
  Operands operands;
  Accumulators accumulators;
  MatmulEpilogue epilogue;
  Stages stages, staged;
  mlir::Value block, lane;
};

} // namespace stretto::codegen
