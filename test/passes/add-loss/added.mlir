// RUN: stretto-opt %s --seq-add-loss | FileCheck %s
// RUN: stretto-opt %s --seq-add-loss=head-bytes=8192 | FileCheck %s --check-prefix=CHUNKS

// The second result is added to the loss of each token. The evaluation has nothing of it, and no means over the batch.

seq.parameter @w parts [#seq.part<"layers.{}.w.weight", 16, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x16x16xf32>
seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

func.func private @layers(%x: tensor<2x32x16xf32>, %added: tensor<2x32x1xf32>, %w: tensor<16x16xf32>) -> (tensor<2x32x16xf32>, tensor<2x32x1xf32>) {
  %0 = seq.linear %x, %w : tensor<2x32x16xf32>, tensor<16x16xf32> -> tensor<2x32x16xf32>
  %mean = seq.batch_mean %0 : tensor<2x32x16xf32> -> tensor<16xf32>
  %means = seq.broadcast %mean dims [2] : tensor<16xf32> -> tensor<2x32x16xf32>
  %1 = arith.mulf %0, %means : tensor<2x32x16xf32>
  %2 = seq.sum %1 : tensor<2x32x16xf32> -> tensor<2x32x1xf32>
  %3 = arith.addf %added, %2 : tensor<2x32x1xf32>
  return %0, %3 : tensor<2x32x16xf32>, tensor<2x32x1xf32>
}
func.func @main(%t: tensor<2x32xi32>) -> (tensor<2x32x64xf32>, tensor<2x32x1xf32>) {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %w = seq.get_parameter @w : tensor<3x16x16xf32>
  %zero = arith.constant dense<0.0> : tensor<2x32x1xf32>
  %0 = seq.embed %t, %e : tensor<2x32xi32>, tensor<64x16xf32> -> tensor<2x32x16xf32>
  %1:2 = seq.scan @layers trips 3 carry(%0, %zero) slices(%w) invariants() : (tensor<2x32x16xf32>, tensor<2x32x1xf32>, tensor<3x16x16xf32>) -> (tensor<2x32x16xf32>, tensor<2x32x1xf32>)
  %2 = seq.linear %1#0, %e : tensor<2x32x16xf32>, tensor<64x16xf32> -> tensor<2x32x64xf32>
  return %2, %1#1 : tensor<2x32x64xf32>, tensor<2x32x1xf32>
}

// CHECK-LABEL: func private @layers(
// CHECK: seq.batch_mean
// CHECK-LABEL: func @evaluate(
// CHECK-NOT: constant
// CHECK: seq.scan @layers.evaluate trips 3 carry(%{{[0-9]+}}) slices(
// CHECK-LABEL: func private @layers.evaluate(%{{.*}}: tensor<2x32x16xf32>, %{{.*}}: tensor<16x16xf32>) -> tensor<2x32x16xf32> {
// CHECK-NEXT: seq.linear
// CHECK-NEXT: return
// CHECK-LABEL: func @gradients(
// CHECK-SAME: %[[WEIGHTS:[a-z0-9]*]]: tensor<2x32xf32>)
// CHECK: %[[X:.*]]:2 = seq.scan @layers trips 3
// CHECK: %[[L:.*]] = seq.linear
// CHECK: %[[N:.*]], %[[D:.*]] = seq.cross_entropy %[[L]]
// CHECK: %[[OF_ROWS:.*]] = seq.reshape %[[WEIGHTS]] : tensor<2x32xf32> -> tensor<2x32x1xf32>
// CHECK: seq.backward of(%[[L]], %[[X]]#1) from(%[[D]], %[[OF_ROWS]])
// CHECK: %[[LOSSES:.*]] = seq.reshape %[[N]]
// CHECK: %[[ADDED:.*]] = arith.mulf %[[OF_ROWS]], %[[X]]#1
// CHECK: %[[ALL:.*]] = arith.addf %[[LOSSES]], %[[ADDED]]
// CHECK: seq.column_sum %[[ALL]]

// CHUNKS-LABEL: func @gradients(
// CHUNKS: %[[X:[0-9]+]]:2 = seq.scan @layers trips 3
// CHUNKS: seq.scan @head
// CHUNKS: seq.backward of(%[[X]]#0, %{{.*}}, %[[X]]#1) from(
