// RUN: stretto-opt %s --kern-verify-memory --split-input-file --verify-diagnostics

// Nothing lies in the padding of the last row but what nobody wrote.
func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %w: tensor<13x16xf32> {kern.slot = #kern.slot<inputs, 128, stride 0, parity 0>}) -> (tensor<1x2xf32> {kern.slot = #kern.slot<outputs, 0, stride 0, parity 0>}) {
  %0 = seq.linear %x, %w : tensor<1x2x16xf32>, tensor<13x16xf32> -> tensor<1x2x13xf32> {kern.slots = [#kern.slot<activations, 0, stride 0, parity 0>]}
  %1 = kern.pad %0 : tensor<1x2x13xf32> -> tensor<1x2x16xf32> {kern.slots = [#kern.slot<activations, 0, stride 0, parity 0>]}
  %2 = kern.rowwise(%1) maps [row] {
  ^bb0(%row: tensor<16xf32>):
    %s = seq.reduce max %row : tensor<16xf32> -> tensor<f32>
    kern.yield %s : tensor<f32>
  } {kern.slots = [#kern.slot<outputs, 0, stride 0, parity 0>]} : (tensor<1x2x16xf32>) -> tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}

// -----

// Something else is stored in the padding of the last row while a kernel has yet to read it.
func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %w: tensor<13x16xf32> {kern.slot = #kern.slot<inputs, 128, stride 0, parity 0>}) -> (tensor<1x2xf32> {kern.slot = #kern.slot<outputs, 0, stride 0, parity 0>}) {
  %0 = seq.linear %x, %w : tensor<1x2x16xf32>, tensor<13x16xf32> -> tensor<1x2x13xf32> {kern.slots = [#kern.slot<activations, 0, stride 0, parity 0>]}
  %1 = kern.pad %0 : tensor<1x2x13xf32> -> tensor<1x2x16xf32> {kern.slots = [#kern.slot<activations, 0, stride 0, parity 0>]}
  // expected-note @below {{what lies there was written here}}
  %c = seq.linear %x, %w : tensor<1x2x16xf32>, tensor<13x16xf32> -> tensor<1x2x13xf32> {kern.slots = [#kern.slot<activations, 116, stride 0, parity 0>]}
  // expected-error @below {{does not find operand 0 in iteration 0}}
  %2 = kern.rowwise(%1) maps [row] {
  ^bb0(%row: tensor<16xf32>):
    %s = seq.reduce max %row : tensor<16xf32> -> tensor<f32>
    kern.yield %s : tensor<f32>
  } {kern.slots = [#kern.slot<outputs, 0, stride 0, parity 0>]} : (tensor<1x2x16xf32>) -> tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}

// -----

// Padding takes over what lay there: who reads that later does not find it.
func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %w: tensor<13x16xf32> {kern.slot = #kern.slot<inputs, 128, stride 0, parity 0>}) -> (tensor<1x2x16xf32> {kern.slot = #kern.slot<outputs, 0, stride 0, parity 0>}) {
  %c = kern.copy %x : tensor<1x2x16xf32> {kern.slots = [#kern.slot<activations, 116, stride 0, parity 0>]}
  %0 = seq.linear %x, %w : tensor<1x2x16xf32>, tensor<13x16xf32> -> tensor<1x2x13xf32> {kern.slots = [#kern.slot<activations, 0, stride 0, parity 0>]}
  // expected-note @below {{what lies there was written here}}
  %1 = kern.pad %0 : tensor<1x2x13xf32> -> tensor<1x2x16xf32> {kern.slots = [#kern.slot<activations, 0, stride 0, parity 0>]}
  // expected-error @below {{does not find operand 0 in iteration 0}}
  %2 = kern.copy %c : tensor<1x2x16xf32> {kern.slots = [#kern.slot<outputs, 0, stride 0, parity 0>]}
  return %2 : tensor<1x2x16xf32>
}

// -----

// The wider value lies elsewhere.
func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %w: tensor<13x16xf32> {kern.slot = #kern.slot<inputs, 128, stride 0, parity 0>}) {
  // expected-note @below {{what lies there was written here}}
  %0 = seq.linear %x, %w : tensor<1x2x16xf32>, tensor<13x16xf32> -> tensor<1x2x13xf32> {kern.slots = [#kern.slot<activations, 0, stride 0, parity 0>]}
  // expected-error @below {{is not where its operands are}}
  %1 = kern.pad %0 : tensor<1x2x13xf32> -> tensor<1x2x16xf32> {kern.slots = [#kern.slot<activations, 64, stride 0, parity 0>]}
  return
}
