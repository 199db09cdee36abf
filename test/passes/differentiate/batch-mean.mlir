// RUN: stretto-opt %s --seq-differentiate | FileCheck %s

// A sum over all rows has the same gradient in each of them; what is stopped has none, and nothing is left of it.

seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>

// CHECK-LABEL: func @gradients
// CHECK: %[[Y:.*]] = seq.linear
// CHECK: %[[S:.*]] = seq.column_sum %[[Y]]
// CHECK: seq.broadcast %[[S]] dims [2]
// CHECK: arith.mulf %[[Y]]
// CHECK-NOT: seq.stop_gradient
// CHECK: %[[TO_SUMS:.*]] = arith.mulf %arg1, %[[Y]]
// CHECK: %[[DS:.*]] = seq.column_sum %[[TO_SUMS]] : tensor<2x8x16xf32> -> tensor<16xf32>
// CHECK: %[[DY:.*]] = seq.broadcast %[[DS]] dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
// CHECK: seq.linear_weight_grad %[[DY]], %arg0
func.func @gradients(%x: tensor<2x8x16xf32>, %dz: tensor<2x8x16xf32>) {
  %w = seq.get_parameter @w : tensor<16x16xf32>
  %y = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %s = seq.column_sum %y : tensor<2x8x16xf32> -> tensor<16xf32>
  %ss = seq.broadcast %s dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  %still = seq.stop_gradient %y : tensor<2x8x16xf32>
  %z = arith.mulf %still, %ss : tensor<2x8x16xf32>
  seq.backward of(%z) from(%dz) : tensor<2x8x16xf32>
  return
}
