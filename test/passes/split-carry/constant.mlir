// RUN: stretto-opt %s --seq-split-carry | FileCheck %s

// What counts iterations is carried as one value: a constant is no part of its own.
// CHECK-LABEL: func.func private @layer
// CHECK-SAME: (%[[N:[^:]*]]: tensor<2x8x16xf32>, %{{[^:]*}}: tensor<16x16xf32>)
// CHECK: %[[R:.*]] = arith.addf %[[N]]
// CHECK: return %[[R]] : tensor<2x8x16xf32>
func.func private @layer(%n: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %one = arith.constant dense<1.0> : tensor<2x8x16xf32>
  %0 = arith.addf %n, %one : tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<3x16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.scan @layer trips 3 carry(%x) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<3x16x16xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
