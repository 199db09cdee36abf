// What operations on caches refuse.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{must be [trips, batch, capacity, columns], but got 'tensor<2x8x16xf32>'}}
seq.cache @flat stacked : tensor<2x8x16xf32>

// -----
// expected-note@+1 {{declared here with type 'tensor<2x8x16xf32>'}}
seq.cache @keys : tensor<2x8x16xf32>
func.func @other() {
  // expected-error@+1 {{must have the type of the cache, but got 'tensor<2x9x16xf32>'}}
  %0 = seq.get_cache @keys : tensor<2x9x16xf32>
  return
}

// -----
func.func @unknown() {
  // expected-error@+1 {{names no cache: @keys}}
  %0 = seq.get_cache @keys : tensor<2x9x16xf32>
  return
}

// -----
func.func @positions(%c: tensor<2x8x16xf32>, %x: tensor<2x4x16xf32>, %p: tensor<2x3xi32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{positions must be [batch, rows] of 'tensor<2x4x16xf32>', but got 'tensor<2x3xi32>'}}
  %0 = seq.write_cache %c, %x at %p valid %n : (tensor<2x8x16xf32>, tensor<2x4x16xf32>, tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x8x16xf32>
  return
}

// -----
func.func @counts(%x: tensor<2x4x16xf32>, %n: tensor<4xi32>) {
  // expected-error@+1 {{counts must be [batch] of 'tensor<2x4x16xf32>', but got 'tensor<4xi32>'}}
  %0 = seq.last_row %x valid %n : (tensor<2x4x16xf32>, tensor<4xi32>) -> tensor<2x1x16xf32>
  return
}

// -----
func.func @columns(%c: tensor<2x8x8xf32>, %x: tensor<2x4x16xf32>, %p: tensor<2x4xi32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{cache and rows must have the same columns, but got 'tensor<2x8x8xf32>' and 'tensor<2x4x16xf32>'}}
  %0 = seq.write_cache %c, %x at %p valid %n : (tensor<2x8x8xf32>, tensor<2x4x16xf32>, tensor<2x4xi32>, tensor<2xi32>) -> tensor<2x8x8xf32>
  return
}

// -----
func.func @capacity(%c: tensor<2x6x16xf32>, %p: tensor<2x4xi32>) {
  // expected-error@+1 {{capacity must be at least the rows of a call and the steps back, but got 6 for 'tensor<2x4x16xf32>' and 3}}
  %0 = seq.read_cache %c at %p back 3 : (tensor<2x6x16xf32>, tensor<2x4xi32>) -> tensor<2x4x16xf32>
  return
}

// -----
func.func @last(%x: tensor<2x4x16xf32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{result must be one row of each sequence of 'tensor<2x4x16xf32>', but got 'tensor<2x2x16xf32>'}}
  %0 = seq.last_row %x valid %n : (tensor<2x4x16xf32>, tensor<2xi32>) -> tensor<2x2x16xf32>
  return
}

// -----
func.func @heads(%q: tensor<2x4x16xf32>, %k: tensor<2x8x16xf32>, %p: tensor<2x4xi32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{kv_heads must divide heads, but got 3 and 4}}
  %0 = seq.attention_step %q, %k, %k at %p valid %n heads 4 kv_heads 3 scale 0.5 : (tensor<2x4x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x4xi32>, tensor<2xi32>) -> tensor<2x4x16xf32>
  return
}

// -----
func.func @values(%q: tensor<2x4x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x7x16xf32>, %p: tensor<2x4xi32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{v must be a cache like k with 4 heads, but got 'tensor<2x7x16xf32>' and 'tensor<2x8x16xf32>'}}
  %0 = seq.attention_step %q, %k, %v at %p valid %n heads 4 kv_heads 4 scale 0.5 : (tensor<2x4x16xf32>, tensor<2x8x16xf32>, tensor<2x7x16xf32>, tensor<2x4xi32>, tensor<2xi32>) -> tensor<2x4x16xf32>
  return
}

// -----
func.func @result(%q: tensor<2x4x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x8xf32>, %p: tensor<2x4xi32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{result must have type 'tensor<2x4x8xf32>', but got 'tensor<2x4x16xf32>'}}
  %0 = seq.attention_step %q, %k, %v at %p valid %n heads 4 kv_heads 4 scale 0.5 : (tensor<2x4x16xf32>, tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x4xi32>, tensor<2xi32>) -> tensor<2x4x16xf32>
  return
}

// -----
func.func @decay(%q: tensor<2x4x16xf32>, %k: tensor<2x8x16xf32>, %d: tensor<2x4x4xf32>, %p: tensor<2x4xi32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{decay must have shape [2, 8, 4], but got 'tensor<2x4x4xf32>'}}
  %0 = seq.attention_step %q, %k, %k at %p valid %n decay %d heads 4 kv_heads 4 scale 0.5 : (tensor<2x4x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x4xi32>, tensor<2xi32>, tensor<2x4x4xf32>) -> tensor<2x4x16xf32>
  return
}

// -----
func.func @window(%q: tensor<2x4x16xf32>, %k: tensor<2x8x16xf32>, %p: tensor<2x4xi32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{capacity must be at least the rows of a call and the window before the first of them, but got 8 for 'tensor<2x4x16xf32>' and 6}}
  %0 = seq.attention_step %q, %k, %k at %p valid %n heads 4 kv_heads 4 scale 0.5 window 6 : (tensor<2x4x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x4xi32>, tensor<2xi32>) -> tensor<2x4x16xf32>
  return
}
