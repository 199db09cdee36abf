// RUN: stretto-opt %s -split-input-file -verify-diagnostics

func.func @count(%p: tensor<4x16xf32>) {
  // expected-error @+1 {{must have a result for each of the partials, at least one, but got 1 and 2}}
  %s:2 = kern.sum_partials %p : tensor<4x16xf32> -> tensor<16xf32>, tensor<16xf32>
  return
}

// -----

func.func @none() {
  // expected-error @+1 {{must have a result for each of the partials, at least one, but got 0 and 0}}
  "kern.sum_partials"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
  return
}

// -----

func.func @shape(%p: tensor<4x16xf32>, %q: tensor<4x16xf32>) {
  // expected-error @+1 {{result 1 must be the partials without their leading dimension, but got 'tensor<4x16xf32>' and 'tensor<4xf32>'}}
  %s:2 = kern.sum_partials %p, %q : tensor<4x16xf32>, tensor<4x16xf32> -> tensor<16xf32>, tensor<4xf32>
  return
}

// -----

func.func @type(%p: tensor<4x16xf32>) {
  // expected-error @+1 {{result 0 must be the partials without their leading dimension, but got 'tensor<4x16xf32>' and 'tensor<16xf64>'}}
  %s = kern.sum_partials %p : tensor<4x16xf32> -> tensor<16xf64>
  return
}

// -----

func.func @several(%p: tensor<4x16xf32>, %a: tensor<16xf32>) {
  // expected-error @+1 {{must add to an accumulator as the only sum, but got 2 sums}}
  %s:2 = kern.sum_partials %p, %p accumulate %a : tensor<16xf32> : tensor<4x16xf32>, tensor<4x16xf32> -> tensor<16xf32>, tensor<16xf32>
  return
}

// -----

func.func @accumulator(%p: tensor<4x16xf32>, %a: tensor<4xf32>) {
  // expected-error @+1 {{accumulator must have the type of the result, but got 'tensor<4xf32>'}}
  %s = kern.sum_partials %p accumulate %a : tensor<4xf32> : tensor<4x16xf32> -> tensor<16xf32>
  return
}
