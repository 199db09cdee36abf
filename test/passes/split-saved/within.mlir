// RUN: stretto-opt %s --seq-differentiate --seq-choose-saved --seq-split-saved | FileCheck %s

// Outside of loops a kept value is simply used again.

seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>

// CHECK-LABEL: func @gradients
func.func @gradients(%x: tensor<2x8x16xf32>, %dr: tensor<2x8xf32>) {
  %w = seq.get_parameter @w : tensor<16x16xf32>
  // CHECK: %[[Y:.*]] = seq.linear
  %y = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %s = seq.reduce add %y : tensor<2x8x16xf32> -> tensor<2x8xf32>
  // CHECK: %[[R:.*]] = math.exp %{{.*}} {seq.saved = 64 : i64} : tensor<2x8xf32>
  %r = math.exp %s : tensor<2x8xf32>
  // CHECK-NOT: math.exp
  // CHECK: arith.mulf %arg1, %[[R]]
  seq.backward of(%r) from(%dr) : tensor<2x8xf32>
  return
}
