// A mixer that the backward repeats has states of the usual segment, whatever the budget is: they are not saved, and so neither told
// nor counted.
// RUN: stretto-opt %s --seq-choose-segments=memory-budget=1000000 --remarks-filter=memory --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: stretto-opt %s --seq-set-activation-type=type=bf16 --seq-choose-segments --seq-set-segments | FileCheck %s --check-prefix=BF16

// CHECK-NOT: ChooseSegments
// CHECK: seq.segment = 256 : i64
// BF16: seq.saved_bytes = 4096
// BF16: -> tensor<1x1x1x512xf32>
// BF16: seq.mixer_grad {{.*}} segment 512
func.func @gradients(%x: tensor<1x512x32xf32>, %dy: tensor<1x512x32xf32>) -> tensor<1x512x32xf32> attributes {seq.saved_bytes = 4096 : i64} {
  %q = seq.slice %x at 0 : tensor<1x512x32xf32> -> tensor<1x512x16xf32>
  %o, %s = seq.mixer %q, %q, %x heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x512x16xf32>, tensor<1x512x32xf32> -> tensor<1x1x2x512xf32> {seq.repeated}
  %dq, %dk, %dv = seq.mixer_grad %dy, %q, %q, %x states %s heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x512x16xf32>, tensor<1x512x32xf32>, tensor<1x1x2x512xf32> -> tensor<1x512x16xf32>
  return %dv : tensor<1x512x32xf32>
}
