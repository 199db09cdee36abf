// The rules of linear mixers hold for their gradients and steps.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>) {
  // expected-error@+1 {{key_heads must divide heads, but got 3 and 4}}
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v states %s heads 4 key_heads 3 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>) {
  // expected-error@+1 {{segment must be a multiple of 64, but got 32}}
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v states %s heads 4 key_heads 2 scale 0.5 segment 32 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>, %g: tensor<2x70x5xf32>) {
  // expected-error@+1 {{decay must have 4 or 16 columns}}
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v decay %g : tensor<2x70x5xf32> states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>, %g: tensor<2x70x4xf32>) {
  // expected-error@+1 {{beta says what write and erase are}}
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v write %g : tensor<2x70x4xf32> beta %g : tensor<2x70x4xf32> states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>, %at: tensor<2x69xi32>) {
  // expected-error@+1 {{positions must have shape [2, 70]}}
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v positions %at : tensor<2x69xi32> states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x16x3xf64>, %p: tensor<2x70xi32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{state must consist of 'f32' beside rows of 'f32'}}
  %o, %next = seq.mixer_step %q, %q, %v state %s at %p valid %n heads 4 key_heads 2 scale 0.5 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x16x3xf64>, tensor<2x70xi32>, tensor<2xi32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x16x3xf32>, %p: tensor<2x70xi32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{key_heads must divide heads, but got 3 and 4}}
  %o, %next = seq.mixer_step %q, %q, %v state %s at %p valid %n heads 4 key_heads 3 scale 0.5 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x16x3xf32>, tensor<2x70xi32>, tensor<2xi32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x16x3xf32>, %p: tensor<2x70xi32>, %n: tensor<2xi32>, %g: tensor<2x70x5xf32>) {
  // expected-error@+1 {{decay must have 4 or 16 columns}}
  %o, %next = seq.mixer_step %q, %q, %v decay %g : tensor<2x70x5xf32> state %s at %p valid %n heads 4 key_heads 2 scale 0.5 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x16x3xf32>, tensor<2x70xi32>, tensor<2xi32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x16x3xf32>, %p: tensor<2x70xi32>, %n: tensor<2xi32>, %g: tensor<2x70x4xf32>) {
  // expected-error@+1 {{beta says what write and erase are}}
  %o, %next = seq.mixer_step %q, %q, %v write %g : tensor<2x70x4xf32> beta %g : tensor<2x70x4xf32> state %s at %p valid %n heads 4 key_heads 2 scale 0.5 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x16x3xf32>, tensor<2x70xi32>, tensor<2xi32>
  return
}
