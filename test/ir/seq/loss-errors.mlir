// What the loss of a token may be made of.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @negative(%l: tensor<2x8x5xf32>, %t: tensor<2x8xi32>, %w: tensor<2x8xf32>) {
  // expected-error@+1 {{nll_square must be finite and at least 0, but got -1.000000e-04 : f64}}
  %0, %1 = seq.cross_entropy %l, %t, %w nll_square -1.0e-4 : tensor<2x8x5xf32>, tensor<2x8xi32>, tensor<2x8xf32>
  return
}

// -----
func.func @infinite(%l: tensor<2x8x5xf32>, %t: tensor<2x8xi32>, %w: tensor<2x8xf32>) {
  // expected-error@+1 {{z_loss must be finite and at least 0, but got 0x7FF0000000000000 : f64}}
  %0, %1 = seq.cross_entropy %l, %t, %w z_loss 0x7FF0000000000000 : tensor<2x8x5xf32>, tensor<2x8xi32>, tensor<2x8xf32>
  return
}

// -----
func.func @targets(%l: tensor<2x8x5xf32>, %t: tensor<2x7xi32>, %w: tensor<2x8xf32>) {
  // expected-error@+1 {{targets must have shape [2, 8], but got 'tensor<2x7xi32>'}}
  %0, %1 = seq.cross_entropy %l, %t, %w : tensor<2x8x5xf32>, tensor<2x7xi32>, tensor<2x8xf32>
  return
}

// -----
func.func @weights(%l: tensor<2x8x5xf32>, %t: tensor<2x8xi32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{weights must have type 'tensor<2x8xf32>', but got 'tensor<8xf32>'}}
  %0, %1 = seq.cross_entropy %l, %t, %w : tensor<2x8x5xf32>, tensor<2x8xi32>, tensor<8xf32>
  return
}

// -----
func.func @wide_weights(%l: tensor<2x8x5xf32>, %t: tensor<2x8xi32>, %w: tensor<2x8xf64>) {
  // expected-error@+1 {{weights must have type 'tensor<2x8xf32>', but got 'tensor<2x8xf64>'}}
  %0, %1 = seq.cross_entropy %l, %t, %w : tensor<2x8x5xf32>, tensor<2x8xi32>, tensor<2x8xf64>
  return
}

// -----
func.func @number(%l: tensor<f32>, %t: tensor<i32>, %w: tensor<f32>) {
  // expected-error@+1 {{logits must have at least one dimension, but got 'tensor<f32>'}}
  %0, %1 = seq.cross_entropy %l, %t, %w : tensor<f32>, tensor<i32>, tensor<f32>
  return
}

// -----
func.func @prediction_of_number(%l: tensor<f32>, %t: tensor<i32>) {
  // expected-error@+1 {{logits must have at least one dimension, but got 'tensor<f32>'}}
  %0, %1 = seq.predict %l, %t : tensor<f32>, tensor<i32> -> tensor<f32>
  return
}

// -----
func.func @wide_prediction(%l: tensor<2x8x5xf32>, %t: tensor<2x8xi32>) {
  // expected-error@+1 {{nll must have type 'tensor<2x8xf32>', but got 'tensor<2x8xf64>'}}
  %0, %1 = seq.predict %l, %t : tensor<2x8x5xf32>, tensor<2x8xi32> -> tensor<2x8xf64>
  return
}

// -----
// expected-error@+1 {{"seq.nll_square" must be a finite f64 of at least 0, but got -1.000000e+00 : f64}}
module attributes {seq.nll_square = -1.0 : f64} {
}

// -----
// expected-error@+1 {{"seq.z_loss" must be a finite f64 of at least 0, but got 1 : i64}}
module attributes {seq.z_loss = 1 : i64} {
}

// -----
// expected-error@+1 {{"seq.z_loss" must be a finite f64 of at least 0, but got 0x7FF8000000000000 : f64}}
module attributes {seq.z_loss = 0x7FF8000000000000 : f64} {
}
