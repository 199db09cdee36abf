// What a kernel does not look at does not count as moved: of 48 columns it reads 16 and 8, 8 of them twice; a number of each row and
// what all rows share count whole.
// RUN: stretto-opt %s -kern-choose-schedule=cpu=x86-64-v4 -kern-lower-kernels=cpu=x86-64-v4 | FileCheck %s
// RUN: stretto-opt %s -kern-choose-cuda-schedule -kern-lower-cuda-kernels | FileCheck %s

func.func @f(%x: tensor<1x16x48xbf16>, %n: tensor<1x16xf32>, %g: tensor<8xf32>) {
  // 16 rows of (16 + 8) * 2 + 4 + 16 * 4 + 8 * 4 bytes, and 8 * 4 bytes that are shared.
  %a, %b = kern.rowwise kernel "parts"(%x, %n, %g) maps [row, row, shared] {
  ^bb0(%row: tensor<48xbf16>, %number: tensor<f32>, %gain: tensor<8xf32>):
    %wide = arith.extf %row : tensor<48xbf16> to tensor<48xf32>
    %first = seq.slice %wide at 0 : tensor<48xf32> -> tensor<16xf32>
    %again = seq.slice %wide at 8 : tensor<48xf32> -> tensor<8xf32>
    %last = seq.slice %wide at 40 : tensor<48xf32> -> tensor<8xf32>
    %same = seq.broadcast %number dims [] : tensor<f32> -> tensor<16xf32>
    %0 = arith.mulf %first, %same : tensor<16xf32>
    %1 = arith.mulf %again, %last : tensor<8xf32>
    %2 = arith.mulf %1, %gain : tensor<8xf32>
    kern.yield %0, %2 : tensor<16xf32>, tensor<8xf32>
  } : (tensor<1x16x48xbf16>, tensor<1x16xf32>, tensor<8xf32>) -> (tensor<1x16x16xf32>, tensor<1x16x8xf32>)
  return
}
// CHECK: llvm.func @parts({{.*}}kern.bytes_moved = 2400 : i64
