// Types of linear mixers, and numbers of heads and tokens.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @bad(%q: tensor<2x70x8xf32>, %k: tensor<2x70x16xf32>, %v: tensor<2x70x12xf32>) {
  // expected-error@+1 {{failed to verify that all of {q, k} have same type}}
  %o = "seq.mixer"(%q, %k, %v) {heads = 4 : i64, key_heads = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0>, scale = 0.5 : f64, segment = 64 : i64} : (tensor<2x70x8xf32>, tensor<2x70x16xf32>, tensor<2x70x12xf32>) -> tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %k: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>) {
  // expected-error@+1 {{failed to verify that all of {v, out} have same type}}
  %o = "seq.mixer"(%q, %k, %v) {heads = 4 : i64, key_heads = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0>, scale = 0.5 : f64, segment = 64 : i64} : (tensor<2x70x8xf32>, tensor<2x70x8xf32>, tensor<2x70x12xf32>) -> tensor<2x70x8xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf64>) {
  // expected-error@+1 {{q and v must be [batch, time, columns] of one type}}
  %o = seq.mixer %q, %q, %v heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf64>
  return
}

// -----
func.func @bad(%q: tensor<70x8xf32>, %v: tensor<70x12xf32>) {
  // expected-error@+1 {{q and v must be [batch, time, columns] of one type, but got 'tensor<70x8xf32>'}}
  %o = seq.mixer %q, %q, %v heads 4 key_heads 2 scale 0.5 segment 64 : tensor<70x8xf32>, tensor<70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x2x6xf32>) {
  // expected-error@+1 {{q and v must be [batch, time, columns] of one type}}
  %o = seq.mixer %q, %q, %v heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x2x6xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>) {
  // expected-error@+1 {{key_heads must divide heads, but got 1 and 0}}
  %o = seq.mixer %q, %q, %v heads 0 key_heads 1 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>) {
  // expected-error@+1 {{key_heads must divide heads, but got 0 and 4}}
  %o = seq.mixer %q, %q, %v heads 4 key_heads 0 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>) {
  // expected-error@+1 {{segment must be a multiple of 64, but got 0}}
  %o = seq.mixer %q, %q, %v heads 4 key_heads 2 scale 0.5 segment 0 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>) {
  // expected-error@+1 {{segment must be a multiple of 64, but got -64}}
  %o = seq.mixer %q, %q, %v heads 4 key_heads 2 scale 0.5 segment -64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<2x4xf32>) {
  // expected-error@+1 {{decay must have 4 or 16 columns, with or without the rows of 'tensor<2x70x8xf32>', but got 'tensor<2x4xf32>'}}
  %o = seq.mixer %q, %q, %v decay %g : tensor<2x4xf32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<f32>) {
  // expected-error@+1 {{decay must have 4 or 16 columns, with or without the rows of 'tensor<2x70x8xf32>', but got 'tensor<f32>'}}
  %o = seq.mixer %q, %q, %v decay %g : tensor<f32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<2x69x16xf32>) {
  // expected-error@+1 {{decay must have 4 or 16 columns, with or without the rows of 'tensor<2x70x8xf32>', but got 'tensor<2x69x16xf32>'}}
  %o = seq.mixer %q, %q, %v decay %g : tensor<2x69x16xf32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<1x70x16xf32>) {
  // expected-error@+1 {{decay must have 4 or 16 columns, with or without the rows of 'tensor<2x70x8xf32>', but got 'tensor<1x70x16xf32>'}}
  %o = seq.mixer %q, %q, %v decay %g : tensor<1x70x16xf32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<2x70x4xf64>) {
  // expected-error@+1 {{decay must consist of 'f32' beside rows of 'f32', but got 'tensor<2x70x4xf64>'}}
  %o = seq.mixer %q, %q, %v decay %g : tensor<2x70x4xf64> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<16xf64>) {
  // expected-error@+1 {{decay must consist of 'f32' beside rows of 'f32', but got 'tensor<16xf64>'}}
  %o = seq.mixer %q, %q, %v decay %g : tensor<16xf64> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<2x70x4xf64>) {
  // expected-error@+1 {{write must consist of 'f32' beside rows of 'f32', but got 'tensor<2x70x4xf64>'}}
  %o = seq.mixer %q, %q, %v write %g : tensor<2x70x4xf64> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<2x70x4xf64>) {
  // expected-error@+1 {{beta must consist of 'f32' beside rows of 'f32', but got 'tensor<2x70x4xf64>'}}
  %o = seq.mixer %q, %q, %v beta %g : tensor<2x70x4xf64> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}
