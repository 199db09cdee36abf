// RUN: stretto-opt %s --seq-separate-scans | FileCheck %s

// Two runs of the same layers: the second one gets a body of its own.

// CHECK: func.func private @layers(
// CHECK: func.func private @layers_0(
// CHECK-NEXT: math.tanh
func.func private @layers(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = math.tanh %x : tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
// CHECK: seq.scan @layers trips 3
// CHECK: seq.scan @layers_0 trips 2
func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.scan @layers trips 3 carry(%x) slices() invariants() : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %1 = seq.scan @layers trips 2 carry(%0) slices() invariants() : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}
