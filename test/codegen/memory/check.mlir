// RUN: stretto-opt %s --kern-verify-memory --split-input-file --verify-diagnostics

// The second result is stored where the first one still lies.
func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %w: tensor<16x16xf32> {kern.slot = #kern.slot<inputs, 128, stride 0, parity 0>}) -> (tensor<1x2x16xf32> {kern.slot = #kern.slot<outputs, 0, stride 0, parity 0>}) {
  %a = seq.linear %x, %w : tensor<1x2x16xf32>, tensor<16x16xf32> -> tensor<1x2x16xf32> {kern.slots = [#kern.slot<activations, 0, stride 0, parity 0>]}
  // expected-note @below {{what lies there was written here}}
  %b = seq.linear %x, %w : tensor<1x2x16xf32>, tensor<16x16xf32> -> tensor<1x2x16xf32> {kern.slots = [#kern.slot<activations, 64, stride 0, parity 0>]}
  // expected-error @below {{does not find operand 0 in iteration 0}}
  %c = seq.linear %a, %w : tensor<1x2x16xf32>, tensor<16x16xf32> -> tensor<1x2x16xf32> {kern.slots = [#kern.slot<outputs, 0, stride 0, parity 0>]}
  return %c : tensor<1x2x16xf32>
}

// -----

// A matmul may write over what it adds, but not further on.
func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %w: tensor<16x16xf32> {kern.slot = #kern.slot<inputs, 128, stride 0, parity 0>}) -> (tensor<1x2x16xf32> {kern.slot = #kern.slot<activations, 64, stride 0, parity 0>}) {
  %a = seq.linear %x, %w : tensor<1x2x16xf32>, tensor<16x16xf32> -> tensor<1x2x16xf32> {kern.slots = [#kern.slot<activations, 0, stride 0, parity 0>]}
  // expected-note @below {{the operand is computed here}}
  %b = seq.linear %x, %w add %a : tensor<1x2x16xf32>, tensor<16x16xf32> -> tensor<1x2x16xf32> {kern.slots = [#kern.slot<activations, 0, stride 0, parity 0>]}
  // expected-error @below {{stores result 0 over operand 2}}
  %c = seq.linear %x, %w add %b : tensor<1x2x16xf32>, tensor<16x16xf32> -> tensor<1x2x16xf32> {kern.slots = [#kern.slot<activations, 64, stride 0, parity 0>]}
  return %c : tensor<1x2x16xf32>
}

// -----

// A tap looks at rows that the kernel has overwritten.
// expected-note @below {{the operand is computed here}}
func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) -> (tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) {
  // expected-error @below {{stores result 0 over operand 0}}
  %y = kern.rowwise(%x) maps [row] {
  ^bb0(%r: tensor<16xf32>):
    %0 = seq.tap %r by -1 : tensor<16xf32>
    kern.yield %0 : tensor<16xf32>
  } {kern.slots = [#kern.slot<inputs, 0, stride 0, parity 0>]} : (tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  return %y : tensor<1x2x16xf32>
}
