// RUN: stretto-opt %s --kern-plan-memory --kern-choose-buckets=bucket-bytes=4096 --kern-verify-memory | FileCheck %s
// RUN: stretto-opt %s --kern-plan-memory --kern-choose-buckets=bucket-bytes=1000000 --kern-verify-memory | FileCheck %s --check-prefix=ONE
// RUN: stretto-opt %s --kern-plan-memory --kern-choose-buckets=bucket-bytes=4096 --remarks-filter=exchange --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Flat gradients are rows of 2048 bytes: @tied has 2, @norm a part of the next, then come 3 layers of 2 each, @slow
// none. A stacked weight is final once in each iteration; @norm is before the scan, but small, and goes with its neighbor
// in time; @tied is read in two places, and final behind the last of them.

// CHECK: module attributes {{.*}}kern.buckets = [#kern.bucket<first 7, rows 2>, #kern.bucket<first 5, rows 2>, #kern.bucket<first 2, rows 3>, #kern.bucket<first 0, rows 2>]
// ONE: module attributes {{.*}}kern.buckets = [#kern.bucket<first 0, rows 9>]
// REMARK: Bytes=4096, PercentOfWorkAfter=50, Remark="bucket 1 of 4 is exchanged beside what follows"
// REMARK: Bytes=6144, PercentOfWorkAfter=17, Remark="bucket 3 of 4 is exchanged beside what follows"
seq.parameter @tied parts [#seq.part<"tied", 32, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<32x32xf32>
seq.parameter @norm parts [#seq.part<"norm", 32, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<32xf32>
seq.parameter @w parts [#seq.part<"layers.{}.w", 32, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<3x32x32xf32>
seq.parameter @slow parts [#seq.part<"slow", 32, <normal, 0.0 : f64, 1.0 : f64>>] frozen : tensor<32x32xf32>

// The forward waits for the buckets in the other order: for @tied, then for the layers as they come.
// CHECK-LABEL: func.func private @layer.forward
// CHECK: kern.await buckets [2, 3, 4]
// CHECK-NEXT: seq.linear
// ONE-NOT: kern.await
func.func private @layer.forward(%x: tensor<1x8x32xf32>, %w: tensor<32x32xf32>) -> (tensor<1x8x32xf32>, tensor<1x8x32xf32>) {
  %y = seq.linear %x, %w : tensor<1x8x32xf32>, tensor<32x32xf32> -> tensor<1x8x32xf32>
  return %y, %x : tensor<1x8x32xf32>, tensor<1x8x32xf32>
}

// CHECK-LABEL: func.func private @layer.backward
// CHECK: %[[DW:.*]] = seq.linear_weight_grad
// CHECK-NEXT: kern.ready [@w](%[[DW]]) buckets [3, 2, 1]
// CHECK-NEXT: seq.linear_input_grad
// ONE: kern.ready [@w]({{.*}}) buckets [0, 0, 0]
func.func private @layer.backward(%dy: tensor<1x8x32xf32>, %x: tensor<1x8x32xf32>, %w: tensor<32x32xf32>) -> (tensor<1x8x32xf32>, tensor<32x32xf32>) {
  %dw = seq.linear_weight_grad %dy, %x : tensor<1x8x32xf32>, tensor<1x8x32xf32> -> tensor<32x32xf32>
  %dx = seq.linear_input_grad %dy, %w : tensor<1x8x32xf32>, tensor<32x32xf32> -> tensor<1x8x32xf32>
  return %dx, %dw : tensor<1x8x32xf32>, tensor<32x32xf32>
}

// CHECK-LABEL: func.func @gradients
// CHECK: kern.await buckets [1]
// CHECK-NEXT: seq.linear
// CHECK-NOT: kern.await
// CHECK: kern.sum_partials
// CHECK-NEXT: kern.ready [@norm]({{.*}}) buckets [0]
// CHECK: seq.scan @layer.backward
// CHECK: %[[TIED:.*]] = seq.linear_weight_grad {{.*}} accumulate
// CHECK-NEXT: kern.ready [@tied](%[[TIED]]) buckets [4]
// ONE: kern.ready [@tied]({{.*}}) buckets [1]
func.func @gradients(%in: tensor<1x8x32xf32>, %p: tensor<4x32xf32>) -> tensor<1x8x32xf32> {
  %w = seq.get_parameter @w : tensor<3x32x32xf32>
  %tied = seq.get_parameter @tied : tensor<32x32xf32>
  %x0 = seq.linear %in, %tied : tensor<1x8x32xf32>, tensor<32x32xf32> -> tensor<1x8x32xf32>
  %y, %xs = seq.scan @layer.forward trips 3 carry(%x0) slices(%w) invariants() : (tensor<1x8x32xf32>, tensor<3x32x32xf32>) -> (tensor<1x8x32xf32>, tensor<3x1x8x32xf32>)
  %head = seq.linear_weight_grad %x0, %y : tensor<1x8x32xf32>, tensor<1x8x32xf32> -> tensor<32x32xf32>
  %dn = kern.sum_partials kernel "s" %p : tensor<4x32xf32> -> tensor<32xf32>
  %dx, %dws = seq.scan @layer.backward trips 3 reverse carry(%y) slices(%xs, %w) invariants() : (tensor<1x8x32xf32>, tensor<3x1x8x32xf32>, tensor<3x32x32xf32>) -> (tensor<1x8x32xf32>, tensor<3x32x32xf32>)
  %both = seq.linear_weight_grad %dx, %in accumulate %head : tensor<32x32xf32> : tensor<1x8x32xf32>, tensor<1x8x32xf32> -> tensor<32x32xf32>
  seq.gradient @tied, %both : tensor<32x32xf32>
  seq.gradient @norm, %dn : tensor<32xf32>
  seq.gradient @w, %dws : tensor<3x32x32xf32>
  return %dx : tensor<1x8x32xf32>
}
