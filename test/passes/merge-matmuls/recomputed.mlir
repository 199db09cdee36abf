// Matmuls that the spec has recomputed become one that is; with others, whose results are saved, they do not.
// RUN: stretto-opt %s --seq-merge-matmuls | FileCheck %s

seq.parameter @a parts [#seq.part<"a", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
seq.parameter @b parts [#seq.part<"b", 8, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<8x16xf32>
seq.parameter @c parts [#seq.part<"c", 8, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<8x16xf32>

// CHECK-LABEL: func @layer
// CHECK: seq.linear {{.*}} -> tensor<2x8x24xf32> {seq.recompute}
// CHECK: seq.linear {{.*}} -> tensor<2x8x8xf32>{{$}}
// CHECK-NOT: seq.linear
func.func @layer(%x: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>) {
  %a = seq.get_parameter @a : tensor<16x16xf32>
  %b = seq.get_parameter @b : tensor<8x16xf32>
  %c = seq.get_parameter @c : tensor<8x16xf32>
  %0 = seq.linear %x, %a : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32> {seq.recompute}
  %1 = seq.linear %x, %b : tensor<2x8x16xf32>, tensor<8x16xf32> -> tensor<2x8x8xf32>
  %2 = seq.linear %x, %c : tensor<2x8x16xf32>, tensor<8x16xf32> -> tensor<2x8x8xf32> {seq.recompute}
  return %0, %1, %2 : tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>
}
