// RUN: stretto-opt %s --seq-set-segments | FileCheck %s

// From the mixer of a layer to its gradient: what the body returns, what its scan stacks, what the backward has as an argument.

// CHECK-LABEL: func private @layer.forward
// CHECK-SAME: -> (tensor<1x130x8xf32>, tensor<1x1x3x64xf32>)
// CHECK: seq.mixer {{.*}} segment 64 : tensor<1x130x8xf32>, tensor<1x130x8xf32> -> tensor<1x1x3x64xf32>{{$}}
func.func private @layer.forward(%x: tensor<1x130x8xf32>) -> (tensor<1x130x8xf32>, tensor<1x1x1x64xf32>) {
  %o, %s = seq.mixer %x, %x, %x heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x130x8xf32>, tensor<1x130x8xf32> -> tensor<1x1x1x64xf32> {seq.segment = 64 : i64}
  return %o, %s : tensor<1x130x8xf32>, tensor<1x1x1x64xf32>
}

// CHECK-LABEL: func private @layer.backward
// CHECK-SAME: tensor<1x1x3x64xf32> {seq.saved = 768 : i64}
// CHECK-SAME: seq.saved_bytes = 1512 : i64
// CHECK: seq.mixer_grad {{.*}} segment 64 : tensor<1x130x8xf32>, tensor<1x130x8xf32>, tensor<1x1x3x64xf32>
func.func private @layer.backward(%d: tensor<1x130x8xf32>, %s: tensor<1x1x1x64xf32> {seq.saved = 256 : i64}, %x: tensor<1x130x8xf32>) -> tensor<1x130x8xf32> attributes {seq.forward = @layer.forward, seq.saved_bytes = 1000 : i64} {
  %dq, %dk, %dv = seq.mixer_grad %d, %x, %x, %x states %s heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x130x8xf32>, tensor<1x130x8xf32>, tensor<1x1x1x64xf32> -> tensor<1x130x8xf32>
  return %dv : tensor<1x130x8xf32>
}

// CHECK-LABEL: func @gradients
// CHECK: seq.scan @layer.forward {{.*}} -> (tensor<1x130x8xf32>, tensor<4x1x1x3x64xf32>)
// CHECK: seq.scan @layer.backward {{.*}} : (tensor<1x130x8xf32>, tensor<4x1x1x3x64xf32>, tensor<1x130x8xf32>)
func.func @gradients(%x: tensor<1x130x8xf32>, %dy: tensor<1x130x8xf32>) -> tensor<1x130x8xf32> {
  %y, %s = seq.scan @layer.forward trips 4 carry(%x) slices() invariants() : (tensor<1x130x8xf32>) -> (tensor<1x130x8xf32>, tensor<4x1x1x1x64xf32>)
  %dx = seq.scan @layer.backward trips 4 reverse carry(%dy) slices(%s) invariants(%x) : (tensor<1x130x8xf32>, tensor<4x1x1x1x64xf32>, tensor<1x130x8xf32>) -> tensor<1x130x8xf32>
  return %dx : tensor<1x130x8xf32>
}
