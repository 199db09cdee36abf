// Tensors without elements, or with more than can be counted.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @unknown(%x: tensor<?x8x16xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 1 to 2^48 elements of 32-bit float or 64-bit float values, but got 'tensor<?x8x16xf32>'}}
  %0 = seq.sigmoid %x : tensor<?x8x16xf32>
  return
}

// -----

func.func @none(%x: tensor<2x8x0xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 1 to 2^48 elements}}
  %0 = seq.reduce add %x : tensor<2x8x0xf32> -> tensor<2x8xf32>
  return
}

// -----

// expected-error @+1 {{type attribute of ranked tensor of 1 to 2^48 elements of 32-bit float or 64-bit float values}}
seq.parameter @w parts [] : tensor<0x16xf32>

// -----

func.func @countless(%x: tensor<16777216x16777217xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 1 to 2^48 elements}}
  %0 = kern.copy %x : tensor<16777216x16777217xf32>
  return
}

// -----

func.func @many(%x: tensor<16777216x16777216xf32>) {
  %0 = kern.copy %x : tensor<16777216x16777216xf32>
  return
}
