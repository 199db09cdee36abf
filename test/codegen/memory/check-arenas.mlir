// Slots lie within the arenas of the module, numbers at multiples of their size.
// RUN: stretto-opt %s --kern-verify-memory --split-input-file --verify-diagnostics

module attributes {kern.arenas = array<i64: 256, 1024, 0, 0, 0, 0, 1280, 128, 0, 0, 0, 0, 0, 0>} {
func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %w: tensor<16x16xf32> {kern.slot = #kern.slot<inputs, 128, stride 0, parity 0>}) -> (tensor<1x2x16xf32> {kern.slot = #kern.slot<outputs, 0, stride 0, parity 0>}) {
  // expected-error @below {{must have the slot of result 0 within the 256 bytes of the arena activations, as kern.arenas says, but it has the bytes 192 to 320}}
  %a = seq.linear %x, %w : tensor<1x2x16xf32>, tensor<16x16xf32> -> tensor<1x2x16xf32> {kern.slots = [#kern.slot<activations, 192, stride 0, parity 0>]}
  %b = seq.linear %a, %w : tensor<1x2x16xf32>, tensor<16x16xf32> -> tensor<1x2x16xf32> {kern.slots = [#kern.slot<outputs, 0, stride 0, parity 0>]}
  return %b : tensor<1x2x16xf32>
}
}

// -----

module attributes {kern.arenas = array<i64: 256, 1024, 0, 0, 0, 0, 128, 128, 0, 0, 0, 0, 0, 0>} {
// expected-error @below {{must have the slot of argument 0 within the 128 bytes of the arena inputs, as kern.arenas says, but it has the bytes -64 to 64}}
func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, -64, stride 0, parity 0>}) {
  return
}
}

// -----

module attributes {kern.arenas = array<i64: 256, 1024, 0, 0, 0, 0, 1152, 64, 0, 0, 0, 0, 0, 0>} {
// expected-error @below {{must have the slot of result 0 within the 64 bytes of the arena outputs, as kern.arenas says, but it has the bytes 0 to 128}}
func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) -> (tensor<1x2x16xf32> {kern.slot = #kern.slot<outputs, 0, stride 0, parity 0>}) {
  return %x : tensor<1x2x16xf32>
}
}

// -----

module attributes {kern.arenas = array<i64: 256, 1024, 0, 0, 0, 0, 1152, 128, 0, 0, 0, 0, 0, 0>} {
// expected-error @below {{must have the slot of argument 0 at a multiple of 4 in the arena inputs, but it is at 2}}
func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 2, stride 0, parity 0>}) {
  return
}
}

// -----

// Of all layers the last one ends behind the arena.
module attributes {kern.arenas = array<i64: 256, 1024, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} {
// expected-error @below {{must have its slot within the 1024 bytes of the arena parameters, as kern.arenas says, but it has the bytes 0 to 1088}}
seq.parameter @w parts [#seq.part<"layers.{}.w", 8, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<2x8x16xf32> {kern.slot = #kern.slot<parameters, 0, stride 576, parity 0>}
}

// -----

module attributes {kern.arenas = array<i64: 256, 1024, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} {
// expected-error @below {{must have its slot at a multiple of 64 in the arena parameters, but it is at 32}}
seq.parameter @w parts [#seq.part<"w", 8, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<8x16xf32> {kern.slot = #kern.slot<parameters, 32, stride 0, parity 0>}
}

// -----

// Each of these numbers is too large to compute with.
module attributes {kern.arenas = array<i64: 256, 1024, 0, 0, 0, 0, 1152, 128, 0, 0, 0, 0, 0, 0>} {
// expected-error @below {{must have the slot of argument 0 within the 1152 bytes of the arena inputs, as kern.arenas says, but its offset is 9223372036854775744 and its stride 0}}
func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 9223372036854775744, stride 0, parity 0>}) {
  return
}
}

// -----

module attributes {kern.arenas = array<i64: 256, 1024, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} {
// expected-error @below {{must have its slot within the 1024 bytes of the arena parameters, as kern.arenas says, but its offset is 0 and its stride 4611686018427387904}}
seq.parameter @w parts [#seq.part<"layers.{}.w", 2, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<5x2x16xf32> {kern.slot = #kern.slot<parameters, 0, stride 4611686018427387904, parity 0>}
}

// -----

// The second layer is at no multiple.
module attributes {kern.arenas = array<i64: 256, 2048, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} {
// expected-error @below {{must have its slot at a multiple of 64 in the arena parameters, but its stride is 514}}
seq.parameter @w parts [#seq.part<"layers.{}.w", 8, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<2x8x16xf32> {kern.slot = #kern.slot<parameters, 0, stride 514, parity 0>}
}

// -----

// The middle one of three iterations is at no multiple.
module attributes {kern.arenas = array<i64: 1024, 1024, 0, 0, 0, 0, 1152, 128, 0, 0, 0, 0, 0, 0>} {
// expected-error @below {{must have the slot of argument 0 at a multiple of 4 in the arena activations, but its stride is 130}}
func.func private @layer(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<activations, 0, stride 130, parity 0>}) -> tensor<1x2x16xf32> {
  return %x : tensor<1x2x16xf32>
}
func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) -> (tensor<1x2x16xf32> {kern.slot = #kern.slot<outputs, 0, stride 0, parity 0>}) {
  %y = seq.scan @layer trips 3 carry(%x) slices() invariants() {kern.slots = [#kern.slot<outputs, 0, stride 0, parity 0>]} : (tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  return %y : tensor<1x2x16xf32>
}
}
