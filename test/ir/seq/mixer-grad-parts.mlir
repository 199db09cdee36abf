// How many parts the gradients of q and k have: those of 16 heads with small states that share keys are added up.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @parts(%q: tensor<1x64x8xf32>, %v: tensor<1x64x128xf32>, %s: tensor<1x64x1x8xf32>) {
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v states %s heads 64 key_heads 2 scale 0.5 segment 64 : tensor<1x64x8xf32>, tensor<1x64x128xf32>, tensor<1x64x1x8xf32> -> tensor<1x64x16xf32>
  return
}

// -----
func.func @parts(%q: tensor<1x64x8xf32>, %v: tensor<1x64x128xf32>, %s: tensor<1x64x1x8xf32>) {
  // expected-error@+1 {{dq must have shape [1, 64, 16]}}
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v states %s heads 64 key_heads 2 scale 0.5 segment 64 : tensor<1x64x8xf32>, tensor<1x64x128xf32>, tensor<1x64x1x8xf32> -> tensor<1x64x8xf32>
  return
}

// -----
func.func @parts(%q: tensor<1x64x8xf32>, %v: tensor<1x64x128xf32>, %s: tensor<1x64x1x8xf32>) {
  // expected-error@+1 {{dq must have shape [1, 64, 16]}}
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v states %s heads 64 key_heads 2 scale 0.5 segment 64 : tensor<1x64x8xf32>, tensor<1x64x128xf32>, tensor<1x64x1x8xf32> -> tensor<1x64x256xf32>
  return
}

// -----
func.func @parts(%q: tensor<1x64x16xf32>, %v: tensor<1x64x128xf32>, %s: tensor<1x16x1x128xf32>) {
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v states %s heads 16 key_heads 1 scale 0.5 segment 64 : tensor<1x64x16xf32>, tensor<1x64x128xf32>, tensor<1x16x1x128xf32> -> tensor<1x64x16xf32>
  return
}

// -----
func.func @parts(%q: tensor<1x64x16xf32>, %v: tensor<1x64x144xf32>, %s: tensor<1x16x1x144xf32>) {
  // expected-error@+1 {{dq must have shape [1, 64, 256]}}
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v states %s heads 16 key_heads 1 scale 0.5 segment 64 : tensor<1x64x16xf32>, tensor<1x64x144xf32>, tensor<1x16x1x144xf32> -> tensor<1x64x16xf32>
  return
}

// -----
func.func @parts(%q: tensor<1x64x4xf32>, %v: tensor<1x64x48xf32>, %s: tensor<1x24x1x8xf32>) {
  // expected-error@+1 {{dq must have shape [1, 64, 96]}}
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v states %s heads 24 key_heads 1 scale 0.5 segment 64 : tensor<1x64x4xf32>, tensor<1x64x48xf32>, tensor<1x24x1x8xf32> -> tensor<1x64x12xf32>
  return
}

// -----
func.func @parts(%q: tensor<1x64x8xf32>, %v: tensor<1x64x32xf32>, %s: tensor<1x16x1x8xf32>) {
  // expected-error@+1 {{dq must have shape [1, 64, 64]}}
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v states %s heads 16 key_heads 2 scale 0.5 segment 64 : tensor<1x64x8xf32>, tensor<1x64x32xf32>, tensor<1x16x1x8xf32> -> tensor<1x64x8xf32>
  return
}
