// RUN: stretto-opt %s --kern-fuse-sums -split-input-file -verify-diagnostics

func.func private @read(%p: tensor<4x16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  // expected-error @+1 {{must not be read before the last sum of its launch}}
  %a = kern.sum_partials kernel "a" %p : tensor<4x16xf32> -> tensor<16xf32> {kern.fused_sum = 0 : i64}
  // expected-note @+1 {{read here}}
  %copy = kern.copy %a : tensor<16xf32>
  // expected-note @+1 {{the last sum}}
  %b = kern.sum_partials kernel "b" %p : tensor<4x16xf32> -> tensor<16xf32> {kern.fused_sum = 0 : i64}
  return %copy, %b : tensor<16xf32>, tensor<16xf32>
}

// -----

func.func private @accumulate(%p: tensor<4x16xf32>, %s: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @+1 {{must be a kern.sum_partials without an accumulator to share a launch}}
  %a = kern.sum_partials kernel "a" %p accumulate %s : tensor<16xf32> : tensor<4x16xf32> -> tensor<16xf32> {kern.fused_sum = 0 : i64}
  return %a : tensor<16xf32>
}

// -----

func.func private @other(%x: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @+1 {{must be a kern.sum_partials without an accumulator to share a launch}}
  %a = kern.copy %x : tensor<16xf32> {kern.fused_sum = 0 : i64}
  return %a : tensor<16xf32>
}
