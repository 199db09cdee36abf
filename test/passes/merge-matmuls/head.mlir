// RUN: stretto-opt %s --seq-merge-matmuls --remarks-filter=matmuls 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// The matmul that makes the logits is computed a few rows at a time, and where nothing else is wanted: it stays alone.

// REMARK-NOT: Passed
// REMARK: [Missed] MergedMatmuls {{.*}} Reason="it makes the logits"
seq.parameter @a parts [#seq.part<"a", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>
seq.parameter @b parts [#seq.part<"b", 1, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<1x16xf32>

// CHECK-LABEL: func @main
// CHECK-COUNT-2: seq.linear
func.func @main(%x: tensor<2x8x16xf32>) -> (tensor<2x8x64xf32>, tensor<2x8x1xf32>) {
  %a = seq.get_parameter @a : tensor<64x16xf32>
  %b = seq.get_parameter @b : tensor<1x16xf32>
  %0 = seq.linear %x, %a : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  %1 = seq.linear %x, %b : tensor<2x8x16xf32>, tensor<1x16xf32> -> tensor<2x8x1xf32>
  return %0, %1 : tensor<2x8x64xf32>, tensor<2x8x1xf32>
}
