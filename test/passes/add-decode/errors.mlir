// What cannot be computed token by token is an error at its place.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics --seq-add-decode=chunk=4

seq.parameter @e parts [#seq.part<"e", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x16xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  // expected-error@+1 {{text cannot be generated token by token: attention with causal = false has earlier tokens depend on later ones}}
  %o, %lse = seq.attention %0, %0, %0 heads 2 kv_heads 2 scale 0.5 : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x2x8xf32>
  return %o : tensor<2x8x16xf32>
}

// -----
seq.parameter @e parts [#seq.part<"e", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x16xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  // expected-error@+1 {{text cannot be generated token by token: this reads tokens that are not there yet}}
  %1 = seq.tap %0 by 1 : tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}

// -----
seq.parameter @e parts [#seq.part<"e", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x16xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  // expected-error@+1 {{text cannot be generated token by token: this depends on all tokens of a sequence at once}}
  %1 = seq.column_sum %0 : tensor<2x8x16xf32> -> tensor<16xf32>
  %2 = seq.broadcast %1 dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}

// -----
seq.parameter @e parts [#seq.part<"e", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>
// expected-error@+1 {{a chunk of decoding must have 1 to 3 tokens, but got 4}}
func.func @main(%t: tensor<2x3xi32>) -> tensor<2x3x16xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x3xi32>, tensor<64x16xf32> -> tensor<2x3x16xf32>
  return %0 : tensor<2x3x16xf32>
}

// -----
seq.parameter @e parts [#seq.part<"e", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x1xf32>
func.func @main(%t: tensor<1x4xi32>) -> tensor<1x4x1xf32> {
  %e = seq.get_parameter @e : tensor<64x1xf32>
  %0 = seq.embed %t, %e : tensor<1x4xi32>, tensor<64x1xf32> -> tensor<1x4x1xf32>
  // expected-error@+1 {{text cannot be generated token by token: the rows of this constant are not all the same}}
  %rows = arith.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %1 = arith.addf %0, %rows : tensor<1x4x1xf32>
  %2 = arith.mulf %1, %rows : tensor<1x4x1xf32>
  return %2 : tensor<1x4x1xf32>
}

// -----
func.func @main(%t: tensor<1x4xi32>) -> tensor<1x4x1xf32> {
  // expected-error@+1 {{text cannot be generated token by token: the rows of this constant are not all the same}}
  %rows = arith.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  return %rows : tensor<1x4x1xf32>
}

// -----
seq.parameter @e parts [#seq.part<"e", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x1xf32>
func.func @main(%t: tensor<1x4xi32>) -> tensor<1x4x1xf32> {
  %e = seq.get_parameter @e : tensor<64x1xf32>
  %0 = seq.embed %t, %e : tensor<1x4xi32>, tensor<64x1xf32> -> tensor<1x4x1xf32>
  %each = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  // expected-error@+1 {{text cannot be generated token by token: this table is not [time, columns]}}
  %1 = seq.broadcast %each dims [1] : tensor<4xf32> -> tensor<1x4x1xf32>
  %2 = arith.addf %0, %1 : tensor<1x4x1xf32>
  return %2 : tensor<1x4x1xf32>
}
