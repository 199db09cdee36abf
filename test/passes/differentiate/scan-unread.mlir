// RUN: stretto-opt %s --seq-differentiate | FileCheck %s

// A carried value that nothing reads behind the loop has the gradient zero there, and gets one within it.

seq.parameter @w parts [#seq.part<"layers.{}.w", 4, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<3x4x4xf32>

func.func private @layer(%x: tensor<2x8x16xf32>, %z: tensor<2x8x4xf32>, %w: tensor<4x4xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x4xf32>) {
  %0 = seq.reduce add %z : tensor<2x8x4xf32> -> tensor<2x8xf32>
  %1 = seq.broadcast %0 dims [0, 1] : tensor<2x8xf32> -> tensor<2x8x16xf32>
  %2 = arith.addf %x, %1 : tensor<2x8x16xf32>
  %3 = seq.linear %z, %w : tensor<2x8x4xf32>, tensor<4x4xf32> -> tensor<2x8x4xf32>
  return %2, %3 : tensor<2x8x16xf32>, tensor<2x8x4xf32>
}
// CHECK-LABEL: func @gradients
func.func @gradients(%x: tensor<2x8x16xf32>, %z: tensor<2x8x4xf32>, %dy: tensor<2x8x16xf32>) {
  %w = seq.get_parameter @w : tensor<3x4x4xf32>
  %y, %last = seq.scan @layer trips 3 carry(%x, %z) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<2x8x4xf32>, tensor<3x4x4xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x4xf32>)
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<2x8x4xf32>
  // CHECK: seq.scan @layer.backward trips 3 reverse carry(%arg2, %[[ZERO]])
  seq.backward of(%y) from(%dy) : tensor<2x8x16xf32>
  return
}
