// RUN: stretto-opt %s --seq-decompose --canonicalize --cse --kern-form-groups --kern-outline-groups | FileCheck %s
// RUN: stretto-opt %s --seq-decompose --canonicalize --cse --kern-form-groups='fuse=none' --kern-outline-groups | FileCheck %s --check-prefix=NONE

// The residual, the norm and the Canon layer before a matmul are one kernel.
// CHECK-LABEL: func @norm
// CHECK: kern.rowwise kernel "norm.rowwise0"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) maps [row, row, shared, shared]
// CHECK: seq.tap
// CHECK: kern.yield %{{.*}}, %{{.*}} :
// CHECK-NOT: kern.rowwise
// CHECK: seq.linear
// NONE-LABEL: func @norm
// NONE-COUNT-16: kern.rowwise
func.func @norm(%x: tensor<2x8x16xf32>, %f: tensor<2x8x16xf32>, %g: tensor<16xf32>, %c: tensor<4x16xf32>, %w: tensor<32x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x32xf32>) {
  %s = arith.addf %x, %f : tensor<2x8x16xf32>
  %n = seq.rms_norm %s, %g eps 1.0e-5 heads 1 : tensor<2x8x16xf32>, tensor<16xf32>
  %y = seq.canon %n, %c residual none : tensor<2x8x16xf32>, tensor<4x16xf32>
  %z = seq.linear %y, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  return %s, %z : tensor<2x8x16xf32>, tensor<2x8x32xf32>
}

// A block that nobody foresaw: canon(tanh(a) * rms_norm(b)) + shift(c, 2).
// CHECK-LABEL: func @invented
// CHECK-COUNT-1: kern.rowwise
// CHECK: seq.tap %{{.*}} by -2
// CHECK-NOT: kern.rowwise
// CHECK: return
func.func @invented(%a: tensor<2x8x16xf32>, %b: tensor<2x8x16xf32>, %c: tensor<2x8x16xf32>, %g: tensor<16xf32>, %t: tensor<3x16xf32>) -> tensor<2x8x16xf32> {
  %0 = math.tanh %a : tensor<2x8x16xf32>
  %1 = seq.rms_norm %b, %g eps 1.0e-5 heads 1 : tensor<2x8x16xf32>, tensor<16xf32>
  %2 = arith.mulf %0, %1 : tensor<2x8x16xf32>
  %3 = seq.canon %2, %t none : tensor<2x8x16xf32>, tensor<3x16xf32>
  %4 = seq.tap %c by -2 : tensor<2x8x16xf32>
  %5 = arith.addf %3, %4 : tensor<2x8x16xf32>
  return %5 : tensor<2x8x16xf32>
}

// Norms over heads, Canon and rotary of queries, keys and values: one kernel for all, the tables read by time.
// CHECK-LABEL: func @heads
// CHECK: kern.rowwise kernel "heads.rowwise0"({{.*}}) maps [{{.*}}time{{.*}}]
// CHECK-NOT: kern.rowwise
// CHECK: seq.attention
func.func @heads(%qkv: tensor<2x8x48xf32>, %g: tensor<4xf32>, %c: tensor<4x16xf32>) -> tensor<2x8x16xf32> {
  %q0 = seq.slice %qkv at 0 : tensor<2x8x48xf32> -> tensor<2x8x16xf32>
  %k0 = seq.slice %qkv at 16 : tensor<2x8x48xf32> -> tensor<2x8x16xf32>
  %v0 = seq.slice %qkv at 32 : tensor<2x8x48xf32> -> tensor<2x8x16xf32>
  %q1 = seq.rms_norm %q0, %g eps 1.0e-5 heads 4 : tensor<2x8x16xf32>, tensor<4xf32>
  %k1 = seq.rms_norm %k0, %g eps 1.0e-5 heads 4 : tensor<2x8x16xf32>, tensor<4xf32>
  %q2 = seq.canon %q1, %c residual none : tensor<2x8x16xf32>, tensor<4x16xf32>
  %k2 = seq.canon %k1, %c residual none : tensor<2x8x16xf32>, tensor<4x16xf32>
  %v2 = seq.canon %v0, %c residual none : tensor<2x8x16xf32>, tensor<4x16xf32>
  %q3 = seq.rotary half_split %q2 heads 4 rotated 4 rotated_heads 4 theta 1.0e4 : tensor<2x8x16xf32>
  %k3 = seq.rotary half_split %k2 heads 4 rotated 2 rotated_heads 2 theta 1.0e4 : tensor<2x8x16xf32>
  %o, %lse = seq.attention %q3, %k3, %v2 heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
  return %o : tensor<2x8x16xf32>
}

// CHECK-LABEL: func @gate
// CHECK: kern.rowwise kernel "gate.rowwise0"(%{{.*}}, %{{.*}}) maps [row, shared]
// CHECK-NOT: kern.rowwise
// CHECK: return
func.func @gate(%x: tensor<2x8x32xf32>, %d: tensor<4x32xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.canon %x, %d residual none : tensor<2x8x32xf32>, tensor<4x32xf32>
  %gate = seq.slice %0 at 0 : tensor<2x8x32xf32> -> tensor<2x8x16xf32>
  %up = seq.slice %0 at 16 : tensor<2x8x32xf32> -> tensor<2x8x16xf32>
  %1 = seq.sigmoid %gate : tensor<2x8x16xf32>
  %2 = arith.mulf %gate, %1 : tensor<2x8x16xf32>
  %3 = arith.mulf %2, %up : tensor<2x8x16xf32>
  return %3 : tensor<2x8x16xf32>
}
