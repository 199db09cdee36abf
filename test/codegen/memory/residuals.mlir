// RUN: stretto-opt %s --kern-plan-memory --kern-verify-memory | FileCheck %s

// A matmul that adds writes over what it adds where nothing reads that later, and elsewhere where something does: into the
// slots of a stack, one after the other.

seq.parameter @w parts [#seq.part<"layers.{}.w", 16, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x16x16xf32>

// CHECK-LABEL: func.func private @carried(
// CHECK-SAME: tensor<2x8x16xf32> {kern.slot = #kern.slot<[[AT:outputs, [0-9]+, stride 0, parity 0]]>}
// CHECK: seq.linear %{{.*}} add %{{.*}}kern.slots = [#kern.slot<[[AT]]>]
// CHECK: seq.linear %{{.*}} add %{{.*}}kern.slots = [#kern.slot<[[AT]]>]
func.func private @carried(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.linear %0, %w add %x : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = seq.linear %1, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %3 = seq.linear %2, %w add %1 : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  return %3 : tensor<2x8x16xf32>
}

// CHECK-LABEL: func.func private @stacked(
// CHECK-SAME: tensor<2x8x16xf32> {kern.slot = #kern.slot<activations, [[#SLOT:]], stride 1024, parity 0>}
// CHECK: seq.linear %{{.*}} add %{{.*}}kern.slots = [#kern.slot<activations, [[#SLOT + 1024]], stride 1024, parity 0>]
func.func private @stacked(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.linear %0, %w add %x : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  return %1, %x : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}
func.func private @back(%dx: tensor<2x8x16xf32>, %x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.linear_weight_grad %dx, %x : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
  %1 = seq.linear %dx, %0 : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}

// CHECK-LABEL: func.func @evaluate
// CHECK-NOT: kern.copy
func.func @evaluate(%t: tensor<2x8xi32>) -> tensor<2x8x16xf32> {
  %w = seq.get_parameter @w : tensor<3x16x16xf32>
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.scan @carried trips 3 carry(%0) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<3x16x16xf32>) -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}
seq.parameter @m parts [#seq.part<"m", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
seq.parameter @e parts [#seq.part<"e", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

// CHECK-LABEL: func.func @gradients
// CHECK: seq.scan @stacked
// CHECK-NOT: kern.copy
// CHECK: seq.scan @back
func.func @gradients(%t: tensor<2x8xi32>) -> tensor<2x8x16xf32> {
  %w = seq.get_parameter @w : tensor<3x16x16xf32>
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %1:2 = seq.scan @stacked trips 3 carry(%0) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<3x16x16xf32>) -> (tensor<2x8x16xf32>, tensor<3x2x8x16xf32>)
  %m = seq.get_parameter @m : tensor<16x16xf32>
  %h = seq.linear %1#0, %m : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = seq.scan @back trips 3 reverse carry(%h) slices(%1#1) invariants() : (tensor<2x8x16xf32>, tensor<3x2x8x16xf32>) -> tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}
