// What the numbers of linear mixers may be: erasers are rows, states are never bf16.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %r: tensor<2x70x16xf64>) {
  // expected-error@+1 {{erase must consist of 'f32' beside rows of 'f32', but got 'tensor<2x70x16xf64>'}}
  %o = seq.mixer %q, %q, %v erase %r : tensor<2x70x16xf64> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xbf16>, %v: tensor<2x70x12xbf16>, %r: tensor<2x70x16xbf16>, %p: tensor<2x70x16xf32>) {
  // expected-error@+1 {{erase_write must consist of 'bf16' beside rows of 'bf16', but got 'tensor<2x70x16xf32>'}}
  %o = seq.mixer %q, %q, %v erase %r : tensor<2x70x16xbf16> erase_write %p : tensor<2x70x16xf32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xbf16>, tensor<2x70x12xbf16>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %b: tensor<2x70x4xf32>, %p: tensor<2x70x16xf32>) {
  // expected-error@+1 {{erase_write needs erase}}
  %o = seq.mixer %q, %q, %v beta %b : tensor<2x70x4xf32> erase_write %p : tensor<2x70x16xf32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>) {
  // expected-error@+1 {{states must consist of 'f32' beside rows of 'f32', but got 'tensor<2x4x2x12xf64>'}}
  %o, %s = seq.mixer %q, %q, %v heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32> -> tensor<2x4x2x12xf64>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf64>, %v: tensor<2x70x12xf64>) {
  // expected-error@+1 {{states must consist of 'f64' beside rows of 'f64', but got 'tensor<2x4x2x12xf32>'}}
  %o, %s = seq.mixer %q, %q, %v heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf64>, tensor<2x70x12xf64> -> tensor<2x4x2x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xbf16>, %v: tensor<2x70x12xbf16>) {
  // expected-error@+1 {{states must consist of 'f32' beside rows of 'bf16', but got 'tensor<2x4x2x12xf64>'}}
  %o, %s = seq.mixer %q, %q, %v heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xbf16>, tensor<2x70x12xbf16> -> tensor<2x4x2x12xf64>
  return
}
