// RUN: stretto-opt %s --kern-plan-memory --kern-verify-memory | FileCheck %s

// What is saved for the backward lies where gradients go later: the gradients of layer i from byte 5120 + 8192 i on,
// %h of it, which is done before that of @a is written, at 8192 + 1024 i, and %x, which is read then, at 1024 + 1024 i.
// Slots are nearer to each other than gradients of layers, so that only that of layer 0 has to lie far enough in front.

seq.parameter @a parts [#seq.part<"layers.{}.a", 32, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<6x32x32xf32>
seq.parameter @b parts [#seq.part<"layers.{}.b", 32, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<6x32x32xf32>

// CHECK: module attributes {kern.activation_bytes = 13312 : i64, kern.arenas = array<i64: 54272, 49152, 49152,{{.*}}kern.gradients_begin = 5120
// CHECK-LABEL: func.func private @layer(
// CHECK-SAME: tensor<1x8x32xf32> {kern.slot = #kern.slot<activations, 1024, stride 1024, parity 0>}
// CHECK: kern.slots = [#kern.slot<activations, 8192, stride 1024, parity 0>]
func.func private @layer(%x: tensor<1x8x32xf32>, %a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> (tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>) {
  %h = seq.linear %x, %a : tensor<1x8x32xf32>, tensor<32x32xf32> -> tensor<1x8x32xf32>
  %y = seq.linear %h, %b : tensor<1x8x32xf32>, tensor<32x32xf32> -> tensor<1x8x32xf32>
  return %y, %x, %h : tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>
}

// CHECK-LABEL: func.func private @layer.backward(
// CHECK: seq.linear_weight_grad {{.*}}kern.slots = [#kern.slot<gradients, 4096, stride 8192, parity 0>]
// CHECK: seq.linear_weight_grad {{.*}}kern.slots = [#kern.slot<gradients, 0, stride 8192, parity 0>]
func.func private @layer.backward(%dy: tensor<1x8x32xf32>, %x: tensor<1x8x32xf32>, %h: tensor<1x8x32xf32>, %a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> (tensor<1x8x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %db = seq.linear_weight_grad %dy, %h : tensor<1x8x32xf32>, tensor<1x8x32xf32> -> tensor<32x32xf32>
  %dh = seq.linear_input_grad %dy, %b : tensor<1x8x32xf32>, tensor<32x32xf32> -> tensor<1x8x32xf32>
  %da = seq.linear_weight_grad %dh, %x : tensor<1x8x32xf32>, tensor<1x8x32xf32> -> tensor<32x32xf32>
  %dx = seq.linear_input_grad %dh, %a : tensor<1x8x32xf32>, tensor<32x32xf32> -> tensor<1x8x32xf32>
  return %dx, %da, %db : tensor<1x8x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}

func.func @gradients(%x0: tensor<1x8x32xf32>) -> tensor<1x8x32xf32> {
  %a = seq.get_parameter @a : tensor<6x32x32xf32>
  %b = seq.get_parameter @b : tensor<6x32x32xf32>
  %y, %xs, %hs = seq.scan @layer trips 6 carry(%x0) slices(%a, %b) invariants() : (tensor<1x8x32xf32>, tensor<6x32x32xf32>, tensor<6x32x32xf32>) -> (tensor<1x8x32xf32>, tensor<6x1x8x32xf32>, tensor<6x1x8x32xf32>)
  %dx, %das, %dbs = seq.scan @layer.backward trips 6 reverse carry(%y) slices(%xs, %hs, %a, %b) invariants() : (tensor<1x8x32xf32>, tensor<6x1x8x32xf32>, tensor<6x1x8x32xf32>, tensor<6x32x32xf32>, tensor<6x32x32xf32>) -> (tensor<1x8x32xf32>, tensor<6x32x32xf32>, tensor<6x32x32xf32>)
  seq.gradient @a, %das : tensor<6x32x32xf32>
  seq.gradient @b, %dbs : tensor<6x32x32xf32>
  return %dx : tensor<1x8x32xf32>
}
