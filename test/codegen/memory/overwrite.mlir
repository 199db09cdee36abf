// RUN: stretto-opt %s --split-input-file --kern-plan-memory --kern-verify-memory | FileCheck %s

// The gradient of a softmax lies over its logits where one thread has all stages of a row: nothing reads them behind its level,
// which waits for both sums.

// CHECK-LABEL: func.func @one_thread
// CHECK: seq.linear {{.*}} {kern.slots = [#kern.slot<activations, [[AT:[0-9]+]],
// CHECK: kern.rowwise
// CHECK: } {kern.slots = [#kern.slot<activations, [[AT]],
func.func @one_thread(%x: tensor<1x8x64xf32>, %w: tensor<64x64xf32>) -> tensor<1x8x64xf32> {
  %logits = seq.linear %x, %w : tensor<1x8x64xf32>, tensor<64x64xf32> -> tensor<1x8x64xf32>
  %p = kern.rowwise(%logits) maps [row] schedule #kern.vector_schedule<rows 4, lanes 8, chunk 8> {
  ^bb0(%r: tensor<64xf32>):
    %max = seq.reduce max %r : tensor<64xf32> -> tensor<f32>
    %m = seq.broadcast %max dims [] : tensor<f32> -> tensor<64xf32>
    %d = arith.subf %r, %m : tensor<64xf32>
    %e = math.exp %d : tensor<64xf32>
    %sum = seq.reduce add %e : tensor<64xf32> -> tensor<f32>
    %s = seq.broadcast %sum dims [] : tensor<f32> -> tensor<64xf32>
    %q = arith.divf %e, %s : tensor<64xf32>
    kern.yield %q : tensor<64xf32>
  } : (tensor<1x8x64xf32>) -> tensor<1x8x64xf32>
  %y = seq.linear %p, %w : tensor<1x8x64xf32>, tensor<64x64xf32> -> tensor<1x8x64xf32>
  return %y : tensor<1x8x64xf32>
}

// -----

// Of many threads, one may be late with its part of the sums.

// CHECK-LABEL: func.func @many_threads
// CHECK: seq.linear {{.*}} {kern.slots = [#kern.slot<activations, [[AT:[0-9]+]],
// CHECK: kern.rowwise
// CHECK-NOT: } {kern.slots = [#kern.slot<activations, [[AT]],
// CHECK: return
func.func @many_threads(%x: tensor<1x8x64xf32>, %w: tensor<64x64xf32>) -> tensor<1x8x64xf32> {
  %logits = seq.linear %x, %w : tensor<1x8x64xf32>, tensor<64x64xf32> -> tensor<1x8x64xf32>
  %p = kern.rowwise(%logits) maps [row] schedule #kern.thread_schedule<rows 2, lanes 4, chunk 8, threads 32, groups 1, tiles 1> {
  ^bb0(%r: tensor<64xf32>):
    %sum = seq.reduce add %r : tensor<64xf32> -> tensor<f32>
    %s = seq.broadcast %sum dims [] : tensor<f32> -> tensor<64xf32>
    %q = arith.divf %r, %s : tensor<64xf32>
    kern.yield %q : tensor<64xf32>
  } : (tensor<1x8x64xf32>) -> tensor<1x8x64xf32>
  %y = seq.linear %p, %w : tensor<1x8x64xf32>, tensor<64x64xf32> -> tensor<1x8x64xf32>
  return %y : tensor<1x8x64xf32>
}

// -----

// The sum of squares reads the row when its first result is stored already.

// CHECK-LABEL: func.func @read_later
// CHECK: seq.linear {{.*}} {kern.slots = [#kern.slot<activations, [[AT:[0-9]+]],
// CHECK: kern.rowwise
// CHECK-NOT: } {kern.slots = [#kern.slot<activations, [[AT]],
// CHECK: return
func.func @read_later(%x: tensor<1x8x64xf32>, %w: tensor<64x64xf32>) -> (tensor<1x8x64xf32>, tensor<1x8xf32>) {
  %logits = seq.linear %x, %w : tensor<1x8x64xf32>, tensor<64x64xf32> -> tensor<1x8x64xf32>
  %p, %n = kern.rowwise(%logits) maps [row] schedule #kern.vector_schedule<rows 4, lanes 8, chunk 8> {
  ^bb0(%r: tensor<64xf32>):
    %sum = seq.reduce add %r : tensor<64xf32> -> tensor<f32>
    %s = seq.broadcast %sum dims [] : tensor<f32> -> tensor<64xf32>
    %q = arith.divf %r, %s : tensor<64xf32>
    %square = arith.mulf %q, %r : tensor<64xf32>
    %squares = seq.reduce add %square : tensor<64xf32> -> tensor<f32>
    kern.yield %q, %squares : tensor<64xf32>, tensor<f32>
  } : (tensor<1x8x64xf32>) -> (tensor<1x8x64xf32>, tensor<1x8xf32>)
  %y = seq.linear %p, %w : tensor<1x8x64xf32>, tensor<64x64xf32> -> tensor<1x8x64xf32>
  return %y, %n : tensor<1x8x64xf32>, tensor<1x8xf32>
}

// -----

// A norm with a tap behind it reads sums of rows before.

// CHECK-LABEL: func.func @tap
// CHECK: seq.linear {{.*}} {kern.slots = [#kern.slot<activations, [[AT:[0-9]+]],
// CHECK: kern.rowwise
// CHECK-NOT: } {kern.slots = [#kern.slot<activations, [[AT]],
// CHECK: return
func.func @tap(%x: tensor<1x8x64xf32>, %w: tensor<64x64xf32>) -> tensor<1x8x64xf32> {
  %a = seq.linear %x, %w : tensor<1x8x64xf32>, tensor<64x64xf32> -> tensor<1x8x64xf32>
  %p = kern.rowwise(%a) maps [row] schedule #kern.vector_schedule<rows 4, lanes 8, chunk 8> {
  ^bb0(%r: tensor<64xf32>):
    %sum = seq.reduce add %r : tensor<64xf32> -> tensor<f32>
    %before = seq.tap %sum by -1 : tensor<f32>
    %s = seq.broadcast %before dims [] : tensor<f32> -> tensor<64xf32>
    %q = arith.addf %r, %s : tensor<64xf32>
    kern.yield %q : tensor<64xf32>
  } : (tensor<1x8x64xf32>) -> tensor<1x8x64xf32>
  %y = seq.linear %p, %w : tensor<1x8x64xf32>, tensor<64x64xf32> -> tensor<1x8x64xf32>
  return %y : tensor<1x8x64xf32>
}

// -----

// What a scan carries is overwritten rather than another operand: its place is that of the result anyway.

seq.parameter @w parts [#seq.part<"layers.{}.w", 64, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x64x64xf32>
seq.parameter @e parts [#seq.part<"e", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x64xf32>

// CHECK-LABEL: func.func private @layer(
// CHECK-SAME: tensor<1x8x64xf32> {kern.slot = #kern.slot<[[AT:outputs, [0-9]+, stride 0, parity 0]]>}
// CHECK: seq.linear
// CHECK-NOT: kern.slots = [#kern.slot<[[AT]]>]
// CHECK: kern.rowwise
// CHECK: } {kern.slots = [#kern.slot<[[AT]]>]}
func.func private @layer(%x: tensor<1x8x64xf32>, %w: tensor<64x64xf32>) -> tensor<1x8x64xf32> {
  %a = seq.linear %x, %w : tensor<1x8x64xf32>, tensor<64x64xf32> -> tensor<1x8x64xf32>
  %y = kern.rowwise(%a, %x) maps [row, row] schedule #kern.vector_schedule<rows 4, lanes 8, chunk 8> {
  ^bb0(%r: tensor<64xf32>, %before: tensor<64xf32>):
    %sum = seq.reduce add %r : tensor<64xf32> -> tensor<f32>
    %s = seq.broadcast %sum dims [] : tensor<f32> -> tensor<64xf32>
    %q = arith.divf %r, %s : tensor<64xf32>
    %z = arith.addf %q, %before : tensor<64xf32>
    kern.yield %z : tensor<64xf32>
  } : (tensor<1x8x64xf32>, tensor<1x8x64xf32>) -> tensor<1x8x64xf32>
  return %y : tensor<1x8x64xf32>
}

func.func @layers(%t: tensor<1x8xi32>) -> tensor<1x8x64xf32> {
  %w = seq.get_parameter @w : tensor<3x64x64xf32>
  %e = seq.get_parameter @e : tensor<16x64xf32>
  %x = seq.embed %t, %e : tensor<1x8xi32>, tensor<16x64xf32> -> tensor<1x8x64xf32>
  %y = seq.scan @layer trips 3 carry(%x) slices(%w) invariants() : (tensor<1x8x64xf32>, tensor<3x64x64xf32>) -> tensor<1x8x64xf32>
  return %y : tensor<1x8x64xf32>
}
