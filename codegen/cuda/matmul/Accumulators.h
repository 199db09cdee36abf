//===- Accumulators.h - sums of a warpgroup in registers ---------------------------===//
//
// A warpgroup has 64 rows of a tile. Of each 8 columns j a thread has four sums, numbers 4 j and on (PTX ISA, "Register
// Fragments for wgmma.mma_async"), in row lane / 4 of its warp's 16, and 8 rows further: columns 2 (lane mod 4) and on.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/matmul/Operands.h"

namespace stretto::codegen {

class Accumulators {
public:
  Accumulators(CudaBuilder &b, const MatmulTiling &tiling) : b(b), tiling(tiling) {}

  /// Sums, as one value: nothing is added up yet.
  mlir::Value zero();
  /// Begins to add what a stage has to the sums, which one commit is for; `isFirst`: to nothing. Their registers must
  /// not be used, nor the stage be filled, until `await` has said that it is done.
  mlir::Value multiply(mlir::Value sums, Operands &operands, mlir::Value stage, mlir::Value warpgroup, bool isFirst);
  /// Waits for all commits but the last `left`.
  void await(int64_t left);
  /// Rounds the sums and stores them where the tile is staged; `warp` and `lane`: of the warpgroups that multiply.
  void stage(mlir::Value sums, mlir::Value staging, mlir::Value warp, mlir::Value lane);

private:
  mlir::Value roundPair(mlir::Value sums, int64_t number);

  CudaBuilder &b;
  const MatmulTiling &tiling;
};

} // namespace stretto::codegen
