// What only looks like the canonical forms of linear mixers stays as it is.
// RUN: stretto-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @states
// CHECK: %{{.*}}, %{{.*}} = seq.mixer {{.*}} -> tensor<2x4x1x6xf32>
func.func @states(%q: tensor<2x7x8xf32>, %v: tensor<2x7x12xf32>) -> tensor<2x4x1x6xf32> {
  %o, %s = seq.mixer %q, %q, %v heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32> -> tensor<2x4x1x6xf32>
  return %s : tensor<2x4x1x6xf32>
}

// A decay that is not zero, one of two heads, and one that alternates within a head.
// CHECK-LABEL: func @decay
// CHECK: seq.mixer {{.*}} decay %{{.*}} : tensor<4xf32>
// CHECK: seq.mixer {{.*}} decay %{{.*}} : tensor<2x7x8xf32>
// CHECK: seq.mixer {{.*}} decay %{{.*}} : tensor<2x7x8xf32>
func.func @decay(%q: tensor<2x7x8xf32>, %v: tensor<2x7x12xf32>, %g: tensor<2x7x2xf32>, %h: tensor<2x7x4xf32>)
    -> (tensor<2x7x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>) {
  %c = arith.constant dense<[0.0, 0.0, 0.0, -1.0]> : tensor<4xf32>
  %s = seq.spread %g : tensor<2x7x2xf32> -> tensor<2x7x8xf32>
  %b = seq.broadcast %h dims [0, 1, 3] : tensor<2x7x4xf32> -> tensor<2x7x2x4xf32>
  %d = seq.reshape %b : tensor<2x7x2x4xf32> -> tensor<2x7x8xf32>
  %0 = seq.mixer %q, %q, %v decay %c : tensor<4xf32> heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  %1 = seq.mixer %q, %q, %v decay %s : tensor<2x7x8xf32> heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  %2 = seq.mixer %q, %q, %v decay %d : tensor<2x7x8xf32> heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  return %0, %1, %2 : tensor<2x7x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>
}

// Erasers: of another key, by another strength, of all of v, and written elsewhere.
// CHECK-LABEL: func @erase
// CHECK: seq.mixer {{.*}} write {{.*}} erase {{.*}} heads
// CHECK: seq.mixer {{.*}} write {{.*}} erase {{.*}} heads
// CHECK: seq.mixer {{.*}} erase {{.*}} heads
// CHECK: seq.mixer {{.*}} write {{.*}} erase {{.*}} erase_write {{.*}} heads
// CHECK-NOT: beta
func.func @erase(%q: tensor<2x7x8xf32>, %k: tensor<2x7x8xf32>, %v: tensor<2x7x12xf32>, %b: tensor<2x7x4xf32>, %w: tensor<2x7x4xf32>)
    -> (tensor<2x7x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>) {
  %s = seq.spread %b : tensor<2x7x4xf32> -> tensor<2x7x8xf32>
  %r = arith.mulf %k, %s : tensor<2x7x8xf32>
  %0 = seq.mixer %q, %q, %v write %b : tensor<2x7x4xf32> erase %r : tensor<2x7x8xf32> heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  %1 = seq.mixer %q, %k, %v write %w : tensor<2x7x4xf32> erase %r : tensor<2x7x8xf32> heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  %2 = seq.mixer %q, %k, %v erase %r : tensor<2x7x8xf32> heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  %3 = seq.mixer %q, %k, %v write %b : tensor<2x7x4xf32> erase %r : tensor<2x7x8xf32> erase_write %q : tensor<2x7x8xf32> heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  return %0, %1, %2, %3 : tensor<2x7x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>
}
