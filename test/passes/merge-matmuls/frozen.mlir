// RUN: stretto-opt %s --seq-merge-matmuls --remarks-filter=matmuls 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// REMARK-NOT: Passed
// REMARK: [Missed] MergedMatmuls {{.*}} Reason="its weight is frozen or stacked, or its result recomputed, unlike the others"
// REMARK: [Missed] MergedMatmuls {{.*}} Reason="its weight is frozen or stacked, or its result recomputed, unlike the others"
seq.parameter @a parts [#seq.part<"a", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
seq.parameter @b parts [#seq.part<"b", 16, <normal, 0.0 : f64, 0.02 : f64>>] frozen : tensor<16x16xf32>

// REMARK: [Missed] MergedMatmuls {{.*}} Reason="it is added to another value"

// CHECK-LABEL: func @main
// CHECK-COUNT-2: seq.linear
func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %a = seq.get_parameter @a : tensor<16x16xf32>
  %b = seq.get_parameter @b : tensor<16x16xf32>
  %0 = seq.linear %x, %a : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.linear %x, %b : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = arith.addf %0, %1 : tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}

// CHECK-LABEL: func @added
// CHECK: seq.linear %{{.*}} add
func.func @added(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %c = seq.get_parameter @c : tensor<16x16xf32>
  %d = seq.get_parameter @d : tensor<16x16xf32>
  %0 = seq.linear %x, %c : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.linear %x, %d add %0 : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}
seq.parameter @c parts [#seq.part<"c", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
seq.parameter @d parts [#seq.part<"d", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
