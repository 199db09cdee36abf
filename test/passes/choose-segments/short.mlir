// RUN: stretto-opt %s --seq-choose-segments=memory-budget=1 --remarks-filter=memory --remark-format=emitRemark 2>&1 | FileCheck %s

// Where a sequence is one segment in any case, short ones cost nothing, and nothing is refused.

// CHECK-NOT: Missed
// CHECK: seq.mixer {{.*}} {seq.segment = 64 : i64}
func.func @gradients(%x: tensor<1x64x8xf32>) -> tensor<1x64x8xf32> attributes {seq.saved_bytes = 256 : i64} {
  %y, %s = seq.mixer %x, %x, %x heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x64x8xf32>, tensor<1x64x8xf32> -> tensor<1x1x1x64xf32>
  %dq, %dk, %dv = seq.mixer_grad %y, %x, %x, %x states %s heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x64x8xf32>, tensor<1x64x8xf32>, tensor<1x1x1x64xf32> -> tensor<1x64x8xf32>
  return %dv : tensor<1x64x8xf32>
}
