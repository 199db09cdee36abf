//===- MatmulBodies.cpp - matmuls on tensor cores, as text -----------------------===//
#include "MatmulBodies.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace stretto::test;

std::string stretto::test::matmulOnTensorCores(MatmulSizes s, StringRef schedule) {
  auto weight = s.transposed ? std::pair(s.columns, s.depth) : std::pair(s.depth, s.columns);
  return llvm::formatv(R"(
func.func @main(%x: tensor<{0}x{1}x{2}xbf16>, %w: tensor<{4}x{5}xbf16>) {{
  %y = kern.matmul kernel "matmul" %x by %w as {6} epilogue() maps [] schedule #kern.tile_schedule<{7}> {{
  ^bb0(%row: tensor<{3}xf32>):
    %0 = arith.truncf %row : tensor<{3}xf32> to tensor<{3}xbf16>
    kern.yield %0 : tensor<{3}xbf16>
  } : (tensor<{0}x{1}x{2}xbf16>, tensor<{4}x{5}xbf16>) -> tensor<{0}x{1}x{3}xbf16>
  return
})",
                       s.batch, s.time, s.depth, s.columns, weight.first, weight.second,
                       s.transposed ? "transposed" : "rows", schedule);
}

std::string stretto::test::tapsOnTensorCores(MatmulSizes s, StringRef schedule, int64_t chunks) {
  return llvm::formatv(R"(
func.func @main(%x: tensor<{0}x{1}x{2}xbf16>, %w: tensor<{3}x{2}xbf16>, %g: tensor<{3}xf32>, %z: tensor<{0}x{1}x{3}xbf16>) {{
  %y:2 = kern.matmul kernel "taps" %x by %w as transposed epilogue(%g, %z) maps [shared, row] schedule #kern.tile_schedule<{4}> partial_sums {{
  ^bb0(%row: tensor<{3}xf32>, %gain: tensor<{3}xf32>, %beside: tensor<{3}xbf16>):
    %0 = arith.truncf %row : tensor<{3}xf32> to tensor<{3}xbf16>
    %1 = arith.extf %0 : tensor<{3}xbf16> to tensor<{3}xf32>
    %2 = seq.tap %1 by -2 : tensor<{3}xf32>
    %3 = seq.tap %1 by 1 : tensor<{3}xf32>
    %4 = arith.mulf %2, %gain : tensor<{3}xf32>
    %8 = arith.extf %beside : tensor<{3}xbf16> to tensor<{3}xf32>
    %9 = arith.mulf %3, %8 : tensor<{3}xf32>
    %5 = arith.addf %4, %9 : tensor<{3}xf32>
    %6 = arith.truncf %5 : tensor<{3}xf32> to tensor<{3}xbf16>
    %7 = seq.column_sum %5 : tensor<{3}xf32> -> tensor<{3}xf32>
    kern.yield %6, %7 : tensor<{3}xbf16>, tensor<{3}xf32>
  } : (tensor<{0}x{1}x{2}xbf16>, tensor<{3}x{2}xbf16>, tensor<{3}xf32>, tensor<{0}x{1}x{3}xbf16>) -> (tensor<{0}x{1}x{3}xbf16>, tensor<{5}x{3}xf32>)
  return
})",
                       s.batch, s.time, s.depth, s.columns, schedule, chunks);
}

std::string stretto::test::tablesOnTensorCores(MatmulSizes s, StringRef schedule) {
  return llvm::formatv(R"(
func.func @main(%x: tensor<{0}x{1}x{2}xbf16>, %w: tensor<{3}x{2}xbf16>, %t: tensor<{1}x32xf32>) {{
  %y = kern.matmul kernel "tables" %x by %w as transposed epilogue(%t) maps [time] schedule #kern.tile_schedule<{4}> {{
  ^bb0(%row: tensor<{3}xf32>, %table: tensor<32xf32>):
    %0 = arith.truncf %row : tensor<{3}xf32> to tensor<{3}xbf16>
    %1 = arith.extf %0 : tensor<{3}xbf16> to tensor<{3}xf32>
    %2 = seq.reshape %1 : tensor<{3}xf32> -> tensor<{5}x32xf32>
    %3 = seq.broadcast %table dims [1] : tensor<32xf32> -> tensor<{5}x32xf32>
    %4 = arith.mulf %2, %3 : tensor<{5}x32xf32>
    %5 = arith.truncf %4 : tensor<{5}x32xf32> to tensor<{5}x32xbf16>
    kern.yield %5 : tensor<{5}x32xbf16>
  } : (tensor<{0}x{1}x{2}xbf16>, tensor<{3}x{2}xbf16>, tensor<{1}x32xf32>) -> tensor<{0}x{1}x{5}x32xbf16>
  return
})",
                       s.batch, s.time, s.depth, s.columns, schedule, s.columns / 32);
}

std::string stretto::test::sumsOfHeadsOnTensorCores(MatmulSizes s, StringRef schedule, int64_t chunks) {
  return llvm::formatv(R"(
func.func @main(%x: tensor<{0}x{1}x{2}xbf16>, %w: tensor<{3}x{2}xbf16>) {{
  %y = kern.matmul kernel "sums" %x by %w as transposed epilogue() maps [] schedule #kern.tile_schedule<{4}> partial_sums {{
  ^bb0(%row: tensor<{3}xf32>):
    %0 = arith.truncf %row : tensor<{3}xf32> to tensor<{3}xbf16>
    %1 = arith.extf %0 : tensor<{3}xbf16> to tensor<{3}xf32>
    %2 = seq.reshape %1 : tensor<{3}xf32> -> tensor<{5}x32xf32>
    %3 = arith.mulf %2, %2 : tensor<{5}x32xf32>
    %4 = seq.column_sum %3 : tensor<{5}x32xf32> -> tensor<32xf32>
    kern.yield %4 : tensor<32xf32>
  } : (tensor<{0}x{1}x{2}xbf16>, tensor<{3}x{2}xbf16>) -> tensor<{6}x32xf32>
  return
})",
                       s.batch, s.time, s.depth, s.columns, schedule, s.columns / 32, chunks);
}

std::string stretto::test::reductionsOnTensorCores(MatmulSizes s, StringRef schedule) {
  return llvm::formatv(R"(
func.func @main(%x: tensor<{0}x{1}x{2}xbf16>, %w: tensor<{3}x{2}xbf16>) {{
  %y:2 = kern.matmul kernel "reductions" %x by %w as transposed epilogue() maps [] schedule #kern.tile_schedule<{4}> {{
  ^bb0(%row: tensor<{3}xf32>):
    %0 = arith.truncf %row : tensor<{3}xf32> to tensor<{3}xbf16>
    %1 = arith.extf %0 : tensor<{3}xbf16> to tensor<{3}xf32>
    %2 = seq.slice %1 at 0 : tensor<{3}xf32> -> tensor<{5}xf32>
    %3 = seq.slice %1 at {5} : tensor<{3}xf32> -> tensor<{5}xf32>
    %4 = seq.reduce add %2 : tensor<{5}xf32> -> tensor<f32>
    %5 = seq.reduce max %3 : tensor<{5}xf32> -> tensor<f32>
    kern.yield %4, %5 : tensor<f32>, tensor<f32>
  } : (tensor<{0}x{1}x{2}xbf16>, tensor<{3}x{2}xbf16>) -> (tensor<{0}x{1}xf32>, tensor<{0}x{1}xf32>)
  return
})",
                       s.batch, s.time, s.depth, s.columns, schedule, s.columns / 2);
}

std::string stretto::test::maskedOnTensorCores(MatmulSizes s, StringRef schedule, int64_t bound) {
  return llvm::formatv(R"(
func.func @main(%x: tensor<{0}x{1}x{2}xbf16>, %w: tensor<{3}x{2}xbf16>) {{
  %y = kern.matmul kernel "masked" %x by %w as transposed epilogue() maps [] schedule #kern.tile_schedule<{4}> {{
  ^bb0(%row: tensor<{3}xf32>):
    %column = seq.column_index : tensor<{3}xf32>
    %bound = arith.constant dense<{5}.0> : tensor<{3}xf32>
    %zero = arith.constant dense<0.0> : tensor<{3}xf32>
    %0 = arith.truncf %row : tensor<{3}xf32> to tensor<{3}xbf16>
    %1 = arith.extf %0 : tensor<{3}xbf16> to tensor<{3}xf32>
    %2 = arith.cmpf olt, %column, %bound : tensor<{3}xf32>
    %3 = arith.select %2, %1, %zero : tensor<{3}xi1>, tensor<{3}xf32>
    %4 = arith.truncf %3 : tensor<{3}xf32> to tensor<{3}xbf16>
    kern.yield %4 : tensor<{3}xbf16>
  } : (tensor<{0}x{1}x{2}xbf16>, tensor<{3}x{2}xbf16>) -> tensor<{0}x{1}x{3}xbf16>
  return
})",
                       s.batch, s.time, s.depth, s.columns, schedule, bound);
}
