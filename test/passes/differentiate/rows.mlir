// RUN: stretto-opt %s --seq-differentiate --seq-simplify-taps | FileCheck %s

seq.parameter @c parts [#seq.part<"c", 2, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<2x16xf32>

// Taps of the weight's gradient move to the incoming gradient; the two slices of the weight meet again.
// CHECK-LABEL: func @gradients
func.func @gradients(%x: tensor<2x8x16xf32>, %dy: tensor<2x8x16xf32>) {
  %c = seq.get_parameter @c : tensor<2x16xf32>
  %w = seq.reshape %c : tensor<2x16xf32> -> tensor<32xf32>
  %w0 = seq.slice %w at 0 : tensor<32xf32> -> tensor<16xf32>
  %b0 = seq.broadcast %w0 dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  %y0 = arith.mulf %x, %b0 : tensor<2x8x16xf32>
  %w1 = seq.slice %w at 16 : tensor<32xf32> -> tensor<16xf32>
  %b1 = seq.broadcast %w1 dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  %t1 = seq.tap %x by -1 : tensor<2x8x16xf32>
  %y1 = arith.mulf %t1, %b1 : tensor<2x8x16xf32>
  %y = arith.addf %y0, %y1 : tensor<2x8x16xf32>
  // CHECK: %[[F:.*]] = seq.tap %arg1 by 1
  // CHECK: %[[P:.*]] = arith.mulf %[[F]], %arg0
  // CHECK: %[[D1:.*]] = seq.column_sum %[[P]] : tensor<2x8x16xf32> -> tensor<16xf32>
  // CHECK: %[[D0:.*]] = seq.column_sum
  // CHECK: %[[D:.*]] = seq.concat %[[D0]], %[[D1]] : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
  // CHECK: %[[R:.*]] = seq.reshape %[[D]] : tensor<32xf32> -> tensor<2x16xf32>
  // CHECK: seq.gradient @c, %[[R]]
  seq.backward of(%y) from(%dy) : tensor<2x8x16xf32>
  return
}
