// RUN: stretto-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func @rows
func.func @rows(%x: tensor<2x8x16xf32>, %r: tensor<2x8xf32>) -> tensor<2x8x16xf32> {
  // CHECK: seq.sigmoid %{{.*}} : tensor<2x8x16xf32>
  %0 = seq.sigmoid %x : tensor<2x8x16xf32>
  // CHECK: seq.softplus
  %1 = seq.softplus %0 : tensor<2x8x16xf32>
  // CHECK: seq.reduce add %{{.*}} : tensor<2x8x16xf32> -> tensor<2x8xf32>
  %2 = seq.reduce add %1 : tensor<2x8x16xf32> -> tensor<2x8xf32>
  // CHECK: seq.broadcast %{{.*}} dims [0, 1]
  %3 = seq.broadcast %2 dims [0, 1] : tensor<2x8xf32> -> tensor<2x8x16xf32>
  // CHECK: seq.tap %{{.*}} by -1
  %4 = seq.tap %3 by -1 : tensor<2x8x16xf32>
  // CHECK: seq.slice %{{.*}} at 4
  %5 = seq.slice %4 at 4 : tensor<2x8x16xf32> -> tensor<2x8x8xf32>
  // CHECK: seq.concat
  %6 = seq.concat %5, %5 : tensor<2x8x8xf32>, tensor<2x8x8xf32> -> tensor<2x8x16xf32>
  // CHECK: seq.reshape
  %7 = seq.reshape %6 : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
  // CHECK: seq.permute half_split %{{.*}} rotated 4
  %8 = seq.permute half_split %7 rotated 4 : tensor<2x8x4x4xf32>
  %9 = seq.reshape %8 : tensor<2x8x4x4xf32> -> tensor<2x8x16xf32>
  // CHECK: seq.column_sum
  %10 = seq.column_sum %9 : tensor<2x8x16xf32> -> tensor<16xf32>
  // CHECK: seq.column_index : tensor<2x8x16xf32>
  %11 = seq.column_index : tensor<2x8x16xf32>
  // CHECK: seq.table rotary_cos half_split rotated 8 theta 1.000000e+04
  %12 = seq.table rotary_cos half_split rotated 8 theta 1.0e4 : tensor<8x16xf32>
  // CHECK: seq.layer_numbers [1.000000e+00, 0.33333333333333331, -5.000000e-01] : tensor<3x1xf32>
  %14 = seq.layer_numbers [1.0, 0.33333333333333331, -0.5] : tensor<3x1xf32>
  %15 = arith.constant dense<3> : tensor<2x8xi32>
  // CHECK: seq.broadcast %{{.*}} dims [0, 1] : tensor<2x8xi32> -> tensor<2x8x16xi32>
  %16 = seq.broadcast %15 dims [0, 1] : tensor<2x8xi32> -> tensor<2x8x16xi32>
  // CHECK: seq.dropout %{{.*}} at %{{.*}} rate 1.000000e-01 : tensor<2x8x16xf32>
  %17 = seq.dropout %9 at %11 rate 0.1 : tensor<2x8x16xf32>
  // CHECK: seq.dropout %{{.*}} at %{{.*}} keys %{{.*}} rate 0.000000e+00 : tensor<2x8x16xf32>, tensor<2x8x16xi32>
  %18 = seq.dropout %17 at %11 keys %16 rate 0.0 : tensor<2x8x16xf32>, tensor<2x8x16xi32>
  %13 = arith.addf %18, %11 : tensor<2x8x16xf32>
  return %13 : tensor<2x8x16xf32>
}
