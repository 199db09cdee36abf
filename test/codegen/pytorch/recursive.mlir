// RUN: stretto-translate --stretto-to-pytorch %s | FileCheck %s

// A function that loops is put in the place of its calls, unless it calls itself.

func.func private @layer(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = math.exp %x : tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
func.func private @again(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.scan @layer trips 3 carry(%x) slices() invariants() : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %1 = func.call @again(%0) : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}
// CHECK-LABEL: def again(
// CHECK: return again(
// CHECK-LABEL: def forward(self, x):
// CHECK-NEXT: return again(x)
func.func @main(%x: tensor<2x8x16xf32> loc("x")) -> tensor<2x8x16xf32> {
  %0 = func.call @again(%x) : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
