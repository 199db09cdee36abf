// RUN: stretto-opt %s --seq-choose-segments --verify-roundtrip | FileCheck %s --check-prefixes=CHECK,USUAL
// RUN: stretto-opt %s --seq-choose-segments=memory-budget=180224 --verify-roundtrip | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: stretto-opt %s --seq-choose-segments=memory-budget=180223 --remarks-filter=memory --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SOME
// RUN: stretto-opt %s --seq-choose-segments=memory-budget=1 | FileCheck %s --check-prefixes=CHECK,USUAL
// RUN: stretto-opt %s --seq-set-activation-type=type=bf16 --seq-choose-segments | FileCheck %s --check-prefixes=CHECK,BF16

// Two layers save x, 65536 bytes, and states of 2048 bytes each; one mixer stands outside of the layers. With the usual
// segments, of 256 tokens, 2 * (65536 + 4096) + 4096 = 143360 bytes; 2 * 12288 more with segments of 64 in the layers, 12288 more
// outside of them.

// CHECK-LABEL: func private @layer.forward
// USUAL: seq.mixer {{.*}} {seq.segment = 256 : i64}
// ALL:   seq.mixer {{.*}} {seq.segment = 64 : i64}
// BF16:  seq.mixer {{.*}} {seq.segment = 512 : i64}
// SOME:  remark: [Passed] ChooseSegments | Category:memory | Function=layer.forward | Bytes=16384, Remark="the state before each 64 tokens"
func.func private @layer.forward(%x: tensor<1x512x32xf32>) -> (tensor<1x512x32xf32>, tensor<1x512x32xf32>, tensor<1x1x2x512xf32>) {
  %q = seq.slice %x at 0 : tensor<1x512x32xf32> -> tensor<1x512x16xf32>
  %o, %s = seq.mixer %q, %q, %x heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x512x16xf32>, tensor<1x512x32xf32> -> tensor<1x1x2x512xf32>
  return %o, %x, %s : tensor<1x512x32xf32>, tensor<1x512x32xf32>, tensor<1x1x2x512xf32>
}

func.func private @layer.backward(%d: tensor<1x512x32xf32>, %x: tensor<1x512x32xf32>, %s: tensor<1x1x2x512xf32>) -> tensor<1x512x32xf32> attributes {seq.forward = @layer.forward, seq.saved_bytes = 69632 : i64} {
  %q = seq.slice %x at 0 : tensor<1x512x32xf32> -> tensor<1x512x16xf32>
  %dq, %dk, %dv = seq.mixer_grad %d, %q, %q, %x states %s heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x512x16xf32>, tensor<1x512x32xf32>, tensor<1x1x2x512xf32> -> tensor<1x512x16xf32>
  return %dv : tensor<1x512x32xf32>
}

// CHECK-LABEL: func @gradients
// USUAL: seq.mixer {{.*}} {seq.segment = 256 : i64}
// ALL:   seq.mixer {{.*}} {seq.segment = 64 : i64}
// BF16:  seq.mixer {{.*}} {seq.segment = 512 : i64}
// SOME:  remark: [Missed] ChooseSegments | Category:memory | Function=gradients | Reason="12288 bytes more of all layers, and the memory budget leaves 12287", Remark="the state before each 64 tokens"
// SOME:  remark: [Passed] ChooseSegments | Category:memory | Function=gradients | Bytes=8192, Remark="the state before each 128 tokens"
// SOME:  seq.segment = 64 : i64
// SOME:  seq.segment = 128 : i64
func.func @gradients(%x: tensor<1x512x32xf32>, %dy: tensor<1x512x32xf32>) -> tensor<1x512x32xf32> attributes {seq.saved_bytes = 4096 : i64} {
  %y, %xs, %ss = seq.scan @layer.forward trips 2 carry(%x) slices() invariants() : (tensor<1x512x32xf32>) -> (tensor<1x512x32xf32>, tensor<2x1x512x32xf32>, tensor<2x1x1x2x512xf32>)
  %q = seq.slice %y at 0 : tensor<1x512x32xf32> -> tensor<1x512x16xf32>
  %o, %s = seq.mixer %q, %q, %y heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x512x16xf32>, tensor<1x512x32xf32> -> tensor<1x1x2x512xf32>
  %dq, %dk, %dv = seq.mixer_grad %dy, %q, %q, %y states %s heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x512x16xf32>, tensor<1x512x32xf32>, tensor<1x1x2x512xf32> -> tensor<1x512x16xf32>
  %dx = seq.scan @layer.backward trips 2 reverse carry(%dv) slices(%xs, %ss) invariants() : (tensor<1x512x32xf32>, tensor<2x1x512x32xf32>, tensor<2x1x1x2x512xf32>) -> tensor<1x512x32xf32>
  return %dx : tensor<1x512x32xf32>
}
