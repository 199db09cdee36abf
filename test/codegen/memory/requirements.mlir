// RUN: stretto-opt %s --split-input-file --kern-verify-memory --verify-diagnostics

// expected-error @+1 {{'seq.parameter' op needs the attribute kern.slot, which kern-plan-memory gives}}
seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>

// -----

// expected-error @+1 {{'func.func' op needs the attribute kern.slot on argument 0, which kern-plan-memory gives}}
func.func @gradients(%x: tensor<1x2x16xf32>) {
  return
}

// -----

// expected-error @+1 {{'func.func' op needs the attribute kern.slot on result 0, which kern-plan-memory gives}}
func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) -> tensor<1x2x16xf32> {
  return %x : tensor<1x2x16xf32>
}

// -----

func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) {
  // expected-error @+1 {{'math.exp' op needs the attribute kern.slots, which kern-plan-memory gives}}
  %0 = math.exp %x : tensor<1x2x16xf32>
  // An operation without results needs none.
  return
}

// -----

func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) {
  // expected-error @+1 {{'math.exp' op needs a slot for each of 1 results in kern.slots, but got []}}
  %0 = math.exp %x {kern.slots = []} : tensor<1x2x16xf32>
  return
}
