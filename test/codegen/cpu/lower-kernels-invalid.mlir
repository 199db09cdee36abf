// RUN: stretto-opt %s -kern-lower-kernels -split-input-file -verify-diagnostics

func.func @unnamed(%p: tensor<4x32xf32>) {
  // expected-error @+1 {{needs a kernel name to become code}}
  %s = kern.sum_partials %p : tensor<4x32xf32> -> tensor<32xf32>
  return
}

// -----

func.func @twice(%p: tensor<4x32xf32>) {
  // expected-note @+1 {{first given here}}
  %s = kern.sum_partials kernel "sum" %p : tensor<4x32xf32> -> tensor<32xf32>
  // expected-error @+1 {{kernel name must be unique, but got sum twice}}
  %t = kern.sum_partials kernel "sum" %p : tensor<4x32xf32> -> tensor<32xf32>
  return
}

// -----

func.func @unscheduled(%x: tensor<1x16x32xf32>) {
  // expected-error @+1 {{needs a schedule with vectors to become code}}
  %y = kern.rowwise kernel "k"(%x) maps [row] {
  ^bb0(%a: tensor<32xf32>):
    kern.yield %a : tensor<32xf32>
  } : (tensor<1x16x32xf32>) -> tensor<1x16x32xf32>
  return
}

// -----

func.func @heads_in_two_strips(%x: tensor<1x16x32xf32>) {
  // expected-error @+1 {{cannot walk strips of 24 columns in 1 pieces: columns of two strips meet}}
  %y = kern.rowwise kernel "k"(%x) maps [row] schedule #kern.vector_schedule<rows 2, lanes 16, chunk 8, pieces 1, strip 24> {
  ^bb0(%a: tensor<32xf32>):
    %0 = seq.permute half_split %a rotated 32 : tensor<32xf32>
    %1 = arith.addf %0, %a : tensor<32xf32>
    kern.yield %1 : tensor<32xf32>
  } : (tensor<1x16x32xf32>) -> tensor<1x16x32xf32>
  return
}

// -----

func.func @unsplit(%x: tensor<1x16x32xf32>) {
  // expected-error @+1 {{column sums must be split into partial sums to become code}}
  %y = kern.rowwise kernel "k"(%x) maps [row] schedule #kern.vector_schedule<rows 2, lanes 16, chunk 8> {
  ^bb0(%a: tensor<32xf32>):
    %0 = seq.column_sum %a : tensor<32xf32> -> tensor<32xf32>
    kern.yield %0 : tensor<32xf32>
  } : (tensor<1x16x32xf32>) -> tensor<32xf32>
  return
}

// -----

func.func @constant(%x: tensor<1x16x2xf32>) {
  %y = kern.rowwise kernel "k"(%x) maps [row] schedule #kern.vector_schedule<rows 2, lanes 16, chunk 8> {
  ^bb0(%a: tensor<2xf32>):
    // expected-error @+1 {{constant of a fused kernel must have one value, but got 'tensor<2xf32>'}}
    %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = arith.addf %a, %c : tensor<2xf32>
    kern.yield %0 : tensor<2xf32>
  } : (tensor<1x16x2xf32>) -> tensor<1x16x2xf32>
  return
}

// -----

func.func @dropout(%x: tensor<1x16x2xf32>) {
  %y = kern.rowwise kernel "k"(%x) maps [row] schedule #kern.vector_schedule<rows 2, lanes 16, chunk 8> {
  ^bb0(%a: tensor<2xf32>):
    %c = arith.constant dense<1.0> : tensor<2xf32>
    // expected-error @+1 {{'seq.dropout' op needs keys, which seq-give-dropout-keys gives to entries of training}}
    %0 = seq.dropout %a at %c rate 0.1 : tensor<2xf32>
    kern.yield %0 : tensor<2xf32>
  } : (tensor<1x16x2xf32>) -> tensor<1x16x2xf32>
  return
}

// -----

func.func @main(%x: tensor<3x64x32xf32>) -> tensor<3x64x32xf32> {
  // expected-error @+1 {{'kern.walk' op is a kernel that this target has no code for}}
  %y = kern.walk kernel "main.walk0"(%x) windows [<rows 2>] -> [<rows 2>] programs 2 chunk 16 span 4 {
  ^bb0(%rows: tensor<16x16xf32>):
    %0 = arith.addf %rows, %rows : tensor<16x16xf32>
    kern.yield %0 : tensor<16x16xf32>
  } : (tensor<3x64x32xf32>) -> tensor<3x64x32xf32>
  return %y : tensor<3x64x32xf32>
}
