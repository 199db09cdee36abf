// RUN: stretto-opt %s --seq-merge-matmuls --remarks-filter=matmuls 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// REMARK: [Missed] MergedMatmuls {{.*}} Reason="the source asks for a matmul of its own"
seq.parameter @a parts [#seq.part<"a", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
seq.parameter @b parts [#seq.part<"b", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>

// CHECK-LABEL: func @main
// CHECK-COUNT-2: seq.linear
func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %a = seq.get_parameter @a : tensor<16x16xf32>
  %b = seq.get_parameter @b : tensor<16x16xf32>
  %0 = seq.linear %x, %a : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32> {seq.no_fuse}
  %1 = seq.linear %x, %b : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = arith.addf %0, %1 : tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}
