// RUN: stretto-opt %s --seq-merge-matmuls --remarks-filter=matmuls -o /dev/null 2>&1 | FileCheck %s

// A weight that a loop carries changes from layer to layer; one that is made of others is computed.

// CHECK: carried.mlir:[[#@LINE+5]]:{{.*}}[Missed] MergedMatmuls {{.*}} Reason="a loop carries its weight"
// CHECK: carried.mlir:[[#@LINE+6]]:{{.*}}[Missed] MergedMatmuls {{.*}} Reason="its weight is computed"
seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>

func.func private @layer(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<2x8x16xf32>, tensor<16x16xf32>) {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %v = arith.negf %w : tensor<16x16xf32>
  %1 = seq.linear %x, %v : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = arith.mulf %0, %1 : tensor<2x8x16xf32>
  return %2, %v : tensor<2x8x16xf32>, tensor<16x16xf32>
}
func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %w = seq.get_parameter @w : tensor<16x16xf32>
  %y, %v = seq.scan @layer trips 3 carry(%x, %w) slices() invariants() : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> (tensor<2x8x16xf32>, tensor<16x16xf32>)
  return %y : tensor<2x8x16xf32>
}
