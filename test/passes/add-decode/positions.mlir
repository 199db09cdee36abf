// RUN: stretto-opt %s --seq-add-decode=chunk=4 | FileCheck %s

// Text is generated with the positions that entries are given, in bodies of scans, too. They get tokens, read or not.

// CHECK-LABEL: func @decode_one
// CHECK-SAME: (%{{[a-z0-9]+}}: tensor<2x1xi32>, %[[AT:[a-z0-9]+]]: tensor<2x1xi32>
// CHECK: seq.embed %[[AT]], %{{.*}} : tensor<2x1xi32>, tensor<8x16xf32> -> tensor<2x1x16xf32>
// CHECK: seq.scan @layer.decode_one trips 3 carry(%{{.*}}) slices() invariants(%[[AT]])
// CHECK-LABEL: func private @layer.decode_one(
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<2x1xi32>)
// CHECK: seq.embed %[[P]], %{{.*}} : tensor<2x1xi32>, tensor<8x16xf32> -> tensor<2x1x16xf32>
seq.parameter @w parts [#seq.part<"w", 8, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<8x16xf32>
func.func private @layer(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %at = seq.positions : tensor<2x8xi32>
  %w = seq.get_parameter @w : tensor<8x16xf32>
  %e = seq.embed %at, %w : tensor<2x8xi32>, tensor<8x16xf32> -> tensor<2x8x16xf32>
  %y = arith.mulf %x, %e : tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x16xf32> {
  %at = seq.positions : tensor<2x8xi32>
  %w = seq.get_parameter @w : tensor<8x16xf32>
  %0 = seq.embed %at, %w : tensor<2x8xi32>, tensor<8x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.scan @layer trips 3 carry(%0) slices() invariants() : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}
