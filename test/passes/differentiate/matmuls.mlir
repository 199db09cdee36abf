// RUN: stretto-opt %s --seq-differentiate | FileCheck %s

seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>
seq.parameter @v parts [#seq.part<"v", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>

// z = y + y V^T, y = x W^T: what a matmul adds has the gradient of its result, besides its own.
// CHECK-LABEL: func @gradients(%arg0: {{.*}}, %arg1:
func.func @gradients(%x: tensor<2x8x16xf32>, %dz: tensor<2x8x16xf32>) {
  %w = seq.get_parameter @w : tensor<16x16xf32>
  %v = seq.get_parameter @v : tensor<16x16xf32>
  %y = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %z = seq.linear %y, %v add %y : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  // CHECK: %[[D:.*]] = seq.linear_input_grad %arg1
  // CHECK: %[[DY:.*]] = arith.addf %[[D]], %arg1
  // CHECK: %[[DW:.*]] = seq.linear_weight_grad %[[DY]], %arg0
  // CHECK: seq.gradient @w, %[[DW]]
  seq.backward of(%z) from(%dz) : tensor<2x8x16xf32>
  return
}
