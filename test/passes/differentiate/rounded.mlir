// RUN: stretto-opt %s --seq-set-activation-type=type=bf16 --seq-differentiate | FileCheck %s
// RUN: stretto-opt %s --seq-set-activation-type=type=bf16 --seq-differentiate --seq-choose-saved | FileCheck %s --check-prefix=SUM

// Rows count as bf16, states of mixers and statistics of attention as what they are.

seq.parameter @w parts [#seq.part<"w", 8, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<8x8xf32>
func.func private @layer(%x: tensor<1x64x8xf32>) -> tensor<1x64x8xf32> {
  %y = seq.mixer %x, %x, %x heads 1 key_heads 1 scale 1.0 segment 64 : tensor<1x64x8xf32>, tensor<1x64x8xf32>
  %o, %lse = seq.attention %y, %y, %y heads 2 kv_heads 2 scale 0.5 causal : tensor<1x64x8xf32>, tensor<1x64x8xf32>, tensor<1x64x8xf32> -> tensor<1x64x8xf32>, tensor<1x2x64xf32>
  return %o : tensor<1x64x8xf32>
}
// SUM: func private @layer.backward{{.*}} seq.saved_bytes = 3840 : i64
// CHECK-LABEL: func private @layer.backward
// CHECK-SAME: tensor<1x64x8xf32> {seq.saved = 1024 : i64}
// CHECK-SAME: tensor<1x2x64xf32> {seq.saved = 512 : i64}
// CHECK-SAME: tensor<1x1x1x64xf32> {seq.saved = 256 : i64}
func.func @gradients(%x: tensor<1x64x8xf32>, %dy: tensor<1x64x8xf32>) {
  %w = seq.get_parameter @w : tensor<8x8xf32>
  %h = seq.linear %x, %w : tensor<1x64x8xf32>, tensor<8x8xf32> -> tensor<1x64x8xf32>
  %y = seq.scan @layer trips 3 carry(%h) slices() invariants() : (tensor<1x64x8xf32>) -> tensor<1x64x8xf32>
  seq.backward of(%y) from(%dy) : tensor<1x64x8xf32>
  return
}
