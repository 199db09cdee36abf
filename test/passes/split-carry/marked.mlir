// RUN: stretto-opt %s --seq-split-carry --remarks-filter=fusion 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// A sum that the source marks is carried as one value.
// REMARK: [Missed] SplitCarry {{.*}} Function=layer | Reason="the source asks for it"
// CHECK-LABEL: func.func private @layer
// CHECK: %[[R:.*]] = arith.addf {{.*}} {seq.no_fuse}
// CHECK: return %[[R]]
func.func private @layer(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = math.tanh %x : tensor<2x8x16xf32>
  %1 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = arith.addf %x, %1 {seq.no_fuse} : tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}
func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<3x16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.scan @layer trips 3 carry(%x) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<3x16x16xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
