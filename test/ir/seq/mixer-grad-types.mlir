// Shapes and types of the gradients of linear mixers.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x1x12xf32>) {
  // expected-error@+1 {{states must have shape [2, 4, 2, 12]}}
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x1x12xf32> -> tensor<2x70x16xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf64>) {
  // expected-error@+1 {{states must consist of 'f32' beside rows of 'f32'}}
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf64> -> tensor<2x70x16xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>) {
  // expected-error@+1 {{dq must consist of 'f32' beside rows of 'f32'}}
  %dq, %dk, %dv = seq.mixer_grad %v, %q, %q, %v states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf64>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>) {
  // expected-error@+1 {{there is no beta to have a gradient}}
  %dq, %dk, %dv, %d = seq.mixer_grad %v, %q, %q, %v states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> beta tensor<2x70x4xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>) {
  // expected-error@+1 {{there is no erase to have a gradient}}
  %dq, %dk, %dv, %d = seq.mixer_grad %v, %q, %q, %v states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> erase tensor<2x70x16xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>) {
  // expected-error@+1 {{there is no erase_write to have a gradient}}
  %dq, %dk, %dv, %d = seq.mixer_grad %v, %q, %q, %v states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> erase_write tensor<2x70x16xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>) {
  // expected-error@+1 {{there is no decay to have a gradient}}
  %dq, %dk, %dv, %d = seq.mixer_grad %v, %q, %q, %v states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> decay tensor<2x70x4xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>, %x: tensor<2x70x4xf32>) {
  // expected-error@+1 {{the gradient of write must have shape [2, 70, 4]}}
  %dq, %dk, %dv, %d = seq.mixer_grad %v, %q, %q, %v write %x : tensor<2x70x4xf32> states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> write tensor<2x70x5xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>, %x: tensor<2x70x4xf32>) {
  // expected-error@+1 {{the gradient of write must consist of 'f32' beside rows of 'f32'}}
  %dq, %dk, %dv, %d = seq.mixer_grad %v, %q, %q, %v write %x : tensor<2x70x4xf32> states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> write tensor<2x70x4xf64>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>, %x: tensor<2x70x4xf32>) {
  // expected-error@+1 {{the gradient of beta must have shape [2, 70, 4]}}
  %dq, %dk, %dv, %d = seq.mixer_grad %v, %q, %q, %v beta %x : tensor<2x70x4xf32> states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> beta tensor<2x70x5xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>, %x: tensor<2x70x4xf32>) {
  // expected-error@+1 {{the gradient of beta must consist of 'f32' beside rows of 'f32'}}
  %dq, %dk, %dv, %d = seq.mixer_grad %v, %q, %q, %v beta %x : tensor<2x70x4xf32> states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> beta tensor<2x70x4xf64>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>, %x: tensor<2x70x16xf32>) {
  // expected-error@+1 {{the gradient of erase must have shape [2, 70, 16]}}
  %dq, %dk, %dv, %d = seq.mixer_grad %v, %q, %q, %v erase %x : tensor<2x70x16xf32> states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> erase tensor<2x70x5xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>, %x: tensor<2x70x16xf32>) {
  // expected-error@+1 {{the gradient of erase must consist of 'f32' beside rows of 'f32'}}
  %dq, %dk, %dv, %d = seq.mixer_grad %v, %q, %q, %v erase %x : tensor<2x70x16xf32> states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> erase tensor<2x70x16xf64>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>, %x: tensor<2x70x16xf32>) {
  // expected-error@+1 {{the gradient of erase_write must have shape [2, 70, 16]}}
  %dq, %dk, %dv, %d = seq.mixer_grad %v, %q, %q, %v erase %x : tensor<2x70x16xf32> erase_write %x : tensor<2x70x16xf32> states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> erase_write tensor<2x70x5xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %s: tensor<2x4x2x12xf32>, %x: tensor<2x70x16xf32>) {
  // expected-error@+1 {{the gradient of erase_write must consist of 'f32' beside rows of 'f32'}}
  %dq, %dk, %dv, %d = seq.mixer_grad %v, %q, %q, %v erase %x : tensor<2x70x16xf32> erase_write %x : tensor<2x70x16xf32> states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>, tensor<2x4x2x12xf32> -> tensor<2x70x16xf32> erase_write tensor<2x70x16xf64>
  return
}
