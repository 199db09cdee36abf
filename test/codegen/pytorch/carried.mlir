// RUN: stretto-translate --stretto-to-pytorch %s | FileCheck %s

// What a loop carries is passed from layer to layer, be it a weight at first, and has a variable of its own, whether or not it is read behind the loop.

func.func private @layer(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %z: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %0 = arith.addf %x, %y : tensor<2x8x16xf32>
  %1 = arith.mulf %y, %z : tensor<2x8x16xf32>
  return %0, %1, %y : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>
}
// CHECK-LABEL: def halved(x, w):
// CHECK-NEXT: w = w * 0.5
// CHECK-NEXT: return x * w, w
func.func private @halved(%x: tensor<2x8x16xf32> loc("x"), %w: tensor<2x8x16xf32> loc("w")) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %half = arith.constant dense<0.5> : tensor<2x8x16xf32>
  %0 = arith.mulf %w, %half : tensor<2x8x16xf32> loc("w")
  %1 = arith.mulf %x, %0 : tensor<2x8x16xf32>
  return %1, %0 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}
seq.parameter @w parts [#seq.part<"w", 2, <constant, 1.0 : f64, 0.0 : f64>>] : tensor<2x8x16xf32>
// CHECK-LABEL: def forward(self, x):
func.func @main(%x: tensor<2x8x16xf32> loc("x")) -> tensor<2x8x16xf32> {
  // CHECK-NEXT: t, t_2, t_3 = x, x, x
  // CHECK-NEXT: for i in range(3):
  // CHECK-NEXT: t, t_2, t_3 = layer(t, t_2, t_3)
  // CHECK-NEXT: x, w = t, self["w"]
  // CHECK-NEXT: for i in range(2):
  // CHECK-NEXT: x, w = halved(x, w)
  // CHECK-NEXT: return x
  %0, %1, %2 = seq.scan @layer trips 3 carry(%x, %x, %x) slices() invariants() : (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>)
  %w = seq.get_parameter @w : tensor<2x8x16xf32> loc("w")
  %3, %4 = seq.scan @halved trips 2 carry(%0, %w) slices() invariants() : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>)
  return %3 : tensor<2x8x16xf32>
}
