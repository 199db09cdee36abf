// A schedule has room for rows of another operand on their way beside sums along rows, which a tile of 256 columns would not leave.
// RUN: stretto-opt %s --kern-choose-cuda-schedule --kern-lower-cuda-kernels | FileCheck %s
// CHECK: strip 192, stages 3
// CHECK: llvm.func @k(
// CHECK: nvvm.cp.async.wait.group 2
func.func @main(%x: tensor<16x2048x768xbf16>, %w: tensor<4096x768xbf16>, %z: tensor<16x2048x4096xf32>) -> tensor<16x2048x4096xbf16> {
  %y = kern.matmul kernel "k" %x by %w as transposed epilogue(%z) maps [row] {
  ^bb0(%row: tensor<4096xf32>, %other: tensor<4096xf32>):
    %t = arith.truncf %row : tensor<4096xf32> to tensor<4096xbf16>
    %e = arith.extf %t : tensor<4096xbf16> to tensor<4096xf32>
    %heads = seq.reshape %e : tensor<4096xf32> -> tensor<256x16xf32>
    %sums = seq.reduce add %heads : tensor<256x16xf32> -> tensor<256xf32>
    %each = seq.broadcast %sums dims [0] : tensor<256xf32> -> tensor<256x16xf32>
    %product = arith.mulf %heads, %each : tensor<256x16xf32>
    %flat = seq.reshape %product : tensor<256x16xf32> -> tensor<4096xf32>
    %o = arith.addf %flat, %other : tensor<4096xf32>
    %r = arith.truncf %o : tensor<4096xf32> to tensor<4096xbf16>
    kern.yield %r : tensor<4096xbf16>
  } : (tensor<16x2048x768xbf16>, tensor<4096x768xbf16>, tensor<16x2048x4096xf32>) -> tensor<16x2048x4096xbf16>
  return %y : tensor<16x2048x4096xbf16>
}
