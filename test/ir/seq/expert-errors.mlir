// What matmuls of experts refuse.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @rows(%x: tensor<2x9x16xf32>, %g: tensor<2x8x4xf32>, %w: tensor<128x16xf32>) {
  // expected-error @+1 {{rows must agree in all but the last dimension, but got 'tensor<2x9x16xf32>', 'tensor<2x8x64xf32>' and 'tensor<2x8x4xf32>'}}
  %y = seq.expert_linear %x, %g, %w chosen 2 : tensor<2x9x16xf32>, tensor<2x8x4xf32>, tensor<128x16xf32> -> tensor<2x8x64xf32>
  return
}

// -----

func.func @too_many(%x: tensor<2x8x16xf32>, %g: tensor<2x8x4xf32>, %w: tensor<128x16xf32>) {
  // expected-error @+1 {{chosen must be at most the 4 columns of 'tensor<2x8x4xf32>', but got 5}}
  %y = seq.expert_linear %x, %g, %w chosen 5 : tensor<2x8x16xf32>, tensor<2x8x4xf32>, tensor<128x16xf32> -> tensor<2x8x160xf32>
  return
}

// -----

func.func @parts(%u: tensor<2x8x64xf32>, %g: tensor<2x8x4xf32>, %v: tensor<64x32xf32>) {
  // expected-error @+1 {{chosen must divide the columns of 'tensor<2x8x64xf32>', but got 3}}
  %y = seq.expert_sum %u, %g, %v chosen 3 : tensor<2x8x64xf32>, tensor<2x8x4xf32>, tensor<64x32xf32> -> tensor<2x8x16xf32>
  return
}

// -----

func.func @weights_of_linear(%x: tensor<2x8x16xf32>, %g: tensor<2x8x4xf32>, %w: tensor<64x16xf32>) {
  // expected-error @+1 {{weights must have shape [128, 16], but got 'tensor<64x16xf32>'}}
  %y = seq.expert_linear %x, %g, %w chosen 2 : tensor<2x8x16xf32>, tensor<2x8x4xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  return
}

// -----

func.func @weights_of_sum(%u: tensor<2x8x64xf32>, %g: tensor<2x8x4xf32>, %v: tensor<128x16xf32>) {
  // expected-error @+1 {{weights must have shape [64, 32], but got 'tensor<128x16xf32>'}}
  %y = seq.expert_sum %u, %g, %v chosen 2 : tensor<2x8x64xf32>, tensor<2x8x4xf32>, tensor<128x16xf32> -> tensor<2x8x16xf32>
  return
}

// -----

func.func @types(%x: tensor<2x8x16xbf16>, %g: tensor<2x8x4xf32>, %w: tensor<128x16xf32>) {
  // expected-error @+1 {{operands must be of one type, but got 'tensor<2x8x16xbf16>' and 'tensor<128x16xf32>'}}
  %y = seq.expert_linear %x, %g, %w chosen 2 : tensor<2x8x16xbf16>, tensor<2x8x4xf32>, tensor<128x16xf32> -> tensor<2x8x64xbf16>
  return
}

// -----

func.func @gates(%x: tensor<2x8x16xf32>, %u: tensor<2x8x64xf32>, %g: tensor<2x8x4xf64>, %v: tensor<64x32xf32>) {
  // expected-error @+1 {{gates and sums must be of type 'f32', but got 'tensor<2x8x4xf64>'}}
  %du, %dg = seq.expert_sum_input_grad %x, %u, %g, %v chosen 2 : tensor<2x8x16xf32>, tensor<2x8x64xf32>, tensor<2x8x4xf64>, tensor<64x32xf32>
  return
}

// -----

func.func @result(%u: tensor<2x8x64xbf16>, %g: tensor<2x8x4xf32>, %w: tensor<128x16xbf16>) {
  // expected-error @+1 {{result must be of type 'bf16' or f32, but got 'tensor<2x8x16xf64>'}}
  %dx = seq.expert_linear_input_grad %u, %g, %w chosen 2 : tensor<2x8x64xbf16>, tensor<2x8x4xf32>, tensor<128x16xbf16> -> tensor<2x8x16xf64>
  return
}

// -----

func.func @sum(%u: tensor<2x8x64xbf16>, %g: tensor<2x8x4xf32>, %x: tensor<2x8x16xbf16>) {
  // expected-error @+1 {{gates and sums must be of type 'f32', but got 'tensor<128x16xf64>'}}
  %dw = seq.expert_linear_weight_grad %u, %g, %x chosen 2 : tensor<2x8x64xbf16>, tensor<2x8x4xf32>, tensor<2x8x16xbf16> -> tensor<128x16xf64>
  return
}

// -----

func.func @accumulator(%x: tensor<2x8x16xf32>, %u: tensor<2x8x64xf32>, %g: tensor<2x8x4xf32>, %a: tensor<32x32xf32>) {
  // expected-error @+1 {{accumulator must have the type of the result, but got 'tensor<32x32xf32>'}}
  %dw = seq.expert_sum_weight_grad %x, %g, %u accumulate %a : tensor<32x32xf32> chosen 2 : tensor<2x8x16xf32>, tensor<2x8x4xf32>, tensor<2x8x64xf32> -> tensor<64x32xf32>
  return
}
