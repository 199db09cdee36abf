// What layers refuse.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @gain(%x: tensor<2x8x16xf32>, %g: tensor<16xf64>) {
  // expected-error @+1 {{gain must have type 'tensor<16xf32>', but got 'tensor<16xf64>'}}
  %y = seq.rms_norm %x, %g eps 1.0e-5 heads 1 : tensor<2x8x16xf32>, tensor<16xf64>
  return
}

// -----

func.func @gain_of_layer_norm(%x: tensor<2x8x16xf32>, %g: tensor<16xf64>) {
  // expected-error @+1 {{gain must have type 'tensor<4xf32>', but got 'tensor<16xf64>'}}
  %y = seq.layer_norm %x, %g, %g eps 1.0e-5 heads 4 : tensor<2x8x16xf32>, tensor<16xf64>
  return
}

// -----

func.func @taps(%x: tensor<2x8x16xf32>, %w: tensor<4x16xf64>) {
  // expected-error @+1 {{weight must have type 'tensor<4x16xf32>', but got 'tensor<4x16xf64>'}}
  %y = seq.canon %x, %w residual none : tensor<2x8x16xf32>, tensor<4x16xf64>
  return
}

// -----

func.func @list_of_taps(%x: tensor<2x8x16xf32>, %w: tensor<16xf32>) {
  // expected-error @+1 {{weight must be [kernel, 16], but got 'tensor<16xf32>'}}
  %y = seq.canon %x, %w residual none : tensor<2x8x16xf32>, tensor<16xf32>
  return
}

// -----

func.func @bias(%x: tensor<2x8x16xf32>, %w: tensor<4x16xf32>, %b: tensor<16xf64>) {
  // expected-error @+1 {{bias must have type 'tensor<16xf32>', but got 'tensor<16xf64>'}}
  %y = seq.canon %x, %w bias %b : tensor<16xf64> residual none : tensor<2x8x16xf32>, tensor<4x16xf32>
  return
}

// -----

func.func @canon_of_number(%x: tensor<f32>, %w: tensor<4x16xf32>) {
  // expected-error @+1 {{operand must be [batch, time, columns...], but got 'tensor<f32>'}}
  %y = seq.canon %x, %w residual none : tensor<f32>, tensor<4x16xf32>
  return
}

// -----

func.func @rotary_of_number(%x: tensor<f32>) {
  // expected-error @+1 {{operand must be [batch, time, columns...], but got 'tensor<f32>'}}
  %y = seq.rotary half_split %x heads 1 rotated 0 rotated_heads 1 theta 1.0e4 : tensor<f32>
  return
}

// -----

func.func @rotary_without_time(%x: tensor<8x16xf32>) {
  // expected-error @+1 {{operand must be [batch, time, columns...], but got 'tensor<8x16xf32>'}}
  %y = seq.rotary half_split %x heads 4 rotated 4 rotated_heads 4 theta 1.0e4 : tensor<8x16xf32>
  return
}

// -----

func.func @heads_of_softmax(%x: tensor<2x8x16xf32>) {
  // expected-error @+1 {{heads must divide the columns, but got 3 heads of 'tensor<2x8x16xf32>'}}
  %y = seq.softmax %x heads 3 : tensor<2x8x16xf32>
  return
}

// -----

func.func @heads_of_keep_top(%x: tensor<2x8x16xf32>) {
  // expected-error @+1 {{heads must divide the columns, but got 3 heads of 'tensor<2x8x16xf32>'}}
  %y = seq.keep_top %x count 1 heads 3 : tensor<2x8x16xf32>
  return
}

// -----

func.func @count_of_keep_top(%x: tensor<2x8x16xf32>) {
  // expected-error @+1 {{keeps 1 to 4 columns of a head, but got 5}}
  %y = seq.keep_top %x count 5 heads 4 : tensor<2x8x16xf32>
  return
}

// -----

func.func @heads_of_sum(%x: tensor<2x8x16xf32>) {
  // expected-error @+1 {{heads must divide the columns, but got 3 heads of 'tensor<2x8x16xf32>'}}
  %y = seq.sum %x : tensor<2x8x16xf32> -> tensor<2x8x3xf32>
  return
}

// -----

func.func @rows_of_sum(%x: tensor<2x8x16xf32>) {
  // expected-error @+1 {{operand and result must agree in all but the last dimension}}
  %y = seq.sum %x : tensor<2x8x16xf32> -> tensor<2x4x4xf32>
  return
}

// -----

func.func @mean_of_heads(%x: tensor<2x8x4x4xf32>) {
  // expected-error @+1 {{operand must be [batch, time, columns], but got 'tensor<2x8x4x4xf32>'}}
  %m = seq.batch_mean %x : tensor<2x8x4x4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @mean_of_other_columns(%x: tensor<2x8x16xf32>) {
  // expected-error @+1 {{result must have type 'tensor<16xf32>', but got 'tensor<8xf32>'}}
  %m = seq.batch_mean %x : tensor<2x8x16xf32> -> tensor<8xf32>
  return
}

// -----

func.func @full_of_numbers() {
  // expected-error @+1 {{result must be [batch, time, columns], but got 'tensor<2x8xf32>'}}
  %y = seq.full 0.5 : tensor<2x8xf32>
  return
}

// -----

func.func @loss_without_time(%l: tensor<8x16xf32>) {
  // expected-error @+1 {{logits must be [batch, time, vocabulary], but got 'tensor<8x16xf32>'}}
  %n = seq.token_loss %l : tensor<8x16xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @loss_of_columns(%l: tensor<2x8x16xf32>, %t: tensor<2x8xi32>) {
  // expected-error @+1 {{result must have type 'tensor<2x8x1xf32>', but got 'tensor<2x8x16xf32>'}}
  %n = seq.token_loss %l of %t : tensor<2x8x16xf32>, tensor<2x8xi32> -> tensor<2x8x16xf32>
  return
}
