// RUN: stretto-opt %s --seq-differentiate | FileCheck %s
// RUN: stretto-opt %s --seq-differentiate --seq-choose-saved --seq-split-saved | FileCheck %s --check-prefix=SPLIT

// The reversed loop reads the input of each layer; a weight shared by all layers is carried as a running sum.

seq.parameter @w parts [#seq.part<"layers.{}.w", 16, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<3x16x16xf32>
seq.parameter @s parts [#seq.part<"s", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>

func.func private @layer(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>, %s: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %1 = math.exp %0 : tensor<2x8x16xf32>
  %2 = seq.linear %1, %s : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}
// CHECK: func private @layer.backward(%[[DX:[a-z0-9]*]]: tensor<2x8x16xf32>, %[[DS:[a-z0-9]*]]: tensor<16x16xf32>, %{{.*}} {seq.saved = 1024 : i64}
// CHECK-SAME: attributes {seq.forward = @layer.forward}
// CHECK: seq.linear_weight_grad %[[DX]], %{{.*}} accumulate %[[DS]]
// CHECK-LABEL: func @gradients
func.func @gradients(%x: tensor<2x8x16xf32>, %dy: tensor<2x8x16xf32>) {
  %w = seq.get_parameter @w : tensor<3x16x16xf32>
  %s = seq.get_parameter @s : tensor<16x16xf32>
  // CHECK: %[[F:.*]]:3 = seq.scan @layer.forward trips 3 carry(%arg0)
  %y = seq.scan @layer trips 3 carry(%x) slices(%w) invariants(%s) : (tensor<2x8x16xf32>, tensor<3x16x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
  // CHECK: %[[B:.*]]:3 = seq.scan @layer.backward trips 3 reverse carry(%arg1, %[[ZERO]]) slices(%[[F]]#1, %{{.*}}, %[[F]]#2) invariants(
  // CHECK: seq.gradient @w, %[[B]]#2
  // CHECK: seq.gradient @s, %[[B]]#1
  seq.backward of(%y) from(%dy) : tensor<2x8x16xf32>
  return
}
// The exponential is recomputed: it reads the matmul, which has to be kept for nothing else.
// SPLIT-LABEL: func private @layer.forward
// SPLIT: seq.linear
// SPLIT: %[[E:.*]] = math.exp
// SPLIT: return
// SPLIT-LABEL: func private @layer.backward
// SPLIT-NOT: seq.id
