// RUN: stretto-translate --stretto-to-pytorch --split-input-file --verify-diagnostics %s

// expected-error @+1 {{a model must have a function @main to have a PyTorch form}}
module {}

// -----

func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8xf32> {
  // expected-error @+1 {{the operation has no PyTorch form}}
  %0 = seq.reduce add %x : tensor<2x8x16xf32> -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// -----

func.func @main() -> tensor<2x8x16xf32> {
  // expected-error @+1 {{only numbers in arithmetic with tensors have a PyTorch form}}
  %0 = arith.constant dense<1.0> : tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

func.func @main(%x: tensor<2x8xf32>) -> tensor<2x8x16xf32> {
  // expected-error @+1 {{only broadcasts of the last dimensions have a PyTorch form}}
  %0 = seq.broadcast %x dims [0, 1] : tensor<2x8xf32> -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

func.func @main(%q: tensor<2x8x16xf32>) -> tensor<2x4x8xf32> {
  // expected-error @+1 {{the log-sum-exp of attention has no PyTorch form}}
  %0, %1 = seq.attention %q, %q, %q heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// -----

seq.parameter @w parts [#seq.part<"a", 8, <constant, 1.0 : f64, 0.0 : f64>>, #seq.part<"b", 8, <constant, 1.0 : f64, 0.0 : f64>>] : tensor<16xf32>
func.func @main() -> tensor<16xf32> {
  // expected-error @+1 {{a parameter must have one part to have a PyTorch form, but got 2}}
  %0 = seq.get_parameter @w : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

seq.parameter @w parts [#seq.part<"layers.{}.a", 16, <constant, 1.0 : f64, 0.0 : f64>>] stacked : tensor<2x16xf32>
func.func @main() -> tensor<2x16xf32> {
  // expected-error @+1 {{a stacked parameter must be read by scans only to have a PyTorch form}}
  %0 = seq.get_parameter @w : tensor<2x16xf32>
  // expected-note @+1 {{read here}}
  return %0 : tensor<2x16xf32>
}

// -----

func.func private @body(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  return %x : tensor<2x8x16xf32>
}
func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // expected-error @+1 {{a scan that is reversed or stacks results has no PyTorch form}}
  %0 = seq.scan @body trips 2 reverse carry(%x) slices() invariants() : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

// A library operation for which there is no helper of its name.
func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  // expected-error @+1 {{the operation has no PyTorch form}}
  %0 = seq.linear_input_grad %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
