// RUN: stretto-opt %s --seq-set-activation-type --kern-round-activations | FileCheck %s

// What a matmul adds has the type of its result: bf16, or f32 where the sum is compared with targets.
// CHECK-LABEL: func @residual
func.func @residual(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  // CHECK: seq.linear %{{.*}} add %{{.*}} : tensor<2x8x16xbf16>, tensor<16x16xbf16> -> tensor<2x8x16xbf16>
  %y = seq.linear %x, %w add %x : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}
// CHECK-LABEL: func @sum_of_heads
func.func @sum_of_heads(%g: tensor<2x8x16xf32>, %h: tensor<2x8x16xf32>, %w: tensor<32x16xf32>, %targets: tensor<2x8xi32>) -> tensor<2x8xf32> {
  // CHECK: %[[G:.*]] = seq.linear %{{.*}} -> tensor<2x8x32xf32>
  %0 = seq.linear %g, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  // CHECK: seq.linear %{{.*}} add %[[G]] : tensor<2x8x16xbf16>, tensor<32x16xbf16> -> tensor<2x8x32xf32>
  %y = seq.linear %h, %w add %0 : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  %l = kern.rowwise kernel "loss"(%y, %targets) maps [row, row] {
  ^bb0(%row: tensor<32xf32>, %target: tensor<i32>):
    %1 = arith.sitofp %target : tensor<i32> to tensor<f32>
    %wide = seq.broadcast %1 dims [] : tensor<f32> -> tensor<32xf32>
    %index = seq.column_index : tensor<32xf32>
    %is = arith.cmpf oeq, %index, %wide : tensor<32xf32>
    %zero = arith.constant dense<0.0> : tensor<32xf32>
    %chosen = arith.select %is, %row, %zero : tensor<32xi1>, tensor<32xf32>
    %2 = seq.reduce add %chosen : tensor<32xf32> -> tensor<f32>
    kern.yield %2 : tensor<f32>
  } {seq.loss} : (tensor<2x8x32xf32>, tensor<2x8xi32>) -> tensor<2x8xf32>
  return %l : tensor<2x8xf32>
}
