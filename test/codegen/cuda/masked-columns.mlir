// RUN: stretto-opt %s --kern-choose-cuda-schedule='overrides=k:threads=128,lanes=4,rows=1' --kern-lower-cuda-kernels | FileCheck %s

// Columns are compared with 2045 where threads have such ones, in the last of four vectors, and not in those before.
// CHECK-LABEL: llvm.func @k(
// CHECK: llvm.fcmp "olt"
// CHECK-NOT: llvm.fcmp "olt"
// CHECK: llvm.return
func.func @main(%x: tensor<2x64x2048xf32>) -> tensor<2x64xf32> {
  %0 = kern.rowwise kernel "k"(%x) maps [row] {
  ^bb0(%row: tensor<2048xf32>):
    %j = seq.column_index : tensor<2048xf32>
    %n = arith.constant dense<2045.0> : tensor<2048xf32>
    %zero = arith.constant dense<0.0> : tensor<2048xf32>
    %inside = arith.cmpf olt, %j, %n : tensor<2048xf32>
    %a = arith.select %inside, %row, %zero : tensor<2048xi1>, tensor<2048xf32>
    %s = seq.reduce add %a : tensor<2048xf32> -> tensor<f32>
    kern.yield %s : tensor<f32>
  } : (tensor<2x64x2048xf32>) -> tensor<2x64xf32>
  return %0 : tensor<2x64xf32>
}
