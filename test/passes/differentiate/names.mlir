// RUN: stretto-opt %s --seq-differentiate | FileCheck %s

// A parameter of a loop may be called as what becomes of its body; tokens that a loop carries have no gradient.
// CHECK: seq.parameter @layers.forward
// CHECK: func.func private @layers.forward_(
// CHECK: func.func private @layers.backward({{.*}}tensor<2x8x16xf32>{{.*}}) -> (tensor<2x8x16xf32>, tensor<16xf32>)
// CHECK-SAME: seq.forward = @layers.forward_
seq.parameter @layers.forward parts [#seq.part<"layers.{}.forward", 16, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<2x16xf32>
func.func private @layers(%x: tensor<2x8x16xf32>, %t: tensor<2x8xi32>, %w: tensor<16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8xi32>) {
  %0 = seq.broadcast %w dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  %1 = arith.mulf %x, %0 : tensor<2x8x16xf32>
  return %1, %t : tensor<2x8x16xf32>, tensor<2x8xi32>
}
func.func @main(%x: tensor<2x8x16xf32>, %t: tensor<2x8xi32>, %g: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %w = seq.get_parameter @layers.forward : tensor<2x16xf32>
  %0:2 = seq.scan @layers trips 2 carry(%x, %t) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<2x8xi32>, tensor<2x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8xi32>)
  // CHECK: seq.scan @layers.backward trips 2 reverse carry(%{{[^,)]*}}) slices
  seq.backward of(%0#0) from(%g) : tensor<2x8x16xf32>
  return %0#0 : tensor<2x8x16xf32>
}
