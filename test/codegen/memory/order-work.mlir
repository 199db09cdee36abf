// RUN: stretto-opt %s --kern-order-work | FileCheck %s

// The gradient of the weight comes as soon as its operands are there; what is computed from saved values alone, with
// its view, waits for its reader.
// CHECK-LABEL: func.func private @layer.backward(
// CHECK-NEXT: %[[DY:.*]] = seq.linear_input_grad %arg0, %arg2
// CHECK-NEXT: seq.linear_weight_grad %[[DY]], %arg1
// CHECK-NEXT: %[[DX:.*]] = seq.linear_input_grad %[[DY]], %arg2
// CHECK-NEXT: %[[H:.*]] = seq.linear %arg1, %arg2
// CHECK-NEXT: seq.reshape %[[H]]
// CHECK-NEXT: kern.rowwise
func.func private @layer.backward(%d: tensor<2x8x16xf32>, %x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>)
    -> (tensor<2x8x16xf32>, tensor<16x16xf32>) {
  %h = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %r = seq.reshape %h : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
  %dy = seq.linear_input_grad %d, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %dx = seq.linear_input_grad %dy, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %z = kern.rowwise kernel "sum"(%dx, %r, %x) maps [row, row, row] {
  ^bb0(%a: tensor<16xf32>, %b: tensor<4x4xf32>, %c: tensor<16xf32>):
    %0 = seq.reshape %b : tensor<4x4xf32> -> tensor<16xf32>
    %1 = arith.addf %a, %0 : tensor<16xf32>
    %2 = arith.mulf %1, %c : tensor<16xf32>
    kern.yield %2 : tensor<16xf32>
  } : (tensor<2x8x16xf32>, tensor<2x8x4x4xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %last = seq.linear %z, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %dw = seq.linear_weight_grad %dy, %x : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
  return %last, %dw : tensor<2x8x16xf32>, tensor<16x16xf32>
}

// Nothing moves to where its operand would live longer.
// CHECK-LABEL: func.func private @carried(
// CHECK-NEXT: seq.linear %arg0, %arg1
// CHECK-NEXT: seq.linear_input_grad %arg0, %arg1
// CHECK-NEXT: seq.linear %{{.*}}, %arg1
func.func private @carried(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %a = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %b = seq.linear_input_grad %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %c = seq.linear %b, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %d = seq.linear_input_grad %c, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %e = seq.linear_weight_grad %a, %d : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
  %f = seq.linear %d, %e : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  return %f : tensor<2x8x16xf32>
}
