// RUN: stretto-opt %s --seq-mask-documents --split-input-file --verify-diagnostics

module attributes {seq.documents = 0 : i64} {
  func.func @evaluate(%tokens: tensor<2x8xi32>, %bias: tensor<8x16xf32>) -> tensor<2x8x16xf32>
      attributes {seq.entry = #seq<entry_kind evaluation>} {
    // expected-error@+1 {{a value that depends on the position in a sequence has no form with a document mask}}
    %0 = seq.broadcast %bias dims [1, 2] : tensor<8x16xf32> -> tensor<2x8x16xf32>
    return %0 : tensor<2x8x16xf32>
  }
}

// -----

module attributes {seq.documents = 0 : i64} {
  func.func @evaluate(%tokens: tensor<2x8xi32>, %x: tensor<2x8x16xf32>, %w: tensor<4x16xf32>) -> tensor<2x8x16xf32>
      attributes {seq.entry = #seq<entry_kind evaluation>} {
    // expected-error@+1 {{'seq.canon' has no form with a document mask}}
    %0 = seq.canon %x, %w residual none : tensor<2x8x16xf32>, tensor<4x16xf32>
    return %0 : tensor<2x8x16xf32>
  }
}
