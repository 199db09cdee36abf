// RUN: stretto-opt %s --seq-sink-repeated | FileCheck %s

// What is repeated or recomputed goes to its first reader, what the backward makes stays. Where the library repeats nothing,
// all stay.

// CHECK-LABEL: func.func @backward
// CHECK-NEXT: %[[D:.*]] = seq.linear_input_grad
// CHECK-NEXT: %[[ROW:.*]] = math.exp %arg0 {seq.recomputed}
// CHECK-NEXT: %[[FIRST:.*]] = seq.linear %arg0, %arg1 {{.*}}{seq.repeated}
// CHECK-NEXT: %[[TANH:.*]] = math.tanh %[[FIRST]] {seq.recomputed}
// CHECK-NEXT: %[[SECOND:.*]] = seq.linear %[[TANH]], %arg1 {{.*}}{seq.repeated}
// CHECK-NEXT: %[[BOTH:.*]] = arith.addf %[[SECOND]], %[[ROW]]
// CHECK-NEXT: seq.linear_weight_grad %[[D]], %[[BOTH]]
// CHECK-NEXT: seq.linear_weight_grad %[[D]], %[[TANH]]
func.func @backward(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>, %dy: tensor<2x8x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %first = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32> {seq.repeated}
  %tanh = math.tanh %first {seq.recomputed} : tensor<2x8x16xf32>
  %second = seq.linear %tanh, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32> {seq.repeated}
  %row = math.exp %x {seq.recomputed} : tensor<2x8x16xf32>
  %both = arith.addf %second, %row {seq.recomputed} : tensor<2x8x16xf32>
  %d = seq.linear_input_grad %dy, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %dw = seq.linear_weight_grad %d, %both : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
  %dv = seq.linear_weight_grad %d, %tanh : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
  return %dw, %dv : tensor<16x16xf32>, tensor<16x16xf32>
}

// CHECK-LABEL: func.func @rows
// CHECK-NEXT: math.exp
// CHECK-NEXT: seq.linear_input_grad
func.func @rows(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>, %dy: tensor<2x8x16xf32>) -> tensor<16x16xf32> {
  %row = math.exp %x {seq.recomputed} : tensor<2x8x16xf32>
  %d = seq.linear_input_grad %dy, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %dw = seq.linear_weight_grad %d, %row : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
  return %dw : tensor<16x16xf32>
}
