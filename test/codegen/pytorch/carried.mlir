// RUN: stretto-translate --stretto-to-pytorch %s | FileCheck %s

// What a loop carries has a variable of its own, whether or not it is read behind the loop.

func.func private @layer(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %z: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %0 = arith.addf %x, %y : tensor<2x8x16xf32>
  %1 = arith.mulf %y, %z : tensor<2x8x16xf32>
  return %0, %1, %y : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>
}
// CHECK-LABEL: def forward(self, x):
func.func @main(%x: tensor<2x8x16xf32> loc("x")) -> tensor<2x8x16xf32> {
  // CHECK-NEXT: t, t_2, t_3 = x, x, x
  // CHECK-NEXT: for i in range(3):
  // CHECK-NEXT: t, t_2, t_3 = layer(t, t_2, t_3)
  // CHECK-NEXT: return t
  %0, %1, %2 = seq.scan @layer trips 3 carry(%x, %x, %x) slices() invariants() : (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>)
  return %0 : tensor<2x8x16xf32>
}
