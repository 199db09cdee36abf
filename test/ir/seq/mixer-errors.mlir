// Each rule of the verifiers of linear mixers.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>) {
  // expected-error@+1 {{key_heads must divide heads, but got 3 and 4}}
  %o = seq.mixer %q, %q, %v heads 4 key_heads 3 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x69x12xf32>) {
  // expected-error@+1 {{q and v must be [batch, time, columns] of one type}}
  %o = seq.mixer %q, %q, %v heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x69x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x6xf32>, %v: tensor<2x70x12xf32>) {
  // expected-error@+1 {{key_heads must divide the columns of q, but got 4 and}}
  %o = seq.mixer %q, %q, %v heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x70x6xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x10xf32>) {
  // expected-error@+1 {{heads must divide the columns of v, but got 4 and}}
  %o = seq.mixer %q, %q, %v heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x10xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<2x70x8xf32>) {
  // expected-error@+1 {{decay must have 4 or 16 columns}}
  %o = seq.mixer %q, %q, %v decay %g : tensor<2x70x8xf32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<2x69x4xf32>) {
  // expected-error@+1 {{with or without the rows of}}
  %o = seq.mixer %q, %q, %v decay %g : tensor<2x69x4xf32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<2x70x8xf32>) {
  // expected-error@+1 {{write must have shape [2, 70, 4]}}
  %o = seq.mixer %q, %q, %v write %g : tensor<2x70x8xf32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<4xf32>) {
  // expected-error@+1 {{beta must have shape [2, 70, 4]}}
  %o = seq.mixer %q, %q, %v beta %g : tensor<4xf32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %g: tensor<2x70x8xf32>) {
  // expected-error@+1 {{erase must have shape [2, 70, 16]}}
  %o = seq.mixer %q, %q, %v erase %g : tensor<2x70x8xf32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %r: tensor<2x70x16xf32>, %g: tensor<2x70x8xf32>) {
  // expected-error@+1 {{erase_write must have shape [2, 70, 16]}}
  %o = seq.mixer %q, %q, %v erase %r : tensor<2x70x16xf32> erase_write %g : tensor<2x70x8xf32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %b: tensor<2x70x4xf32>) {
  // expected-error@+1 {{beta says what write and erase are: it must stand without them}}
  %o = seq.mixer %q, %q, %v write %b : tensor<2x70x4xf32> beta %b : tensor<2x70x4xf32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %b: tensor<2x70x4xf32>, %r: tensor<2x70x16xf32>) {
  // expected-error@+1 {{beta says what write and erase are: it must stand without them}}
  %o = seq.mixer %q, %q, %v beta %b : tensor<2x70x4xf32> erase %r : tensor<2x70x16xf32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %r: tensor<2x70x16xf32>) {
  // expected-error@+1 {{erase_write needs erase}}
  %o = seq.mixer %q, %q, %v erase_write %r : tensor<2x70x16xf32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>) {
  // expected-error@+1 {{read_before needs beta or erase: nothing else is read}}
  %o = seq.mixer %q, %q, %v heads 4 key_heads 2 scale 0.5 segment 64 read_before : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>) {
  // expected-error@+1 {{segment must be a multiple of 64, but got 32}}
  %o = seq.mixer %q, %q, %v heads 4 key_heads 2 scale 0.5 segment 32 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>, %p: tensor<2x69xi32>) {
  // expected-error@+1 {{positions must have shape [2, 70]}}
  %o = seq.mixer %q, %q, %v positions %p : tensor<2x69xi32> heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32>
  return
}

// -----
func.func @bad(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>) {
  // expected-error@+1 {{states must have shape [2, 4, 2, 12]}}
  %o, %s = seq.mixer %q, %q, %v heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x70x8xf32>, tensor<2x70x12xf32> -> tensor<2x4x1x12xf32>
  return
}

// -----

func.func @one_long_segment(%q: tensor<2x70x8xf32>, %v: tensor<2x70x12xf32>) {
  // expected-error@+1 {{states must have shape [2, 4, 1, 12], but got 'tensor<2x4x2x12xf32>'}}
  %o, %s = seq.mixer %q, %q, %v heads 4 key_heads 2 scale 0.5 segment 9223372036854775744 : tensor<2x70x8xf32>, tensor<2x70x12xf32> -> tensor<2x4x2x12xf32>
  return
}
