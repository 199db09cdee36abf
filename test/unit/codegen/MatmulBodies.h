//===- MatmulBodies.h - matmuls on tensor cores, as text -------------------------===//
#pragma once

#include "mlir/Support/LLVM.h"

#include <string>

namespace stretto::test {

struct MatmulSizes {
  int64_t batch = 1, time = 128, depth = 64, columns = 128;
  bool transposed = true; // the weight is [columns, depth]
};

/// The function @main with the kernel "matmul" of bf16, which rounds and stores its result. `schedule`: the fields of
/// its #kern.tile_schedule, as they are written.
std::string matmulOnTensorCores(MatmulSizes sizes, mlir::StringRef schedule);

/// The same with an epilogue of which each row reads the one two before, scaled, and the next one times a row of
/// another operand; it stores sums over rows besides, `chunks` partial ones.
std::string tapsOnTensorCores(MatmulSizes sizes, mlir::StringRef schedule, int64_t chunks);

/// The same with an epilogue that multiplies each head of 32 columns by a table of all positions.
std::string tablesOnTensorCores(MatmulSizes sizes, mlir::StringRef schedule);

/// The same with an epilogue that sums up the squares of each column of a head, of 32, over rows and heads; `chunks`
/// partial sums.
std::string sumsOfHeadsOnTensorCores(MatmulSizes sizes, mlir::StringRef schedule, int64_t chunks);

/// The same with an epilogue that sums up the first half of the columns, and takes the largest number of the second.
std::string reductionsOnTensorCores(MatmulSizes sizes, mlir::StringRef schedule);

/// The same with an epilogue that stores zeros from column `bound` on.
std::string maskedOnTensorCores(MatmulSizes sizes, mlir::StringRef schedule, int64_t bound);

} // namespace stretto::test
