// RUN: stretto-opt %s --split-input-file --seq-choose-saved --verify-diagnostics

func.func @gradients(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // expected-error @+1 {{'math.exp' op needs the attribute seq.id, which seq-differentiate gives}}
  %0 = math.exp %x {seq.recomputed} : tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

// expected-error @+1 {{'func.func' op needs a function @layer.forward as its forward, which seq-differentiate gives}}
func.func private @layer.backward(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> attributes {seq.forward = @layer.forward} {
  return %x : tensor<2x8x16xf32>
}

// -----

// expected-note @+1 {{declared here without a body}}
func.func private @layer.forward(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
// expected-error @+1 {{'func.func' op needs a function @layer.forward as its forward, which seq-differentiate gives}}
func.func private @layer.backward(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> attributes {seq.forward = @layer.forward} {
  return %x : tensor<2x8x16xf32>
}
