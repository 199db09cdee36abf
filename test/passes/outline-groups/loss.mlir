// RUN: stretto-opt %s --seq-decompose --kern-form-groups --kern-outline-groups | FileCheck %s

// The kernel that compares logits with targets says so; what else counts columns does not.
// CHECK-LABEL: func @losses
// CHECK: kern.rowwise kernel "losses.rowwise0"
// CHECK-NOT: seq.loss
// CHECK: } {seq.loss} : (tensor<2x8x32xf32>, tensor<2x8xi32>, tensor<2x8xf32>)
func.func @losses(%logits: tensor<2x8x32xf32>, %targets: tensor<2x8xi32>, %weights: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %nll, %d = seq.cross_entropy %logits, %targets, %weights : tensor<2x8x32xf32>, tensor<2x8xi32>, tensor<2x8xf32>
  return %nll : tensor<2x8xf32>
}
// Terms of the loss are computed in the same kernel, which says what they are.
// CHECK-LABEL: func @terms
// CHECK-COUNT-1: kern.rowwise kernel
// CHECK-NOT: kern.rowwise kernel
// CHECK: } {seq.loss, seq.nll_square = 1.000000e-04 : f64, seq.z_loss = 2.500000e-01 : f64} :
func.func @terms(%logits: tensor<2x8x32xf32>, %targets: tensor<2x8xi32>, %weights: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8x32xf32>) {
  %loss, %d = seq.cross_entropy %logits, %targets, %weights nll_square 1.0e-4 z_loss 0.25 : tensor<2x8x32xf32>, tensor<2x8xi32>, tensor<2x8xf32>
  return %loss, %d : tensor<2x8xf32>, tensor<2x8x32xf32>
}
// CHECK-LABEL: func @numbers
// CHECK-NOT: seq.loss
func.func @numbers(%x: tensor<2x8x32xf32>) -> tensor<2x8x32xf32> {
  %index = seq.column_index : tensor<2x8x32xf32>
  %y = arith.addf %x, %index : tensor<2x8x32xf32>
  return %y : tensor<2x8x32xf32>
}
