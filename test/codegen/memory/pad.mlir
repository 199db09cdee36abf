// RUN: stretto-opt %s --kern-plan-memory --kern-verify-memory | FileCheck %s --implicit-check-not=kern.copy

// A matmul writes the first 13 columns of rows of 16, and matmuls read 13 of 16. Both buffers have 8 rows of 16 columns, the
// padding of the last one included: 512 bytes.
// CHECK: kern.activation_bytes = 1024
// CHECK-LABEL: func.func @gradients
// CHECK: seq.linear {{.*}}kern.slots = [#kern.slot<activations, [[#X:]], stride 0, parity 0>]
// CHECK: kern.pad {{.*}}kern.slots = [#kern.slot<activations, [[#X]], stride 0, parity 0>]
// CHECK: kern.slots = [#kern.slot<activations, [[#X + 512]], stride 0, parity 0>]} : (tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
// CHECK: seq.slice {{.*}}kern.slots = [#kern.slot<activations, [[#X + 512]], stride 0, parity 0>]
func.func @gradients(%h: tensor<2x4x16xf32>, %w: tensor<13x16xf32>) -> (tensor<2x4x16xf32>, tensor<13x16xf32>) {
  %0 = seq.linear %h, %w : tensor<2x4x16xf32>, tensor<13x16xf32> -> tensor<2x4x13xf32>
  %1 = kern.pad %0 : tensor<2x4x13xf32> -> tensor<2x4x16xf32>
  %2 = kern.rowwise kernel "loss"(%1) maps [row] {
  ^bb0(%row: tensor<16xf32>):
    %s = seq.reduce max %row : tensor<16xf32> -> tensor<f32>
    %b = seq.broadcast %s dims [] : tensor<f32> -> tensor<16xf32>
    %a = arith.mulf %row, %b : tensor<16xf32>
    kern.yield %a : tensor<16xf32>
  } : (tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %3 = seq.slice %2 at 0 : tensor<2x4x16xf32> -> tensor<2x4x13xf32>
  %4 = seq.linear_input_grad %3, %w : tensor<2x4x13xf32>, tensor<13x16xf32> -> tensor<2x4x16xf32>
  %5 = seq.linear_weight_grad %3, %h : tensor<2x4x13xf32>, tensor<2x4x16xf32> -> tensor<13x16xf32>
  return %4, %5 : tensor<2x4x16xf32>, tensor<13x16xf32>
}
