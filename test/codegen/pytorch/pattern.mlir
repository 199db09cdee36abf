// RUN: stretto-translate --stretto-to-pytorch %s | FileCheck %s

// A scan over a pattern of two layers: the body has a group of weights for each.

seq.parameter @even parts [#seq.part<"layers.{}.mix.q", 16, <normal, 0.0 : f64, 0.02 : f64>>] stacked first 0 step 2 : tensor<3x16x16xf32>
seq.parameter @odd parts [#seq.part<"layers.{}.mix.q", 16, <normal, 0.0 : f64, 0.02 : f64>>] stacked first 1 step 2 : tensor<3x16x16xf32>

// CHECK-LABEL: def mix(x, w):
func.func private @mix(%x: tensor<2x8x16xf32> loc("x"), %q: tensor<16x16xf32> loc("q")) -> tensor<2x8x16xf32> {
  // CHECK-NEXT: return F.linear(x, w["q"])
  %0 = seq.linear %x, %q : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
// CHECK-LABEL: def layers(x, w, w_2):
func.func private @layers(%x: tensor<2x8x16xf32> loc("x"), %q: tensor<16x16xf32> loc("mix.q"), %r: tensor<16x16xf32> loc("mix.q")) -> tensor<2x8x16xf32> {
  // CHECK-NEXT: return mix(mix(x, w.group("mix")), w_2.group("mix"))
  %0 = call @mix(%x, %q) : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %1 = call @mix(%0, %r) : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}
// CHECK-LABEL: def forward(self, x):
func.func @main(%x: tensor<2x8x16xf32> loc("x")) -> tensor<2x8x16xf32> {
  %q = seq.get_parameter @even : tensor<3x16x16xf32>
  %r = seq.get_parameter @odd : tensor<3x16x16xf32>
  // CHECK-NEXT: for i in range(0, 6, 2):
  // CHECK-NEXT: x = layers(x, self.group(f"layers.{i}"), self.group(f"layers.{i + 1}"))
  %1 = seq.scan @layers trips 3 carry(%x) slices(%q, %r) invariants() : (tensor<2x8x16xf32>, tensor<3x16x16xf32>, tensor<3x16x16xf32>) -> tensor<2x8x16xf32> loc("x")
  return %1 : tensor<2x8x16xf32>
}
