// RUN: stretto-opt %s --split-input-file --verify-diagnostics

// What a loop over layers is given has the types that its body has, one entry for each trip.

func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // expected-error @+1 {{names no function: @layer}}
  %0 = seq.scan @layer trips 4 carry(%x) slices() invariants() : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

// expected-note @+1 {{its body returns 1 values}}
func.func private @layer(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
func.func @main(%x: tensor<2x8x16xf32>) {
  // expected-error @+1 {{must return each carried value, but got 0 results}}
  seq.scan @layer trips 4 carry(%x) slices() invariants() : (tensor<2x8x16xf32>) -> ()
  return
}

// -----

func.func private @layer(%x: tensor<2x8x16xf32>, %w: tensor<16xf32>) -> tensor<2x8x16xf32>
func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<3x16xf32>) -> tensor<2x8x16xf32> {
  // expected-note @+1 {{the slice is made here}}
  %g = arith.addf %w, %w : tensor<3x16xf32>
  // expected-error @+1 {{slices must lead with the number of trips (4), but got 'tensor<3x16xf32>'}}
  %0 = seq.scan @layer trips 4 carry(%x) slices(%g) invariants() : (tensor<2x8x16xf32>, tensor<3x16xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

func.func private @layer(%x: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8xf32>)
func.func @main(%x: tensor<2x8x16xf32>) -> tensor<3x2x8xf32> {
  // expected-error @+1 {{stacked results must lead with the number of trips (4), but got 'tensor<3x2x8xf32>'}}
  %0, %1 = seq.scan @layer trips 4 carry(%x) slices() invariants() : (tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<3x2x8xf32>)
  return %1 : tensor<3x2x8xf32>
}

// -----

// expected-note @+1 {{declared here with type '(tensor<2x8x16xf32>, tensor<8xf32>) -> tensor<2x8x16xf32>'}}
func.func private @layer(%x: tensor<2x8x16xf32>, %w: tensor<8xf32>) -> tensor<2x8x16xf32>
func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<4x16xf32>) -> tensor<2x8x16xf32> {
  // expected-error @+1 {{body must have type '(tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>'}}
  %0 = seq.scan @layer trips 4 carry(%x) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<4x16xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

// expected-note @+1 {{only declared here}}
func.func private @layer(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // expected-error @+1 {{must call a function that has a body: @layer}}
  %0 = seq.scan @layer trips 4 carry(%x) slices() invariants() : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
