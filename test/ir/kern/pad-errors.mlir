// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @narrower(%x: tensor<2x8x16xf32>) {
  // expected-error @below {{result must be the operand with more columns, but got 'tensor<2x8x16xf32>' and 'tensor<2x8x16xf32>'}}
  %0 = kern.pad %x : tensor<2x8x16xf32> -> tensor<2x8x16xf32>
  return
}

// -----

func.func @rows(%x: tensor<2x8x13xf32>) {
  // expected-error @below {{result must be the operand with more columns}}
  %0 = kern.pad %x : tensor<2x8x13xf32> -> tensor<2x9x16xf32>
  return
}

// -----

func.func @types(%x: tensor<2x8x13xf32>) {
  // expected-error @below {{result must be the operand with more columns}}
  %0 = kern.pad %x : tensor<2x8x13xf32> -> tensor<2x8x16xbf16>
  return
}

// -----

func.func @number(%x: tensor<f32>) {
  // expected-error @below {{result must be the operand with more columns}}
  %0 = kern.pad %x : tensor<f32> -> tensor<16xf32>
  return
}
