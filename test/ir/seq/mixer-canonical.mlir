// Canonical forms of linear mixers.
// RUN: stretto-opt %s --canonicalize | FileCheck %s

// States that nothing reads are not given.
// CHECK-LABEL: func @states
// CHECK: %[[OUT:.*]] = seq.mixer %{{.*}} segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>{{$}}
func.func @states(%q: tensor<2x7x8xf32>, %v: tensor<2x7x12xf32>) -> tensor<2x7x12xf32> {
  %o, %s = seq.mixer %q, %q, %v heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32> -> tensor<2x4x1x6xf32>
  return %o : tensor<2x7x12xf32>
}

// A decay of 1 is none.
// CHECK-LABEL: func @none
// CHECK: seq.mixer %{{.*}}, %{{.*}}, %{{.*}} heads 4
func.func @none(%q: tensor<2x7x8xf32>, %v: tensor<2x7x12xf32>) -> tensor<2x7x12xf32> {
  %g = arith.constant dense<0.0> : tensor<2x7x4xf32>
  %o = seq.mixer %q, %q, %v decay %g : tensor<2x7x4xf32> heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  return %o : tensor<2x7x12xf32>
}

// What is the same for the channels of a head is one number for each head.
// CHECK-LABEL: func @by_head(
// CHECK-SAME: %{{.*}}, %{{.*}}, %[[G:.*]]: tensor<2x7x4xf32>
// CHECK: seq.mixer {{.*}} decay %[[G]] : tensor<2x7x4xf32>
func.func @by_head(%q: tensor<2x7x8xf32>, %v: tensor<2x7x12xf32>, %g: tensor<2x7x4xf32>) -> tensor<2x7x12xf32> {
  %b = seq.broadcast %g dims [0, 1, 2] : tensor<2x7x4xf32> -> tensor<2x7x4x2xf32>
  %d = seq.reshape %b : tensor<2x7x4x2xf32> -> tensor<2x7x8xf32>
  %o = seq.mixer %q, %q, %v decay %d : tensor<2x7x8xf32> heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  return %o : tensor<2x7x12xf32>
}

// CHECK-LABEL: func @spread(
// CHECK: seq.mixer {{.*}} decay %{{.*}} : tensor<4xf32>
func.func @spread(%q: tensor<2x7x8xf32>, %v: tensor<2x7x12xf32>, %g: tensor<4xf32>) -> tensor<2x7x12xf32> {
  %d = seq.spread %g : tensor<4xf32> -> tensor<8xf32>
  %o = seq.mixer %q, %q, %v decay %d : tensor<8xf32> heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  return %o : tensor<2x7x12xf32>
}

// The delta rule is found again.
// CHECK-LABEL: func @beta(
// CHECK-SAME: %{{.*}}, %{{.*}}, %[[B:.*]]: tensor<2x7x4xf32>
// CHECK: seq.mixer %{{.*}}, %{{.*}}, %{{.*}} beta %[[B]] : tensor<2x7x4xf32> heads
func.func @beta(%q: tensor<2x7x8xf32>, %v: tensor<2x7x12xf32>, %b: tensor<2x7x4xf32>) -> tensor<2x7x12xf32> {
  %s = seq.spread %b : tensor<2x7x4xf32> -> tensor<2x7x8xf32>
  %r = arith.mulf %q, %s : tensor<2x7x8xf32>
  %o = seq.mixer %q, %q, %v write %b : tensor<2x7x4xf32> erase %r : tensor<2x7x8xf32> erase_write %q : tensor<2x7x8xf32> heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  return %o : tensor<2x7x12xf32>
}

// Another strength is not.
// CHECK-LABEL: func @not_beta(
// CHECK: seq.mixer {{.*}} write {{.*}} erase
func.func @not_beta(%q: tensor<2x7x8xf32>, %v: tensor<2x7x12xf32>, %b: tensor<2x7x4xf32>, %w: tensor<2x7x4xf32>) -> tensor<2x7x12xf32> {
  %s = seq.spread %b : tensor<2x7x4xf32> -> tensor<2x7x8xf32>
  %r = arith.mulf %q, %s : tensor<2x7x8xf32>
  %o = seq.mixer %q, %q, %v write %w : tensor<2x7x4xf32> erase %r : tensor<2x7x8xf32> heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  return %o : tensor<2x7x12xf32>
}

// Heads with the same keys share them.
// CHECK-LABEL: func @keys(
// CHECK-SAME: %[[Q:.*]]: tensor<2x7x2xf32>
// CHECK: seq.mixer %[[Q]], %[[Q]], %{{.*}} heads 4 key_heads 1
func.func @keys(%q: tensor<2x7x2xf32>, %v: tensor<2x7x12xf32>) -> tensor<2x7x12xf32> {
  %c = seq.concat %q, %q, %q, %q : tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32>, tensor<2x7x2xf32> -> tensor<2x7x8xf32>
  %o = seq.mixer %c, %c, %v heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x7x8xf32>, tensor<2x7x12xf32>
  return %o : tensor<2x7x12xf32>
}
