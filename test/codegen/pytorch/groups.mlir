// RUN: stretto-translate --stretto-to-pytorch %s | FileCheck %s

// Weights that lie below one name wherever a function is called are handed on as a group; a tied weight, known by
// several names, is an argument of its own.

seq.parameter @tied parts [#seq.part<"tied", 8, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<8x16xf32>
seq.parameter @q parts [#seq.part<"layers.{}.mix.q", 16, <truncated_normal, 0.5 : f64, 3.0 : f64>>] stacked first 1 step 2 : tensor<3x16x8xf32>
seq.parameter @taps parts [#seq.part<"layers.{}.mix.taps", 4, <uniform, -0.5 : f64, 0.5 : f64>>] stacked first 1 step 2 frozen : tensor<3x4x16xf32>
seq.parameter @last parts [#seq.part<"last.q", 16, <constant, 1.0 : f64, 0.0 : f64>>] : tensor<16x8xf32>

// CHECK-LABEL: def mix(x, tied, w):
func.func private @mix(%x: tensor<2x8x16xf32> loc("x"), %q: tensor<16x8xf32> loc("q"), %t: tensor<8x16xf32> loc("tied")) -> tensor<2x8x16xf32> {
  // CHECK-NEXT: h = F.linear(F.linear(x, tied), w["q"])
  // CHECK-NEXT: return x + h
  %0 = seq.linear %x, %t : tensor<2x8x16xf32>, tensor<8x16xf32> -> tensor<2x8x8xf32>
  %1 = seq.linear %0, %q : tensor<2x8x8xf32>, tensor<16x8xf32> -> tensor<2x8x16xf32> loc("h")
  %2 = arith.addf %x, %1 : tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}
// CHECK-LABEL: def layers(x, embedding, w):
func.func private @layers(%x: tensor<2x8x16xf32> loc("x"), %q: tensor<16x8xf32> loc("mix.q"), %taps: tensor<4x16xf32> loc("mix.taps"),
                          %t: tensor<8x16xf32> loc("embedding")) -> tensor<2x8x16xf32> {
  // CHECK-NEXT: h = canon(x, w["mix.taps"], activation=F.silu)
  // CHECK-NEXT: return mix(h, embedding, w.group("mix"))
  %0 = seq.canon %x, %taps silu : tensor<2x8x16xf32>, tensor<4x16xf32> loc("h")
  %1 = call @mix(%0, %q, %t) : (tensor<2x8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}
// CHECK-LABEL: class Model(Weights):
// CHECK: self.declare("tied", (8, 16), lambda x: nn.init.normal_(x, 0.0, 0.02))
// CHECK-NEXT: for i in range(1, 7, 2):
// CHECK-NEXT: {{^            }}self.declare(f"layers.{i}.mix.q", (16, 8), lambda x: nn.init.trunc_normal_(x, 0.0, 0.5, -1.5, 1.5))
// CHECK-NEXT: {{^            }}self.declare(f"layers.{i}.mix.taps", (4, 16), lambda x: nn.init.uniform_(x, -0.5, 0.5), trainable=False)
// CHECK-NEXT: {{^        }}self.declare("last.q", (16, 8), lambda x: nn.init.constant_(x, 1.0))
// CHECK-LABEL: def forward(self, tokens):
func.func @main(%tokens: tensor<2x8xi32> loc("tokens")) -> tensor<2x8x16xf32> {
  %tied = seq.get_parameter @tied : tensor<8x16xf32>
  %q = seq.get_parameter @q : tensor<3x16x8xf32>
  %taps = seq.get_parameter @taps : tensor<3x4x16xf32>
  %last = seq.get_parameter @last : tensor<16x8xf32>
  // CHECK-NEXT: x = F.embedding(tokens, self["tied"])
  // CHECK-NEXT: for i in range(1, 7, 2):
  // CHECK-NEXT: x = layers(x, self["tied"], self.group(f"layers.{i}"))
  // CHECK-NEXT: return mix(x, self["tied"], self.group("last"))
  %0 = seq.embed %tokens, %tied : tensor<2x8xi32>, tensor<8x16xf32> -> tensor<2x8x16xf32> loc("x")
  %1 = seq.scan @layers trips 3 carry(%0) slices(%q, %taps) invariants(%tied) : (tensor<2x8x16xf32>, tensor<3x16x8xf32>, tensor<3x4x16xf32>, tensor<8x16xf32>) -> tensor<2x8x16xf32> loc("x")
  %2 = call @mix(%1, %last, %tied) : (tensor<2x8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}
// CHECK-LABEL: def load_stretto(path):
