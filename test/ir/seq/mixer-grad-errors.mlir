// Each rule of the verifiers of the gradients and of the step of linear mixers.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>) {
  // expected-error@+1 {{dq must have shape [2, 70, 16]}}
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x8xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>) {
  // expected-error@+1 {{there is no write to have a gradient}}
  %dq, %dk, %dv, %dw = seq.mixer_grad %v, %q, %q, %v states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> write tensor<2x70x4xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<4xf32>, %s: tensor<2x4x2x12xf32>) {
  // expected-error@+1 {{the gradient of decay must have shape [2, 70, 4]}}
  %dq, %dk, %dv, %dg = seq.mixer_grad %v, %q, %q, %v decay %g : tensor<4xf32> states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> decay tensor<4xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x8x3xf32>, %p: tensor<2x70xi32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{state must have shape [2, 16, 3]}}
  %o, %next = seq.mixer_step %q, %q, %v state %s at %p valid %n heads 4 key_heads 2 scale 0.5 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x8x3xf32>, tensor<2x70xi32>, tensor<2xi32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x16x3xf32>, %p: tensor<2x7xi32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{positions must have shape [2, 70]}}
  %o, %next = seq.mixer_step %q, %q, %v state %s at %p valid %n heads 4 key_heads 2 scale 0.5 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x16x3xf32>, tensor<2x7xi32>, tensor<2xi32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x16x3xf32>, %p: tensor<2x70xi32>, %n: tensor<3xi32>) {
  // expected-error@+1 {{counts must have shape [2]}}
  %o, %next = seq.mixer_step %q, %q, %v state %s at %p valid %n heads 4 key_heads 2 scale 0.5 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x16x3xf32>, tensor<2x70xi32>, tensor<3xi32>
  return
}
