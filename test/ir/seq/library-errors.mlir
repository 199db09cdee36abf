// What positions and the gradient of embeddings refuse.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @list_of_positions() {
  // expected-error @+1 {{must be [batch, time], but got 'tensor<8xi32>'}}
  %p = seq.positions : tensor<8xi32>
  return
}

// -----

func.func @list_of_tokens(%t: tensor<2x8xi32>, %d: tensor<2x8x16xf32>) {
  // expected-error @+1 {{result must be [vocabulary, columns], but got 'tensor<16xf32>'}}
  %g = seq.embed_grad %t, %d : tensor<2x8xi32>, tensor<2x8x16xf32> -> tensor<16xf32>
  return
}

// -----

func.func @number(%t: tensor<2x8xi32>, %d: tensor<2x8x16xf32>) {
  // expected-error @+1 {{result must be [vocabulary, columns], but got 'tensor<f32>'}}
  %g = seq.embed_grad %t, %d : tensor<2x8xi32>, tensor<2x8x16xf32> -> tensor<f32>
  return
}
