// RUN: stretto-translate --stretto-to-pytorch %s | FileCheck %s

// What a function of several results returns is taken apart, also where one of them alone is read.

func.func private @two(%x: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %0 = math.exp %x : tensor<2x8x16xf32>
  %1 = math.tanh %x : tensor<2x8x16xf32>
  return %0, %1 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}
// CHECK-LABEL: def forward(self, x):
func.func @main(%x: tensor<2x8x16xf32> loc("x")) -> tensor<2x8x16xf32> {
  // CHECK-NEXT: t, t_2 = two(x)
  // CHECK-NEXT: return torch.exp(t)
  %0, %1 = func.call @two(%x) : (tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>)
  %2 = math.exp %0 : tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}
