//===- WarpMatrices.h - matmuls whose matrices a warp holds -----------------===//
//
// A warp holds a matrix in fragments: some registers of each of its 32 lanes, of which lane 4 g + t has (PTX ISA,
// "Matrix fragments for mma", with r for the number of the register, `packed` numbers in each register of a factor)
//
//   left factor   [rows, inner]  row g + 8 (r mod rows/8), columns packed t + 4 packed (r div rows/8) and on
//   right factor  [inner, 8]     column g, rows packed t + 4 packed r and on
//   sums          [rows, 8]      row g + 8 (r div 2), column 2 t + r mod 2
//
// All 32 lanes take part in each operation.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/CudaBuilder.h"

namespace stretto::codegen {

/// A matmul that tensor cores compute in one step: [rows, 8] += [rows, inner] [inner, 8].
struct WarpMatmul {
  mlir::NVVM::MMATypes factor;
  int64_t rows, inner;
  int64_t packed; // numbers in one register of a factor

  static constexpr int64_t columns = 8;
  /// Registers of a lane. Those of factors are i32, or f64; sums are f32, or f64.
  int64_t leftRegisters() const { return rows / 8 * rightRegisters(); }
  int64_t rightRegisters() const { return inner / (4 * packed); }
  int64_t sums() const { return rows / 8 * 2; }
};

/// The one for factors of a type: 16 x 8 x 16 of bf16, 16 x 8 x 8 of f32, which are rounded to tf32 (`roundToTF32`), 8
/// x 8 x 4 of f64.
WarpMatmul warpMatmulOf(mlir::Type factor);

/// The sums plus the matmul of two factors, as registers of the lane.
mlir::SmallVector<mlir::Value> multiply(CudaBuilder &b, const WarpMatmul &matmul, mlir::ValueRange left,
                                        mlir::ValueRange right, mlir::ValueRange sums);

/// A number of f32 as the nearest of 10 bits behind the point, ties away from zero: a register of a factor.
mlir::Value roundToTF32(CudaBuilder &b, mlir::Value number);

/// A matrix of bf16 in shared memory, row after row.
struct SharedMatrix {
  mlir::Value start; // aligned to 16 bytes
  int64_t stride;    // elements from row to row, a multiple of 8; where stride / 8 is odd, no bank is asked twice
};

enum class Factor { left, right };

/// A block of 16 x 16 numbers from `row` and `column` (a multiple of 8) on, as four registers of lane `lane`: of a left
/// factor, or of two right factors, the left one first. `transposed`: the matrix holds the factor transposed.
mlir::SmallVector<mlir::Value> loadFactor(CudaBuilder &b, Factor factor, const SharedMatrix &matrix, mlir::Value row,
                                          mlir::Value column, mlir::Value lane, bool transposed);

} // namespace stretto::codegen
