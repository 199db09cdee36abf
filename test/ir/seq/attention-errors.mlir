// What attention and its gradient refuse.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @heads(%q: tensor<2x8x16xf32>, %k: tensor<2x8x8xf32>, %s: tensor<2x4x8xf32>) {
  // expected-error @+1 {{kv_heads must divide heads, but got 2 and 0}}
  %dq, %dk, %dv = seq.attention_grad %q, %q, %k, %k, %q, %s heads 0 kv_heads 2 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>, tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @widths(%q: tensor<2x8x16xf32>, %k: tensor<2x8x12xf32>, %s: tensor<2x4x8xf32>) {
  // expected-error @+1 {{head widths of q and k must agree, but got 'tensor<2x8x16xf32>' with 4 heads and 'tensor<2x8x12xf32>' with 2}}
  %dq, %dk, %dv = seq.attention_grad %q, %q, %k, %k, %q, %s heads 4 kv_heads 2 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x12xf32>, tensor<2x8x12xf32>, tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @values(%q: tensor<2x8x16xf32>, %k: tensor<2x8x8xf32>, %v: tensor<2x8x9xf32>) {
  // expected-error @+1 {{v must have rows as k and 2 heads, but got 'tensor<2x8x9xf32>' and 'tensor<2x8x8xf32>'}}
  %o, %s = seq.attention %q, %k, %v heads 4 kv_heads 2 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x8x9xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @out(%q: tensor<2x8x16xf32>, %k: tensor<2x8x8xf32>, %v: tensor<2x8x6xf32>) {
  // expected-error @+1 {{result must have type 'tensor<2x8x12xf32>', but got 'tensor<2x8x16xf32>'}}
  %o, %s = seq.attention %q, %k, %v heads 4 kv_heads 2 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x8x6xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @sums(%q: tensor<2x8x16xf32>, %k: tensor<2x8x8xf32>, %s: tensor<2x8x4xf32>) {
  // expected-error @+1 {{lse must have shape [2, 4, 8], but got 'tensor<2x8x4xf32>'}}
  %dq, %dk, %dv = seq.attention_grad %q, %q, %k, %k, %q, %s heads 4 kv_heads 2 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>, tensor<2x8x16xf32>, tensor<2x8x4xf32>
  return
}

// -----

func.func @window_of_all(%q: tensor<2x8x16xf32>, %k: tensor<2x8x8xf32>, %s: tensor<2x4x8xf32>) {
  // expected-error @+1 {{a window, alibi, a decay and a bias need causal}}
  %dq, %dk, %dv = seq.attention_grad %q, %q, %k, %k, %q, %s heads 4 kv_heads 2 scale 0.5 window 3 : tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>, tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @scale(%q: tensor<2x8x16xf32>) {
  // expected-error @+1 {{scale must be a positive number, but got nan}}
  %o, %l = seq.attention %q, %q, %q heads 4 kv_heads 4 scale 0x7FF8000000000000 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @cap(%q: tensor<2x8x16xf32>) {
  // expected-error @+1 {{cap must be a positive number, but got 0.000000e+00}}
  %o, %l = seq.attention %q, %q, %q heads 4 kv_heads 4 scale 0.5 causal cap 0.0 : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @sinks_of_columns(%q: tensor<2x8x16xf32>, %s: tensor<16xf32>) {
  // expected-error @+1 {{sinks must have shape [4], but got 'tensor<16xf32>'}}
  %o, %l, %p = seq.attention %q, %q, %q sinks %s : tensor<16xf32> heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>, tensor<2x8x4xf32>
  return
}

// -----

func.func @rounded_sinks(%q: tensor<2x8x16xbf16>, %s: tensor<4xf64>) {
  // expected-error @+1 {{sinks must be of type 'f32', but got 'tensor<4xf64>'}}
  %o, %l, %p = seq.attention %q, %q, %q sinks %s : tensor<4xf64> heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xbf16>, tensor<2x8x16xbf16>, tensor<2x8x16xbf16> -> tensor<2x8x16xbf16>, tensor<2x4x8xf32>, tensor<2x8x4xf32>
  return
}

// -----

func.func @share_of_nothing(%q: tensor<2x8x16xf32>) {
  // expected-error @+1 {{sinks and a share need each other}}
  %o, %l, %p = seq.attention %q, %q, %q heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>, tensor<2x8x4xf32>
  return
}

// -----

func.func @share_of_heads(%q: tensor<2x8x16xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{share must have type 'tensor<2x8x4xf32>', but got 'tensor<2x4x8xf32>'}}
  %o, %l, %p = seq.attention %q, %q, %q sinks %s : tensor<4xf32> heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @decay_of_columns(%q: tensor<2x8x16xf32>, %d: tensor<2x8x16xf32>) {
  // expected-error @+1 {{decay must have shape [2, 8, 4], but got 'tensor<2x8x16xf32>'}}
  %o, %l = seq.attention %q, %q, %q decay %d : tensor<2x8x16xf32> heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @decay_of_all(%q: tensor<2x8x16xf32>, %d: tensor<2x8x4xf32>) {
  // expected-error @+1 {{a window, alibi, a decay and a bias need causal}}
  %o, %l = seq.attention %q, %q, %q decay %d : tensor<2x8x4xf32> heads 4 kv_heads 4 scale 0.5 : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @bias_of_width(%q: tensor<2x8x16xf32>, %b: tensor<16x4xf32>) {
  // expected-error @+1 {{bias must be [4, reach], but got 'tensor<16x4xf32>'}}
  %o, %l = seq.attention %q, %q, %q bias %b : tensor<16x4xf32> heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @decay_without_gradient(%q: tensor<2x8x16xf32>, %l: tensor<2x4x8xf32>, %d: tensor<2x8x4xf32>) {
  // expected-error @+1 {{a decay and its gradient need each other}}
  %dq, %dk, %dv = seq.attention_grad %q, %q, %q, %q, %q, %l decay %d : tensor<2x8x4xf32> -> heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return
}
