// RUN: stretto-opt %s --kern-plan-memory --kern-verify-memory | FileCheck %s

// A stack of layers, trained: the carried value lies in the stack that the backward reads, gradients are computed
// straight into the gradient arena, and the head's gradient accumulates in place.

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>
seq.parameter @w parts [#seq.part<"layers.{}.w", 16, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x16x16xf32>

// The saved input and the carried value are slots of one stack.
// CHECK-LABEL: func.func private @layer(
// CHECK-SAME: tensor<2x8x16xf32> {kern.slot = #kern.slot<activations, 8192, stride 1024, parity 0>}
// CHECK-SAME: tensor<16x16xf32> {kern.slot = #kern.slot<parameters, 4096, stride 1024, parity 0>}
// CHECK: kern.rowwise
// CHECK: kern.slots = [#kern.slot<activations, 9216, stride 1024, parity 0>]
func.func private @layer(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %y = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %z = kern.rowwise kernel "add"(%x, %y) maps [row, row] {
  ^bb0(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %0 = arith.addf %a, %b : tensor<16xf32>
    kern.yield %0 : tensor<16xf32>
  } : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %z, %x : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}

// The gradient is carried in place; that of the weight goes to its layer's place.
// CHECK-LABEL: func.func private @layer.backward(
// CHECK: seq.linear_weight_grad {{.*}}kern.slots = [#kern.slot<gradients, 4096, stride 1024, parity 0>]
// CHECK: seq.linear_input_grad {{.*}}kern.slots = [#kern.slot<activations, 10240, stride 0, parity 0>]
// CHECK: kern.slots = [#kern.slot<outputs, 0, stride 0, parity 0>]
func.func private @layer.backward(%dx: tensor<2x8x16xf32>, %x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<2x8x16xf32>, tensor<16x16xf32>) {
  %dw = seq.linear_weight_grad %dx, %x : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
  %d = seq.linear_input_grad %dx, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %z = kern.rowwise kernel "add"(%dx, %d) maps [row, row] {
  ^bb0(%a: tensor<16xf32>, %b: tensor<16xf32>):
    %0 = arith.addf %a, %b : tensor<16xf32>
    kern.yield %0 : tensor<16xf32>
  } : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %z, %dw : tensor<2x8x16xf32>, tensor<16x16xf32>
}

// CHECK-LABEL: func.func private @head(
// CHECK: accumulate {{.*}}kern.slots = [#kern.slot<gradients, 0, stride 0, parity 0>]
func.func private @head(%dw: tensor<64x16xf32>, %h: tensor<1x4x16xf32>, %w: tensor<64x16xf32>) -> (tensor<64x16xf32>, tensor<1x4x16xf32>) {
  %l = seq.linear %h, %w : tensor<1x4x16xf32>, tensor<64x16xf32> -> tensor<1x4x64xf32>
  %s = seq.linear_weight_grad %l, %h accumulate %dw : tensor<64x16xf32> : tensor<1x4x64xf32>, tensor<1x4x16xf32> -> tensor<64x16xf32>
  %dh = seq.linear_input_grad %l, %w : tensor<1x4x64xf32>, tensor<64x16xf32> -> tensor<1x4x16xf32>
  return %s, %dh : tensor<64x16xf32>, tensor<1x4x16xf32>
}

// CHECK-LABEL: func.func @gradients
// CHECK-NOT: kern.copy
// CHECK: arith.constant {kern.slots = [#kern.slot<gradients, 0, stride 0, parity 0>]}
// CHECK: seq.embed_grad {{.*}}kern.slots = [#kern.slot<gradients, 0, stride 0, parity 0>]
// CHECK-NOT: kern.copy
func.func @gradients(%t: tensor<2x8xi32>) -> tensor<2x8x16xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %w = seq.get_parameter @w : tensor<3x16x16xf32>
  %x0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %x, %xs = seq.scan @layer trips 3 carry(%x0) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<3x16x16xf32>) -> (tensor<2x8x16xf32>, tensor<3x2x8x16xf32>)
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %h = seq.reshape %x : tensor<2x8x16xf32> -> tensor<4x1x4x16xf32>
  %de, %dh = seq.scan @head trips 4 carry(%zero) slices(%h) invariants(%e) : (tensor<64x16xf32>, tensor<4x1x4x16xf32>, tensor<64x16xf32>) -> (tensor<64x16xf32>, tensor<4x1x4x16xf32>)
  %dx = seq.reshape %dh : tensor<4x1x4x16xf32> -> tensor<2x8x16xf32>
  %d0, %dws = seq.scan @layer.backward trips 3 reverse carry(%dx) slices(%xs, %w) invariants() : (tensor<2x8x16xf32>, tensor<3x2x8x16xf32>, tensor<3x16x16xf32>) -> (tensor<2x8x16xf32>, tensor<3x16x16xf32>)
  seq.gradient @w, %dws : tensor<3x16x16xf32>
  %dt = seq.embed_grad %t, %d0 accumulate %de : tensor<64x16xf32> : tensor<2x8xi32>, tensor<2x8x16xf32> -> tensor<64x16xf32>
  seq.gradient @e, %dt : tensor<64x16xf32>
  return %d0 : tensor<2x8x16xf32>
}
