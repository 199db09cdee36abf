// RUN: stretto-opt %s --seq-add-loss | FileCheck %s

// Small logits: one loss over all positions; the evaluation gets a scan body of its own.

seq.parameter @w parts [#seq.part<"layers.{}.w.weight", 16, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x16x16xf32>
seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

func.func private @layers(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x64xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %w = seq.get_parameter @w : tensor<3x16x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.scan @layers trips 3 carry(%0) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<3x16x16xf32>) -> tensor<2x8x16xf32>
  %2 = seq.linear %1, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  return %2 : tensor<2x8x64xf32>
}

// CHECK-NOT: @main
// CHECK-LABEL: func @evaluate(%{{.*}}: tensor<2x8xi32>, %{{.*}}: tensor<2x8xi32>) -> (tensor<2x8xf32>, tensor<2x8xi32>)
// CHECK: seq.scan @layers.evaluate
// CHECK: seq.predict
// CHECK-LABEL: func @gradients(%{{.*}}: tensor<2x8xi32>, %{{.*}}: tensor<2x8xi32>, %{{.*}}: tensor<2x8xf32>) -> tensor<1xf32>
// CHECK: seq.scan @layers
// CHECK: %[[L:.*]] = seq.linear
// CHECK: %[[N:.*]], %[[D:.*]] = seq.cross_entropy %[[L]]
// CHECK: seq.backward of(%[[L]]) from(%[[D]])
// CHECK: seq.column_sum
