// RUN: stretto-opt %s --seq-decompose | FileCheck %s

// What the largest logit is added to and taken from depends on it no more: it has no gradient. Without targets it stays.

// CHECK-LABEL: func @of_targets
// CHECK: %[[LARGEST:.*]] = seq.reduce max %arg0 {{.*}} {seq.held_constant}
// CHECK: %[[SUM:.*]] = seq.reduce add
// CHECK: arith.cmpf oeq, {{.*}} {seq.loss}
// CHECK: %[[CHOSEN:.*]] = seq.reduce add
// CHECK: %[[LOG:.*]] = math.log %[[SUM]]
// CHECK: %[[Z:.*]] = arith.addf %[[LOG]], %[[LARGEST]]
// CHECK: %[[N:.*]] = arith.subf %[[Z]], %[[CHOSEN]]
// CHECK: seq.reshape %[[N]] : tensor<2x8xf32> -> tensor<2x8x1xf32>
func.func @of_targets(%l: tensor<2x8x64xf32>, %t: tensor<2x8xi32>) -> tensor<2x8x1xf32> {
  %n = seq.token_loss %l of %t : tensor<2x8x64xf32>, tensor<2x8xi32> -> tensor<2x8x1xf32>
  return %n : tensor<2x8x1xf32>
}

// CHECK-LABEL: func @of_a_model
// CHECK: seq.token_loss %arg0 : tensor<2x8x64xf32> -> tensor<2x8x1xf32>
func.func @of_a_model(%l: tensor<2x8x64xf32>) -> tensor<2x8x1xf32> {
  %n = seq.token_loss %l : tensor<2x8x64xf32> -> tensor<2x8x1xf32>
  return %n : tensor<2x8x1xf32>
}
