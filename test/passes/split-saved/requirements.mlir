// RUN: stretto-opt %s --split-input-file --seq-split-saved --verify-diagnostics

// expected-note @+1 {{the forward}}
func.func @gradients(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // expected-error @+1 {{'math.exp' op needs an operation of the forward with seq.id = 3, which seq-differentiate gives}}
  %0 = math.exp %x {seq.id = 3 : i64, seq.saved = 1024 : i64} : tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

// expected-note @+1 {{the forward}}
func.func private @layer.forward(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  return %x : tensor<2x8x16xf32>
}
// expected-error @+1 {{'func.func' op needs a scan over it and one over its forward, which seq-differentiate gives}}
func.func private @layer.backward(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> attributes {seq.forward = @layer.forward} {
  return %x : tensor<2x8x16xf32>
}
