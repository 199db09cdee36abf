// Which types operations take beside each other.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

seq.parameter @w parts [#seq.part<"w", 32, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<32x16xf32>
func.func @rounded(%x: tensor<2x8x16xbf16>, %dy: tensor<2x8x32xbf16>) -> (tensor<2x8x32xf32>, tensor<32x16xf32>) {
  %w = seq.get_parameter @w rounded : tensor<32x16xbf16>
  %y = seq.linear %x, %w : tensor<2x8x16xbf16>, tensor<32x16xbf16> -> tensor<2x8x32xf32>
  %dw = seq.linear_weight_grad %dy, %x : tensor<2x8x32xbf16>, tensor<2x8x16xbf16> -> tensor<32x16xf32>
  return %y, %dw : tensor<2x8x32xf32>, tensor<32x16xf32>
}

// -----
func.func @mixed(%x: tensor<2x8x16xbf16>, %w: tensor<32x16xf32>) {
  // expected-error@+1 {{operands must be of one type, but got 'tensor<2x8x16xbf16>' and 'tensor<32x16xf32>'}}
  %y = seq.linear %x, %w : tensor<2x8x16xbf16>, tensor<32x16xf32> -> tensor<2x8x32xbf16>
  return
}

// -----
func.func @narrow(%x: tensor<2x8x16xf32>, %w: tensor<32x16xf32>) {
  // expected-error@+1 {{result must be of type 'f32', but got 'tensor<2x8x32xbf16>'}}
  %y = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xbf16>
  return
}

// -----
func.func @wide(%dy: tensor<2x8x32xbf16>, %w: tensor<32x16xbf16>) {
  // expected-error@+1 {{result must be of type 'bf16' or f32, but got 'tensor<2x8x16xf64>'}}
  %dx = seq.linear_input_grad %dy, %w : tensor<2x8x32xbf16>, tensor<32x16xbf16> -> tensor<2x8x16xf64>
  return
}

// -----
func.func @weight_grad(%dy: tensor<2x8x32xbf16>, %x: tensor<2x8x16xbf16>) {
  // expected-error@+1 {{result must be of type 'f32', but got 'tensor<32x16xf64>'}}
  %dw = seq.linear_weight_grad %dy, %x : tensor<2x8x32xbf16>, tensor<2x8x16xbf16> -> tensor<32x16xf64>
  return
}

// -----
func.func @residual(%x: tensor<2x8x16xbf16>, %w: tensor<16x16xbf16>) {
  // expected-error@+1 {{residual and result have one type}}
  %y = "seq.linear"(%x, %w, %x) : (tensor<2x8x16xbf16>, tensor<16x16xbf16>, tensor<2x8x16xbf16>) -> tensor<2x8x16xf32>
  return
}

// -----
func.func @lse(%q: tensor<2x8x16xf64>) {
  // expected-error@+1 {{lse must be of type 'f64', but got 'tensor<2x4x8xf32>'}}
  %o, %lse = seq.attention %q, %q, %q heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf64>, tensor<2x8x16xf64>, tensor<2x8x16xf64> -> tensor<2x8x16xf64>, tensor<2x4x8xf32>
  return
}

// -----
func.func @lse_of_grad(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xf32>, %lse: tensor<2x4x8xf32>) {
  // expected-error@+1 {{operands must be of one type}}
  %dq, %dk, %dv = seq.attention_grad %q, %q, %k, %k, %q, %lse heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xbf16>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xbf16>, tensor<2x4x8xf32>
  return
}

// -----
func.func @table(%t: tensor<2x8xi32>, %w: tensor<32x16xf32>) {
  // expected-error@+1 {{table and result must be of one type}}
  %x = seq.embed %t, %w : tensor<2x8xi32>, tensor<32x16xf32> -> tensor<2x8x16xbf16>
  return
}

// -----
func.func @table_grad(%t: tensor<2x8xi32>, %dx: tensor<2x8x16xbf16>) {
  // expected-error@+1 {{result must be of type 'f32', but got 'tensor<32x16xf64>'}}
  %dw = seq.embed_grad %t, %dx : tensor<2x8xi32>, tensor<2x8x16xbf16> -> tensor<32x16xf64>
  return
}

// -----
// expected-note@+1 {{declared here with type 'tensor<32x16xf32>'}}
seq.parameter @w parts [#seq.part<"w", 32, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<32x16xf32>
func.func @parameter() {
  // expected-error@+1 {{must have the type of the parameter in bf16, but got 'tensor<32x16xf32>'}}
  %w = seq.get_parameter @w rounded : tensor<32x16xf32>
  return
}

// -----
func.func @reads(%x: tensor<2x8x16xbf16>) {
  %y = kern.rowwise(%x) maps [row] {
  ^bb0(%row: tensor<16xbf16>):
    // expected-error@+1 {{must not compute in bf16: operands are extended by arith.extf, results rounded by arith.truncf}}
    %0 = arith.addf %row, %row : tensor<16xbf16>
    kern.yield %0 : tensor<16xbf16>
  } : (tensor<2x8x16xbf16>) -> tensor<2x8x16xbf16>
  return
}

// -----
func.func @passes(%x: tensor<2x8x16xbf16>) -> (tensor<2x8x16xbf16>, tensor<2x8x16xf32>) {
  %y:2 = kern.rowwise(%x) maps [row] {
  ^bb0(%row: tensor<16xbf16>):
    %0 = arith.extf %row : tensor<16xbf16> to tensor<16xf32>
    kern.yield %row, %0 : tensor<16xbf16>, tensor<16xf32>
  } : (tensor<2x8x16xbf16>) -> (tensor<2x8x16xbf16>, tensor<2x8x16xf32>)
  return %y#0, %y#1 : tensor<2x8x16xbf16>, tensor<2x8x16xf32>
}
