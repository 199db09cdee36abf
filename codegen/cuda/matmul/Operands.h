//===- Operands.h - operands of a matmul on their way to tensor cores -------------===//
//
// A step of a tile has the same 64 terms of some rows of the left operand and of some columns of the weight. TMA brings
// both into shared memory in lines of 128 bytes, eight of which are a pattern that it swizzles: block i of 16 bytes of
// line j lies at i xor j. Tensor cores read the same pattern, told by a descriptor (PTX ISA, "Asynchronous Warpgroup
// Level Matrix Shared Memory Layout"). What lies outside of an operand is zero.
//
//   left operand, transposed weight     a line has the terms of a row or of a column
//   weight as rows                      a line has a term of 64 columns; 64 such lines, then those of the next columns
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/KernelFunction.h"
#include "codegen/cuda/matmul/MatmulTiling.h"
#include "codegen/cuda/matmul/Stages.h"

namespace stretto::codegen {

/// A tile: its first row, of those of all sequences, which may lie outside of them; and its strip.
struct MatmulTile {
  mlir::Value row, strip;
};

class Operands {
public:
  /// `shared`: what a block has of shared memory, aligned to 1024 bytes. The kernel gets a tensor map for each operand.
  Operands(CudaBuilder &b, KernelFunction &function, kern::MatmulOp op, const MatmulTiling &tiling, mlir::Value shared);

  /// Begins to copy what a step of a tile reads into a stage; `full` counts the bytes. The block of number `rank` in
  /// its cluster copies its part of the weight to all of them, at the same place, where the same mbarriers count.
  void copy(mlir::Value step, MatmulTile tile, mlir::Value rank, mlir::Value stage, mlir::Value full);
  /// What comes into a stage, whichever block copies it.
  int64_t bytesOfStage() const { return tiling.leftBytes() + tiling.rightBytes(); }

  /// Descriptors of what a stage has: of the rows of a warpgroup, and of all columns.
  mlir::Value left(mlir::Value stage, mlir::Value warpgroup);
  mlir::Value right(mlir::Value stage);
  /// What a descriptor of a weight grows by from one instruction to the next; of the left operand `leftAdvance`.
  int64_t rightAdvance() const;
  static constexpr int64_t leftAdvance = MatmulTiling::termsOfMatmul * 2 / 16;

private:
  kern::TensorMapAttr mapOf(mlir::Value operand, unsigned number, mlir::ArrayRef<int64_t> box);
  void copyBox(mlir::Value map, mlir::Value to, mlir::Value line, mlir::Value column, mlir::Value full,
               mlir::Value blocks = {});
  mlir::Value wholeCluster();
  mlir::Value descriptor(int64_t start, int64_t firstDistance);

  CudaBuilder &b;
  const MatmulTiling &tiling;
  mlir::Value shared, leftMap, rightMap;
};

} // namespace stretto::codegen
