//===- WalkBodies.cpp - walks that tests write by hand --------------------------===//
#include "WalkBodies.h"

using namespace stretto::test;

static void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// $R and $C are rows and columns, $T the type, $M a matrix of them, $L a list of the rows, $K one of the columns, $Q a
/// square of the rows; $W the elements of a square of the columns, $U those of 32 rows; $D two and a half chunks of
/// rows.
static std::string fill(std::string text, const TileSizes &sizes) {
  std::string rows = std::to_string(sizes.rows), columns = std::to_string(sizes.columns);
  replaceAll(text, "$M", "tensor<$Rx$Cx$T>");
  replaceAll(text, "$Q", "tensor<$Rx$Rx$T>");
  replaceAll(text, "$L", "tensor<$Rx$T>");
  replaceAll(text, "$K", "tensor<$Cx$T>");
  replaceAll(text, "$U", std::to_string(32 * sizes.columns));
  replaceAll(text, "$W", std::to_string(sizes.columns * sizes.columns));
  replaceAll(text, "$D", std::to_string(sizes.rows * 5 / 2));
  replaceAll(text, "$R", rows);
  replaceAll(text, "$C", columns);
  replaceAll(text, "$T", sizes.real);
  return text;
}

std::string stretto::test::elementwiseWalks(const TileSizes &sizes) {
  return fill(R"(
func.func @elementwise(%x: tensor<2x$Dx$Cx$T>) {
  %y = kern.walk (%x) windows [<rows 1>] -> [<rows 1>] programs 1 chunk $R span 2 {
  ^bb0(%a: $M, %s: $M):
    %half = arith.constant dense<0.5> : $M
    %i = seq.column_index : $M
    %less = arith.cmpf olt, %a, %s : $M
    %0 = arith.mulf %a, %half : $M
    %1 = math.exp %0 : $M
    %2 = arith.select %less, %1, %i : tensor<$Rx$Cxi1>, $M
    %3 = seq.sigmoid %2 : $M
    %4 = arith.addf %3, %s : $M
    kern.yield %4, %4 : $M, $M
  } : (tensor<2x$Dx$Cx$T>) -> tensor<2x$Dx$Cx$T>
  return
}
func.func @two_shapes(%x: tensor<2x$Dx$Cx$T>, %g: tensor<$Cx$T>) {
  %y, %z = kern.walk (%x, %g) windows [<rows 1>, <shared 1>] -> [<rows 1>, <states 1 width $C>] programs 1 chunk $R span 3 {
  ^bb0(%a: $M, %b: $K, %s: $M, %t: tensor<32x$Cx$T>):
    %0 = seq.broadcast %b dims [1] : $K -> $M
    %1 = seq.broadcast %b dims [1] : $K -> tensor<32x$Cx$T>
    %2 = arith.addf %s, %0 : $M
    %3 = arith.addf %t, %1 : tensor<32x$Cx$T>
    %4 = arith.addf %s, %a : $M
    kern.yield %4, %t, %2, %3 : $M, tensor<32x$Cx$T>, $M, tensor<32x$Cx$T>
  } : (tensor<2x$Dx$Cx$T>, tensor<$Cx$T>) -> (tensor<2x$Dx$Cx$T>, tensor<2x1x3x$Ux$T>)
  return
}
func.func @lists(%x: tensor<2x$Dx$T>, %g: tensor<$Cx$T>) {
  %y, %z = kern.walk (%x, %g) windows [<rows 1>, <shared 1>] -> [<rows 1>, <rows 1>] programs 1 chunk $R span 9 {
  ^bb0(%a: $L, %b: $K, %s: $L):
    %0 = arith.addf %a, %s : $L
    %1 = seq.broadcast %0 dims [0] : $L -> $M
    %2 = seq.broadcast %b dims [1] : $K -> $M
    %3 = arith.subf %1, %2 : $M
    %zero = arith.constant dense<0.0> : $L
    %4 = arith.cmpf ogt, %a, %zero : $L
    %5 = seq.broadcast %4 dims [0] : tensor<$Rxi1> -> tensor<$Rx$Cxi1>
    %6 = arith.select %5, %3, %1 : tensor<$Rx$Cxi1>, $M
    %7 = seq.column_index : $L
    %8 = seq.broadcast %7 dims [0] : $L -> $M
    %9 = arith.addf %6, %8 : $M
    %10 = seq.column_index : $K
    %11 = seq.broadcast %10 dims [1] : $K -> $M
    %12 = arith.subf %9, %11 : $M
    kern.yield %12, %0, %0 : $M, $L, $L
  } : (tensor<2x$Dx$T>, tensor<$Cx$T>) -> (tensor<2x$Dx$Cx$T>, tensor<2x$Dx$T>)
  return
})",
              sizes);
}

std::string stretto::test::matmulWalks(const TileSizes &sizes) {
  return fill(R"(
func.func @plain(%x: tensor<1x$Rx$Cx$T>) {
  %y, %z = kern.walk (%x) windows [<rows 1>] -> [<rows 1>, <rows 1>] programs 1 chunk $R span 1 {
  ^bb0(%a: $M):
    %0 = kern.tile_matmul %a, %a transpose_b : $M, $M -> $Q
    %1 = kern.tile_matmul %0, %a : $Q, $M -> $M
    kern.yield %0, %1 : $Q, $M
  } : (tensor<1x$Rx$Cx$T>) -> (tensor<1x$Rx$Rx$T>, tensor<1x$Rx$Cx$T>)
  return
}
func.func @transposed(%x: tensor<1x$Rx$Cx$T>, %w: tensor<1x$Rx$Rx$T>) {
  %y, %z, %t = kern.walk (%x, %w) windows [<rows 1>, <rows 1>] -> [<rows 1>, <rows 1>, <states 1 width $C>] programs 1 chunk $R span 1 {
  ^bb0(%a: $M, %b: $Q):
    %0 = kern.tile_matmul %b, %a transpose_a : $Q, $M -> $M
    %1 = kern.tile_matmul %a, %b transpose_a transpose_b : $M, $Q -> tensor<$Cx$Rx$T>
    %2 = kern.tile_matmul %0, %1 : $M, tensor<$Cx$Rx$T> -> $Q
    %3 = kern.tile_matmul %b, %b transpose_b : $Q, $Q -> $Q
    %4 = arith.addf %2, %3 : $Q
    %5 = kern.tile_matmul %a, %0 transpose_a : $M, $M -> tensor<$Cx$Cx$T>
    kern.yield %0, %4, %5 : $M, $Q, tensor<$Cx$Cx$T>
  } : (tensor<1x$Rx$Cx$T>, tensor<1x$Rx$Rx$T>) -> (tensor<1x$Rx$Cx$T>, tensor<1x$Rx$Rx$T>, tensor<1x1x1x$Wx$T>)
  return
})",
              sizes);
}

std::string stretto::test::reductionWalks(const TileSizes &sizes) {
  return fill(R"(
func.func @reductions(%x: tensor<1x$Dx$Cx$T>) {
  %s, %m, %n, %e, %f, %t = kern.walk (%x) windows [<rows 1>] -> [<rows 1>, <rows 1>, <rows 1>, <rows 1>, <rows 1>, <rows 1>] programs 1 chunk $R span 3 {
  ^bb0(%a: $M):
    %0 = seq.reduce add %a : $M -> $L
    %1 = seq.reduce max %a : $M -> $L
    %2 = seq.reduce min %a : $M -> $L
    %3 = seq.reduce add %1 : $L -> tensor<$T>
    %4 = seq.reduce max %2 : $L -> tensor<$T>
    %5 = arith.addf %3, %4 : tensor<$T>
    %6 = seq.broadcast %5 dims [] : tensor<$T> -> $L
    %7 = arith.mulf %6, %0 : $L
    %8 = seq.broadcast %5 dims [] : tensor<$T> -> $M
    %9 = kern.tile_sum %a : $M -> $K
    %10 = kern.tile_sum %9 : $K -> tensor<$T>
    %11 = seq.broadcast %9 dims [1] : $K -> $M
    %12 = arith.mulf %11, %8 : $M
    %13 = seq.broadcast %10 dims [] : tensor<$T> -> $L
    kern.yield %0, %1, %2, %7, %12, %13 : $L, $L, $L, $L, $M, $L
  } : (tensor<1x$Dx$Cx$T>) -> (tensor<1x$Dx$T>, tensor<1x$Dx$T>, tensor<1x$Dx$T>, tensor<1x$Dx$T>, tensor<1x$Dx$Cx$T>, tensor<1x$Dx$T>)
  return
})",
              sizes);
}

std::string stretto::test::columnWalks(const TileSizes &sizes) {
  return fill(R"(
func.func @rows(%x: tensor<1x$Dx$Cx$T>, %g: tensor<1x$Dx$T>) {
  %y, %z = kern.walk (%x, %g) windows [<rows 1>, <rows 1>] -> [<rows 1>, <rows 1>] programs 1 chunk $R span 3 {
  ^bb0(%a: $M, %l: $L):
    %0 = kern.tile_row %a[3] : $M -> $K
    %1 = arith.mulf %a, %a : $M
    %2 = kern.tile_row %1[15] : $M -> $K
    %3 = arith.addf %0, %2 : $K
    %4 = seq.broadcast %3 dims [1] : $K -> $M
    %5 = kern.tile_row %l[9] : $L -> tensor<$T>
    %6 = seq.broadcast %5 dims [] : tensor<$T> -> $L
    kern.yield %4, %6 : $M, $L
  } : (tensor<1x$Dx$Cx$T>, tensor<1x$Dx$T>) -> (tensor<1x$Dx$Cx$T>, tensor<1x$Dx$T>)
  return
}
func.func @sums(%x: tensor<1x$Dx$Cx$T>, %g: tensor<1x$Dx$T>) {
  %0:6 = kern.walk (%x, %g) windows [<rows 1>, <rows 1>] -> [<rows 1>, <rows 1>, <rows 1>, <rows 1>, <rows 1>, <rows 1>] programs 1 chunk $R span 3 {
  ^bb0(%a: $M, %l: $L):
    %0 = kern.prefix_sum %a rows $R : $M
    %1 = kern.prefix_sum %a rows 8 exclusive : $M
    %2 = kern.prefix_sum %0 rows 16 reverse : $M
    %3 = kern.prefix_sum %l rows $R exclusive reverse : $L
    %4 = kern.prefix_sum %l rows 1 : $L
    %5 = kern.prefix_sum %3 rows 4 : $L
    kern.yield %0, %1, %2, %3, %4, %5 : $M, $M, $M, $L, $L, $L
  } : (tensor<1x$Dx$Cx$T>, tensor<1x$Dx$T>) -> (tensor<1x$Dx$Cx$T>, tensor<1x$Dx$Cx$T>, tensor<1x$Dx$Cx$T>, tensor<1x$Dx$T>, tensor<1x$Dx$T>, tensor<1x$Dx$T>)
  return
}
func.func @solutions(%x: tensor<1x$Dx$Cx$T>, %m: tensor<1x$Dx$Rx$T>) {
  %0:2 = kern.walk (%x, %m) windows [<rows 1>, <rows 1>] -> [<rows 1>, <rows 1>] programs 1 chunk $R span 3 {
  ^bb0(%a: $M, %b: $Q):
    %small = arith.constant dense<0.05> : $Q
    %0 = arith.mulf %b, %small : $Q
    %1 = kern.unit_solve %0, %a : $Q, $M
    %2 = kern.unit_solve %0, %1 transpose : $Q, $M
    kern.yield %1, %2 : $M, $M
  } : (tensor<1x$Dx$Cx$T>, tensor<1x$Dx$Rx$T>) -> (tensor<1x$Dx$Cx$T>, tensor<1x$Dx$Cx$T>)
  return
})",
              sizes);
}

std::string stretto::test::inverseWalks(const TileSizes &sizes) {
  return fill(R"(
func.func @inverse(%m: tensor<1x$Dx$Rxf32>) {
  %0 = kern.walk (%m) windows [<rows 1>] -> [<rows 1>] programs 1 chunk $R span 3 {
  ^bb0(%b: $Q):
    %small = arith.constant dense<0.03125> : $Q
    %0 = arith.mulf %b, %small : $Q
    %1 = kern.unit_inverse %0 : $Q
    kern.yield %1 : $Q
  } : (tensor<1x$Dx$Rxf32>) -> tensor<1x$Dx$Rxf32>
  return
}
func.func @solved(%x: tensor<1x$Dx$Cxf32>, %m: tensor<1x$Dx$Rxf32>) {
  %0:2 = kern.walk (%x, %m) windows [<rows 1>, <rows 1>] -> [<rows 1>, <rows 1>] programs 1 chunk $R span 3 {
  ^bb0(%a: $M, %b: $Q):
    %small = arith.constant dense<0.03125> : $Q
    %0 = arith.mulf %b, %small : $Q
    %1 = kern.unit_inverse %0 : $Q
    %2 = arith.truncf %1 : $Q to tensor<$Rx$Rxbf16>
    %3 = arith.truncf %a : $M to tensor<$Rx$Cxbf16>
    %4 = kern.tile_matmul %2, %3 : tensor<$Rx$Rxbf16>, tensor<$Rx$Cxbf16> -> $M
    %5 = kern.tile_matmul %2, %3 transpose_a : tensor<$Rx$Rxbf16>, tensor<$Rx$Cxbf16> -> $M
    kern.yield %4, %5 : $M, $M
  } : (tensor<1x$Dx$Cxf32>, tensor<1x$Dx$Rxf32>) -> (tensor<1x$Dx$Cxf32>, tensor<1x$Dx$Cxf32>)
  return
})",
              sizes);
}

std::string stretto::test::roundedWalks(const TileSizes &sizes) {
  return fill(R"(
func.func @rounded(%x: tensor<2x$Dx$Cxbf16>, %w: tensor<2x$Dx$Rxbf16>) {
  %0:4 = kern.walk (%x, %w) windows [<rows 1>, <rows 1>] -> [<rows 1>, <rows 1>, <rows 1>, <states 1 width $C>] programs 1 chunk $R span 2 {
  ^bb0(%a: tensor<$Rx$Cxbf16>, %b: tensor<$Rx$Rxbf16>, %s: tensor<$Cx$Cxf32>):
    %0 = kern.tile_matmul %a, %a transpose_b : tensor<$Rx$Cxbf16>, tensor<$Rx$Cxbf16> -> tensor<$Rx$Rxf32>
    %1 = arith.truncf %0 : tensor<$Rx$Rxf32> to tensor<$Rx$Rxbf16>
    %2 = arith.truncf %s : tensor<$Cx$Cxf32> to tensor<$Cx$Cxbf16>
    %3 = kern.tile_matmul %b, %a transpose_a : tensor<$Rx$Rxbf16>, tensor<$Rx$Cxbf16> -> tensor<$Rx$Cxf32>
    %4 = kern.tile_matmul %a, %2 : tensor<$Rx$Cxbf16>, tensor<$Cx$Cxbf16> -> tensor<$Rx$Cxf32>
    %5 = arith.addf %3, %4 : tensor<$Rx$Cxf32>
    %6 = arith.truncf %5 : tensor<$Rx$Cxf32> to tensor<$Rx$Cxbf16>
    %7 = kern.tile_matmul %a, %1 transpose_a transpose_b : tensor<$Rx$Cxbf16>, tensor<$Rx$Rxbf16> -> tensor<$Cx$Rxf32>
    %8 = arith.truncf %7 : tensor<$Cx$Rxf32> to tensor<$Cx$Rxbf16>
    %9 = kern.tile_matmul %a, %8 : tensor<$Rx$Cxbf16>, tensor<$Cx$Rxbf16> -> tensor<$Rx$Rxf32>
    %10 = kern.tile_matmul %a, %a transpose_a : tensor<$Rx$Cxbf16>, tensor<$Rx$Cxbf16> -> tensor<$Cx$Cxf32>
    %11 = arith.addf %s, %10 : tensor<$Cx$Cxf32>
    %12 = arith.extf %a : tensor<$Rx$Cxbf16> to tensor<$Rx$Cxf32>
    kern.yield %6, %9, %12, %11, %11 : tensor<$Rx$Cxbf16>, tensor<$Rx$Rxf32>, tensor<$Rx$Cxf32>, tensor<$Cx$Cxf32>, tensor<$Cx$Cxf32>
  } : (tensor<2x$Dx$Cxbf16>, tensor<2x$Dx$Rxbf16>) -> (tensor<2x$Dx$Cxbf16>, tensor<2x$Dx$Rxf32>, tensor<2x$Dx$Cxf32>, tensor<2x1x3x$Wxf32>)
  return
})",
              sizes);
}

std::string stretto::test::windowWalks(const std::string &real) {
  return fill(R"(
func.func @padded(%x: tensor<2x130x5x$T>, %g: tensor<5x$T>) {
  %0:2 = kern.walk (%x, %g) windows [<rows 1>, <shared 1>] -> [<rows 1>, <states 1 width 5>] programs 1 chunk 64 span 3 {
  ^bb0(%a: tensor<64x16x$T>, %b: tensor<16x$T>, %s: tensor<64x16x$T>):
    %one = arith.constant dense<1.0> : tensor<64x16x$T>
    %0 = seq.broadcast %b dims [1] : tensor<16x$T> -> tensor<64x16x$T>
    %1 = arith.addf %a, %0 : tensor<64x16x$T>
    %2 = seq.reduce add %1 : tensor<64x16x$T> -> tensor<64x$T>
    %3 = seq.broadcast %2 dims [0] : tensor<64x$T> -> tensor<64x16x$T>
    %4 = arith.addf %s, %one : tensor<64x16x$T>
    kern.yield %3, %4, %4 : tensor<64x16x$T>, tensor<64x16x$T>, tensor<64x16x$T>
  } : (tensor<2x130x5x$T>, tensor<5x$T>) -> (tensor<2x130x5x$T>, tensor<2x1x3x300x$T>)
  return
}
func.func @parts(%q: tensor<2x40x48x$T>, %k: tensor<2x40x16x$T>, %d: tensor<2x40x6x$T>, %g: tensor<24x$T>, %s: tensor<2x3x2x256x$T>) {
  %0:3 = kern.walk (%q, %k, %d, %g) from (%s) windows [<rows 3>, <rows 1>, <rows 6>, <shared 3>, <states 6 width 8 every 2>] -> [<rows 6>, <rows 6>, <states 6 width 8>] programs 6 chunk 16 span 2 {
  ^bb0(%a: tensor<16x16x$T>, %b: tensor<16x16x$T>, %c: tensor<16x$T>, %w: tensor<16x$T>, %e: tensor<16x16x$T>):
    %0 = arith.mulf %a, %b : tensor<16x16x$T>
    %1 = seq.broadcast %c dims [0] : tensor<16x$T> -> tensor<16x16x$T>
    %2 = seq.broadcast %w dims [1] : tensor<16x$T> -> tensor<16x16x$T>
    %3 = arith.addf %1, %2 : tensor<16x16x$T>
    %4 = arith.addf %0, %3 : tensor<16x16x$T>
    %5 = arith.addf %4, %e : tensor<16x16x$T>
    %6 = arith.mulf %c, %c : tensor<16x$T>
    kern.yield %5, %6, %e, %5 : tensor<16x16x$T>, tensor<16x$T>, tensor<16x16x$T>, tensor<16x16x$T>
  } : (tensor<2x40x48x$T>, tensor<2x40x16x$T>, tensor<2x40x6x$T>, tensor<24x$T>, tensor<2x3x2x256x$T>) -> (tensor<2x40x48x$T>, tensor<2x40x6x$T>, tensor<2x3x3x256x$T>)
  return
}
func.func @backward(%x: tensor<3x70x20x$T>, %n: tensor<1x$T>, %s: tensor<3x1x1x80x$T>) {
  %0:2 = kern.walk (%x, %n) from (%s) windows [<rows 1>, <shared 1>, <states 1 width 5 every 9>] -> [<rows 1>, <states 1 width 20 every 2>] programs 1 chunk 16 span 3 reverse gradient {
  ^bb0(%a: tensor<16x32x$T>, %b: tensor<$T>, %e: tensor<16x32x$T>):
    %0 = seq.broadcast %b dims [] : tensor<$T> -> tensor<16x32x$T>
    %1 = arith.addf %a, %0 : tensor<16x32x$T>
    %2 = arith.addf %1, %e : tensor<16x32x$T>
    kern.yield %2, %e, %2 : tensor<16x32x$T>, tensor<16x32x$T>, tensor<16x32x$T>
  } : (tensor<3x70x20x$T>, tensor<1x$T>, tensor<3x1x1x80x$T>) -> (tensor<3x70x20x$T>, tensor<3x1x3x320x$T>)
  return
})",
              {16, 16, real});
}

std::string stretto::test::spanWalks(const std::string &real) {
  return fill(R"(
func.func @ends(%x: tensor<2x70x24x$T>) {
  %0:4 = kern.walk (%x) windows [<rows 2>] -> [<ends 2 width 12 every 2>, <ends 2 width 1 every 2>, <ends 2 width 5 every 3>, <rows 2>] programs 2 chunk 16 span 2 {
  ^bb0(%a: tensor<16x16x$T>, %s: tensor<16x16x$T>, %l: tensor<16x$T>, %n: tensor<$T>):
    %one = arith.constant dense<1.0> : tensor<$T>
    %p = kern.program_index : tensor<$T>
    %0 = arith.addf %n, %p : tensor<$T>
    %1 = seq.broadcast %0 dims [] : tensor<$T> -> tensor<16x16x$T>
    %2 = arith.addf %a, %1 : tensor<16x16x$T>
    %3 = arith.addf %2, %s : tensor<16x16x$T>
    %4 = kern.tile_sum %2 : tensor<16x16x$T> -> tensor<16x$T>
    %5 = arith.addf %4, %l : tensor<16x$T>
    %6 = arith.addf %n, %one : tensor<$T>
    %7 = seq.broadcast %6 dims [] : tensor<$T> -> tensor<16x16x$T>
    kern.yield %3, %5, %7, %2, %3, %5, %6 : tensor<16x16x$T>, tensor<16x$T>, tensor<16x16x$T>, tensor<16x16x$T>, tensor<16x16x$T>, tensor<16x$T>, tensor<$T>
  } : (tensor<2x70x24x$T>) -> (tensor<2x1x3x240x$T>, tensor<2x2x3x16x$T>, tensor<2x1x2x100x$T>, tensor<2x70x24x$T>)
  return
}
func.func @begins(%x: tensor<2x70x16x$T>, %s: tensor<2x1x3x256x$T>) {
  %0:2 = kern.walk (%x) from (%s) windows [<rows 1>, <states 1 width 16 every 2>] -> [<states 1 width 16 every 2>, <ends 1 width 16>] programs 1 chunk 16 span 2 reverse {
  ^bb0(%a: tensor<16x16x$T>, %e: tensor<16x16x$T>):
    %0 = arith.addf %a, %e : tensor<16x16x$T>
    kern.yield %0, %a, %0 : tensor<16x16x$T>, tensor<16x16x$T>, tensor<16x16x$T>
  } : (tensor<2x70x16x$T>, tensor<2x1x3x256x$T>) -> (tensor<2x1x3x256x$T>, tensor<2x1x5x256x$T>)
  return
}
func.func @entries(%s: tensor<2x3x5x300x$T>, %f: tensor<2x3x5x20x$T>, %m: tensor<2x3x5x400x$T>) {
  %0:2 = kern.walk (%s, %f, %m) windows [<states 9 width 5>, <states 3 width 1>, <states 3 width 20>] -> [<states 9 width 5>, <ends 9 width 1 every 4>] programs 9 chunk 1 span 5 reverse {
  ^bb0(%a: tensor<32x16x$T>, %l: tensor<32x$T>, %t: tensor<32x32x$T>, %e: tensor<32x16x$T>):
    %0 = seq.broadcast %l dims [0] : tensor<32x$T> -> tensor<32x16x$T>
    %1 = arith.mulf %e, %0 : tensor<32x16x$T>
    %2 = kern.tile_matmul %t, %a transpose_a : tensor<32x32x$T>, tensor<32x16x$T> -> tensor<32x16x$T>
    %3 = arith.addf %1, %2 : tensor<32x16x$T>
    kern.yield %e, %l, %3 : tensor<32x16x$T>, tensor<32x$T>, tensor<32x16x$T>
  } : (tensor<2x3x5x300x$T>, tensor<2x3x5x20x$T>, tensor<2x3x5x400x$T>) -> (tensor<2x3x5x300x$T>, tensor<2x9x2x20x$T>)
  return
})",
              {16, 16, real});
}

std::string stretto::test::linearAttention(const std::string &real) {
  return fill(R"(
func.func @linear_attention(%q: tensor<2x130x32x$T>, %k: tensor<2x130x32x$T>, %v: tensor<2x130x64x$T>, %g: tensor<2x130x2x$T>) {
  %o, %states = kern.walk (%q, %k, %v, %g) windows [<rows 2>, <rows 2>, <rows 2>, <rows 2>] -> [<rows 2>, <states 2 width 32 every 2>] programs 2 chunk 64 span 8 {
  ^bb0(%qt: tensor<64x16x$T>, %kt: tensor<64x16x$T>, %vt: tensor<64x32x$T>, %gt: tensor<64x$T>, %s: tensor<16x32x$T>):
    %rate = arith.constant dense<-0.05> : tensor<64x$T>
    %zero = arith.constant dense<0.0> : tensor<64x64x$T>
    %magnitude = math.absf %gt : tensor<64x$T>
    %decay = arith.mulf %magnitude, %rate : tensor<64x$T>
    %sum = kern.prefix_sum %decay rows 64 : tensor<64x$T>
    %all = kern.tile_row %sum[63] : tensor<64x$T> -> tensor<$T>
    %row = seq.broadcast %sum dims [0] : tensor<64x$T> -> tensor<64x64x$T>
    %column = seq.broadcast %sum dims [1] : tensor<64x$T> -> tensor<64x64x$T>
    %numbers = seq.column_index : tensor<64x$T>
    %i = seq.broadcast %numbers dims [0] : tensor<64x$T> -> tensor<64x64x$T>
    %j = seq.column_index : tensor<64x64x$T>
    %isBefore = arith.cmpf ole, %j, %i : tensor<64x64x$T>
    %difference = arith.subf %row, %column : tensor<64x64x$T>
    %shrink = math.exp %difference : tensor<64x64x$T>
    %pairs = kern.tile_matmul %qt, %kt transpose_b : tensor<64x16x$T>, tensor<64x16x$T> -> tensor<64x64x$T>
    %shrunk = arith.mulf %pairs, %shrink : tensor<64x64x$T>
    %a = arith.select %isBefore, %shrunk, %zero : tensor<64x64xi1>, tensor<64x64x$T>
    %near = kern.tile_matmul %a, %vt : tensor<64x64x$T>, tensor<64x32x$T> -> tensor<64x32x$T>
    %since = math.exp %sum : tensor<64x$T>
    %sinceRow = seq.broadcast %since dims [0] : tensor<64x$T> -> tensor<64x16x$T>
    %qs = arith.mulf %qt, %sinceRow : tensor<64x16x$T>
    %far = kern.tile_matmul %qs, %s : tensor<64x16x$T>, tensor<16x32x$T> -> tensor<64x32x$T>
    %o = arith.addf %near, %far : tensor<64x32x$T>
    %last = seq.broadcast %all dims [] : tensor<$T> -> tensor<64x$T>
    %left = arith.subf %last, %sum : tensor<64x$T>
    %until = math.exp %left : tensor<64x$T>
    %untilRow = seq.broadcast %until dims [0] : tensor<64x$T> -> tensor<64x16x$T>
    %ks = arith.mulf %kt, %untilRow : tensor<64x16x$T>
    %new = kern.tile_matmul %ks, %vt transpose_a : tensor<64x16x$T>, tensor<64x32x$T> -> tensor<16x32x$T>
    %allOf = math.exp %all : tensor<$T>
    %allState = seq.broadcast %allOf dims [] : tensor<$T> -> tensor<16x32x$T>
    %kept = arith.mulf %s, %allState : tensor<16x32x$T>
    %next = arith.addf %kept, %new : tensor<16x32x$T>
    kern.yield %o, %s, %next : tensor<64x32x$T>, tensor<16x32x$T>, tensor<16x32x$T>
  } : (tensor<2x130x32x$T>, tensor<2x130x32x$T>, tensor<2x130x64x$T>, tensor<2x130x2x$T>) -> (tensor<2x130x64x$T>, tensor<2x2x2x512x$T>)
  return
})",
              {64, 16, real});
}

std::string stretto::test::mixers(const std::string &real, bool documents) {
  std::string text = R"(
func.func @by_channel(%d: tensor<1x200x48x$T>, %q: tensor<1x200x40x$T>, %v: tensor<1x200x48x$T>, %g: tensor<1x200x40x$T>, %p: tensor<1x200xi32>) {
  %o, %s = seq.mixer %q, %q, %v decay %g : tensor<1x200x40x$T> $P heads 2 key_heads 2 scale 0.5 segment 128 : tensor<1x200x40x$T>, tensor<1x200x48x$T> -> tensor<1x2x2x480x$T>
  %r:4 = seq.mixer_grad %d, %q, %q, %v decay %g : tensor<1x200x40x$T> $P states %s heads 2 key_heads 2 scale 0.5 segment 128 : tensor<1x200x40x$T>, tensor<1x200x48x$T>, tensor<1x2x2x480x$T> -> tensor<1x200x40x$T> decay tensor<1x200x40x$T>
  return
}
func.func @delta(%d: tensor<1x200x48x$T>, %q: tensor<1x200x40x$T>, %v: tensor<1x200x48x$T>, %g: tensor<1x200x2x$T>, %b: tensor<1x200x2x$T>, %p: tensor<1x200xi32>) {
  %o, %s = seq.mixer %q, %q, %v decay %g : tensor<1x200x2x$T> beta %b : tensor<1x200x2x$T> $P heads 2 key_heads 2 scale 0.5 segment 128 : tensor<1x200x40x$T>, tensor<1x200x48x$T> -> tensor<1x2x2x480x$T>
  %r:5 = seq.mixer_grad %d, %q, %q, %v decay %g : tensor<1x200x2x$T> beta %b : tensor<1x200x2x$T> $P states %s heads 2 key_heads 2 scale 0.5 segment 128 : tensor<1x200x40x$T>, tensor<1x200x48x$T>, tensor<1x2x2x480x$T> -> tensor<1x200x40x$T> decay tensor<1x200x2x$T> beta tensor<1x200x2x$T>
  return
})";
  replaceAll(text, "$P", documents ? "positions %p : tensor<1x200xi32>" : "");
  return fill(text, {16, 16, real});
}

std::string stretto::test::withSharedState(std::string walks) {
  const std::string body = " {\n  ^bb0", attribute = " shared_state";
  for (size_t at = walks.find(body); at != std::string::npos; at = walks.find(body, at + attribute.size() + 1))
    walks.insert(at, attribute);
  return walks;
}
