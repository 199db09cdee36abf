//===- Roles.h - what the warps of a matmul do ---------------------------------------===//
//
//   warp 0         one lane copies operands into stages, step after step
//   warps 1 - 3    store the tile that is staged, while the next one is multiplied
//   warps 4 and on in groups of four: each multiplies 64 rows of a tile, and stages them
//
// All go over the same items, each for itself, and meet at the mbarriers of two rings: the stages of operands, and the
// one place where a tile is staged. So copies for the next tile begin before this one is done.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/matmul/Accumulators.h"

namespace stretto::codegen {

class MatmulRoles {
public:
  /// `result`: the buffer that the tiles are stored to.
  MatmulRoles(CudaBuilder &b, KernelFunction &function, kern::MatmulOp op, const MatmulTiling &tiling,
              mlir::Value shared, mlir::Value result);

  /// The whole kernel.
  void build();

private:
  void copyOperands();
  void multiply(mlir::Value warp);
  void storeTiles(mlir::Value thread);
  void storeTile(MatmulTile tile, mlir::Value thread);
  Values forEachTile(mlir::ValueRange carried, llvm::function_ref<Values(MatmulTile, mlir::ValueRange)> body);
  mlir::Value multiplyTile(StagePlace &place, mlir::Value group);
  /// One lane of each warp arrives, when all lanes have come here.
  void arriveOnce(llvm::function_ref<void()> arrive);

  CudaBuilder &b;
  const MatmulTiling &tiling;
  mlir::Value result, staging;
  Operands operands;
  Accumulators accumulators;
  Stages stages, staged;
  mlir::Value block, lane;
};

} // namespace stretto::codegen
