// RUN: stretto-opt %s --seq-merge-matmuls | FileCheck %s

// One weight is an invariant of the scan, the other is read in its body: they stay apart.

// CHECK-DAG: seq.parameter @a
// CHECK-DAG: seq.parameter @b
// CHECK: func.func private @layer
// CHECK-COUNT-2: seq.linear
seq.parameter @a parts [#seq.part<"a", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
seq.parameter @b parts [#seq.part<"b", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>

func.func private @layer(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %v = seq.get_parameter @b : tensor<16x16xf32>
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.linear %x, %v : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = arith.addf %0, %1 : tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}
func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %w = seq.get_parameter @a : tensor<16x16xf32>
  %y = seq.scan @layer trips 3 carry(%x) slices() invariants(%w) : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}
