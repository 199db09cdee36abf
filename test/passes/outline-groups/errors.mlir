// RUN: stretto-opt %s --kern-outline-groups --split-input-file --verify-diagnostics

func.func @rows(%x: tensor<2x8x16xf32>, %y: tensor<4x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<4x8x16xf32>) {
  // expected-note @+1 {{the group begins here}}
  %0 = math.tanh %x {kern.group = 0 : i64} : tensor<2x8x16xf32>
  // expected-error @+1 {{operations of kern.group 0 must run over the same rows}}
  %1 = math.tanh %y {kern.group = 0 : i64} : tensor<4x8x16xf32>
  return %0, %1 : tensor<2x8x16xf32>, tensor<4x8x16xf32>
}

// -----

func.func @matmul(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  // expected-error @+1 {{kern.group must be on row operations, but got 'seq.linear'}}
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32> {kern.group = 0 : i64}
  return %0 : tensor<2x8x16xf32>
}

// -----

// expected-error @+1 {{groups depend on each other in a circle}}
func.func @circle(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = math.tanh %x {kern.group = 0 : i64} : tensor<2x8x16xf32>
  %1 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = arith.mulf %0, %1 {kern.group = 0 : i64} : tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}
