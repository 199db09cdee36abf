// RUN: stretto-opt %s --seq-add-loss=head-bytes=8192 --remarks-filter=memory --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// 64 positions of 64 logits are 16384 bytes: two chunks of 32 rows.

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

func.func @main(%t: tensor<2x32xi32>) -> tensor<2x32x64xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x32xi32>, tensor<64x16xf32> -> tensor<2x32x16xf32>
  %1 = seq.linear %0, %e : tensor<2x32x16xf32>, tensor<64x16xf32> -> tensor<2x32x64xf32>
  return %1 : tensor<2x32x64xf32>
}

// REMARK: [Passed] HeadChunks
// REMARK-SAME: Rows=32
// CHECK-LABEL: func @evaluate
// CHECK-SAME: attributes {seq.entry = #seq<entry_kind evaluation>}
// CHECK: seq.scan @head.evaluate trips 2
// CHECK-LABEL: func private @head.evaluate
// CHECK: seq.predict
// CHECK-LABEL: func @gradients
// CHECK-SAME: attributes {seq.entry = #seq<entry_kind training>}
// CHECK: seq.scan @head trips 2 carry(%{{.*}}) slices(%{{.*}}, %{{.*}}, %{{.*}}) invariants
// CHECK: seq.backward of(
// CHECK-LABEL: func private @head(
// CHECK: seq.cross_entropy
// CHECK: seq.linear_weight_grad %{{.*}} accumulate
