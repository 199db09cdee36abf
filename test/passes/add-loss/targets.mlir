// RUN: stretto-opt %s --split-input-file --verify-diagnostics --seq-add-loss | FileCheck %s

// The loss of other logits gets the targets, also in the body of a scan.

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

func.func private @layers(%x: tensor<2x8x16xf32>, %loss: tensor<2x8x1xf32>, %e: tensor<64x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x1xf32>) {
  %0 = math.tanh %x : tensor<2x8x16xf32>
  %1 = seq.linear %0, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  %2 = seq.token_loss %1 : tensor<2x8x64xf32> -> tensor<2x8x1xf32>
  %3 = arith.addf %loss, %2 : tensor<2x8x1xf32>
  return %0, %3 : tensor<2x8x16xf32>, tensor<2x8x1xf32>
}
func.func @main(%t: tensor<2x8xi32>) -> (tensor<2x8x64xf32>, tensor<2x8x1xf32>) {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %zero = arith.constant dense<0.0> : tensor<2x8x1xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %1:2 = seq.scan @layers trips 3 carry(%0, %zero) slices() invariants(%e) : (tensor<2x8x16xf32>, tensor<2x8x1xf32>, tensor<64x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x1xf32>)
  %2 = seq.linear %1#0, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  %3 = seq.token_loss %2 : tensor<2x8x64xf32> -> tensor<2x8x1xf32>
  %4 = arith.addf %1#1, %3 : tensor<2x8x1xf32>
  return %2, %4 : tensor<2x8x64xf32>, tensor<2x8x1xf32>
}

// CHECK-LABEL: func private @layers(
// CHECK-SAME: %[[TARGETS:[a-z0-9]+]]: tensor<2x8xi32>)
// CHECK: seq.token_loss %{{.*}} of %[[TARGETS]] : tensor<2x8x64xf32>, tensor<2x8xi32> -> tensor<2x8x1xf32>
// CHECK-LABEL: func @evaluate(
// CHECK-NOT: seq.token_loss
// CHECK-LABEL: func @gradients(
// CHECK-SAME: tensor<2x8xi32>, %[[TARGETS:[a-z0-9]+]]: tensor<2x8xi32>, %
// CHECK: seq.scan @layers {{.*}} invariants(%{{[0-9]+}}, %[[TARGETS]])
// CHECK: seq.token_loss %{{.*}} of %[[TARGETS]]

// -----

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x64xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.linear %0, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  // expected-error @+1 {{logits must not depend on the loss of the next token: it may only be added to the loss of the model}}
  %2 = seq.token_loss %1 : tensor<2x8x64xf32> -> tensor<2x8x1xf32>
  %3 = seq.spread %2 : tensor<2x8x1xf32> -> tensor<2x8x64xf32>
  %4 = arith.addf %1, %3 : tensor<2x8x64xf32>
  return %4 : tensor<2x8x64xf32>
}
