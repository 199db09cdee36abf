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
