// RUN: stretto-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func @fused
func.func @fused(%x: tensor<2x8x16xf32>, %g: tensor<16xf32>) -> tensor<16xf32> {
  // CHECK: kern.rowwise kernel "k"(%{{.*}}, %{{.*}}) maps [row, shared] schedule #kern.vector_schedule<rows 8, lanes 16, chunk 64>
  %y, %dg = kern.rowwise kernel "k"(%x, %g) maps [row, shared] schedule #kern.vector_schedule<rows 8, lanes 16, chunk 64> {
  ^bb0(%row: tensor<16xf32>, %gain: tensor<16xf32>):
    %0 = arith.mulf %row, %gain : tensor<16xf32>
    %1 = seq.tap %0 by -1 : tensor<16xf32>
    %2 = arith.addf %0, %1 : tensor<16xf32>
    %3 = seq.column_sum %2 : tensor<16xf32> -> tensor<16xf32>
    kern.yield %2, %3 : tensor<16xf32>, tensor<16xf32>
  } {kern.slots = [#kern.slot<activations, 4096, stride 0, parity 0>]} : (tensor<2x8x16xf32>, tensor<16xf32>) -> (tensor<2x8x16xf32>, tensor<16xf32>)
  %p = kern.rowwise(%x) maps [row] schedule #kern.vector_schedule<rows 8, lanes 16, chunk 4> partial_sums {
  ^bb0(%row: tensor<16xf32>):
    %0 = seq.column_sum %row : tensor<16xf32> -> tensor<16xf32>
    kern.yield %0 : tensor<16xf32>
  } : (tensor<2x8x16xf32>) -> tensor<4x16xf32>
  // CHECK: kern.pad %{{.*}} : tensor<2x8x16xf32> -> tensor<2x8x20xf32>
  %wide = kern.pad %y : tensor<2x8x16xf32> -> tensor<2x8x20xf32>
  // CHECK: kern.sum_partials %{{.*}} accumulate %{{.*}} : tensor<16xf32> : tensor<4x16xf32> -> tensor<16xf32>
  %s = kern.sum_partials %p accumulate %dg : tensor<16xf32> : tensor<4x16xf32> -> tensor<16xf32>
  // CHECK: kern.sum_partials kernel "two" %{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<2x8x16xf32> -> tensor<16xf32>, tensor<8x16xf32>
  %t:2 = kern.sum_partials kernel "two" %p, %y : tensor<4x16xf32>, tensor<2x8x16xf32> -> tensor<16xf32>, tensor<8x16xf32>
  return %s : tensor<16xf32>
}

// CHECK: module attributes {kern.buckets = [#kern.bucket<first 0, rows 2>]}
// CHECK-LABEL: func @ready
// CHECK: kern.await buckets [1, 2]
// CHECK: kern.ready [@w](%{{.*}}) buckets [1] : tensor<16xf32>
module attributes {kern.buckets = [#kern.bucket<first 0, rows 2>]} {
  seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16xf32>
  func.func @ready(%g: tensor<16xf32>) {
    kern.await buckets [1, 2]
    kern.ready [@w](%g) buckets [1] : tensor<16xf32>
    return
  }
}
