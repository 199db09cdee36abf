// Numbers of layers that cannot be.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @negative_eps(%x: tensor<2x8x16xf32>, %g: tensor<16xf32>) {
  // expected-error @+1 {{eps must be a number of at least 0, but got -1}}
  %y = seq.rms_norm %x, %g eps -1.0 heads 1 : tensor<2x8x16xf32>, tensor<16xf32>
  return
}

// -----

func.func @no_eps(%x: tensor<2x8x16xf32>) {
  // expected-error @+1 {{eps must be a number of at least 0, but got nan}}
  %y = seq.l2_norm %x eps 0x7FF8000000000000 heads 4 : tensor<2x8x16xf32>
  return
}

// -----

func.func @theta(%x: tensor<2x8x16xf32>) {
  // expected-error @+1 {{theta must be a positive number, but got 0}}
  %y = seq.rotary half_split %x heads 4 rotated 4 rotated_heads 4 theta 0.0 : tensor<2x8x16xf32>
  return
}
