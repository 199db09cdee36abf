// What row operations refuse.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @reduce_wider(%x: tensor<2x8x16xf32>) {
  // expected-error @+1 {{operand and result must be of one type, but got 'tensor<2x8x16xf32>' and 'tensor<2x8xf64>'}}
  %y = seq.reduce add %x : tensor<2x8x16xf32> -> tensor<2x8xf64>
  return
}

// -----

func.func @column_sum_wider(%x: tensor<2x8x16xf32>) {
  // expected-error @+1 {{operand and result must be of one type, but got 'tensor<2x8x16xf32>' and 'tensor<16xf64>'}}
  %y = seq.column_sum %x : tensor<2x8x16xf32> -> tensor<16xf64>
  return
}

// -----

func.func @slice_behind(%x: tensor<2x8x16xf32>) {
  // expected-error @+1 {{columns must lie within 16, but got 8 at 9}}
  %y = seq.slice %x at 9 : tensor<2x8x16xf32> -> tensor<2x8x8xf32>
  return
}

// -----

func.func @slice_far_behind(%x: tensor<2x8x16xf32>) {
  // expected-error @+1 {{columns must lie within 16, but got 8 at 9223372036854775807}}
  %y = seq.slice %x at 9223372036854775807 : tensor<2x8x16xf32> -> tensor<2x8x8xf32>
  return
}

// -----

func.func @numbers_of_other_layers() {
  // expected-error @+1 {{result must be [layers, 1] with a number for each layer, but got 'tensor<3x1xf32>' and 2 numbers}}
  %n = seq.layer_numbers [1.0, 0.5] : tensor<3x1xf32>
  return
}

// -----

func.func @numbers_in_a_row() {
  // expected-error @+1 {{result must be [layers, 1] with a number for each layer, but got 'tensor<2xf32>' and 2 numbers}}
  %n = seq.layer_numbers [1.0, 0.5] : tensor<2xf32>
  return
}

// -----

func.func @everything_dropped(%x: tensor<2x8x16xf32>) {
  // expected-error @+1 {{rate must be at least 0 and less than 1, but got 1.000000e+00}}
  %y = seq.dropout %x at %x rate 1.0 : tensor<2x8x16xf32>
  return
}

// -----

func.func @keys_of_other_rows(%x: tensor<2x8x16xf32>, %keys: tensor<2x8x1xi32>) {
  // expected-error @+1 {{all non-scalar operands/results must have the same shape and base type}}
  %y = seq.dropout %x at %x keys %keys rate 0.1 : tensor<2x8x16xf32>, tensor<2x8x1xi32>
  return
}
