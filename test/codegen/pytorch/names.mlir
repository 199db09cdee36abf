// RUN: stretto-translate --stretto-to-pytorch %s | FileCheck %s

// Nothing has the name of a helper, or of a function that a helper or the text calls.

// CHECK-LABEL: def abs_2(numbers_2, l2_norm_2, isinstance_2, linear_attention_2, softmax):
func.func private @abs(%a: tensor<2x8x16xf32> loc("numbers"), %b: tensor<2x8x16xf32> loc("l2_norm"), %c: tensor<2x8x16xf32> loc("isinstance"), %d: tensor<2x8x16xf32> loc("linear_attention"), %e: tensor<2x8x16xf32> loc("softmax")) -> tensor<2x8x16xf32> {
  // CHECK-NEXT: sum_2 = numbers_2 + l2_norm_2
  // CHECK-NEXT: len = isinstance_2 * linear_attention_2
  // CHECK-NEXT: return sum_2 * sum_2 + len * len + softmax
  %0 = arith.addf %a, %b : tensor<2x8x16xf32> loc("sum")
  %1 = arith.mulf %c, %d : tensor<2x8x16xf32> loc("len")
  %2 = arith.mulf %0, %0 : tensor<2x8x16xf32>
  %3 = arith.mulf %1, %1 : tensor<2x8x16xf32>
  %4 = arith.addf %2, %3 : tensor<2x8x16xf32>
  %5 = arith.addf %4, %e : tensor<2x8x16xf32>
  return %5 : tensor<2x8x16xf32>
}
// CHECK-LABEL: def forward(self, x):
func.func @main(%x: tensor<2x8x16xf32> loc("x")) -> tensor<2x8x16xf32> {
  // CHECK-NEXT: return abs_2(x, x, x, x, x)
  %0 = call @abs(%x, %x, %x, %x, %x) : (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
