// RUN: stretto-opt %s --kern-form-groups --kern-outline-groups | FileCheck %s

seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
seq.parameter @g parts [#seq.part<"g", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16xf32>
seq.parameter @c parts [#seq.part<"c", 2, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<2x16xf32>

// The gradients of a tied weight add up row by row of the weight, those of a gain in one row; what is
// computed from a gain alone is computed in the kernels that read it.
// CHECK-LABEL: func @tied
// CHECK: kern.rowwise kernel "tied.rowwise0"(%{{.*}}, %{{.*}}) maps [row, shared] {
// CHECK-NEXT: ^bb0(%[[ROW:.*]]: tensor<16xf32>, %[[GAIN:.*]]: tensor<16xf32>):
// CHECK: arith.mulf %[[GAIN]], %{{.*}} : tensor<16xf32>
// CHECK: arith.mulf %[[ROW]], %{{.*}} : tensor<16xf32>
// CHECK: seq.column_sum %{{.*}} : tensor<16xf32> -> tensor<16xf32>
// CHECK-DAG: (tensor<1x16x16xf32>, tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
// CHECK-DAG: (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
// CHECK-DAG: seq.reshape %{{.*}} : tensor<1x16x16xf32> -> tensor<16x16xf32>
// CHECK-DAG: seq.reshape %{{.*}} : tensor<1x1x16xf32> -> tensor<16xf32>
func.func @tied(%x: tensor<2x8x16xf32>, %a: tensor<16xf32>) {
  %g = seq.get_parameter @g : tensor<16xf32>
  %two = arith.constant dense<2.0> : tensor<16xf32>
  %0 = arith.mulf %g, %two : tensor<16xf32>
  %1 = seq.broadcast %0 dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  %2 = arith.mulf %x, %1 : tensor<2x8x16xf32>
  %3 = seq.linear_weight_grad %2, %x : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
  %4 = seq.linear_weight_grad %x, %2 : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
  %5 = arith.addf %3, %4 : tensor<16x16xf32>
  seq.gradient @w, %5 : tensor<16x16xf32>
  %6 = seq.column_sum %2 : tensor<2x8x16xf32> -> tensor<16xf32>
  %7 = arith.addf %6, %a : tensor<16xf32>
  seq.gradient @g, %7 : tensor<16xf32>
  return
}

// Sums of one kernel that are only put side by side are one sum.
// CHECK-LABEL: func @taps
// CHECK: %[[SUM:.*]] = kern.rowwise
// CHECK: %[[BOTH:.*]] = seq.concat %{{.*}}, %{{.*}} : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
// CHECK: %[[C:.*]] = seq.column_sum %[[BOTH]] : tensor<32xf32> -> tensor<32xf32>
// CHECK-NEXT: kern.yield %[[C]] : tensor<32xf32>
// CHECK-NOT: kern.rowwise
// CHECK: seq.reshape %[[SUM]] : tensor<32xf32> -> tensor<2x16xf32>
func.func @taps(%x: tensor<2x8x16xf32>, %dy: tensor<2x8x16xf32>) {
  %0 = arith.mulf %dy, %x : tensor<2x8x16xf32>
  %1 = seq.column_sum %0 : tensor<2x8x16xf32> -> tensor<16xf32>
  %2 = seq.tap %dy by 1 : tensor<2x8x16xf32>
  %3 = arith.mulf %2, %x : tensor<2x8x16xf32>
  %4 = seq.column_sum %3 : tensor<2x8x16xf32> -> tensor<16xf32>
  %5 = seq.concat %1, %4 : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
  %6 = seq.reshape %5 : tensor<32xf32> -> tensor<2x16xf32>
  seq.gradient @c, %6 : tensor<2x16xf32>
  return
}

// The sum of a weight is a number. Where it is spread over a row that is stored, it is another kernel's that makes it: it has
// no row of its own there.
// CHECK-LABEL: func @sum
// CHECK: kern.rowwise kernel "sum.rowwise0"
// CHECK: seq.reduce add %{{.*}} : tensor<16xf32> -> tensor<f32>
// CHECK: %[[ONE:.*]] = seq.reshape %{{.*}} -> tensor<1xf32>
// CHECK: kern.rowwise kernel "sum.rowwise1"({{.*}}) maps [row] {
// CHECK: seq.broadcast %{{.*}} : tensor<f32> -> tensor<12xf32>
func.func @sum(%x: tensor<2x8x16xf32>, %w: tensor<12x16xf32>) -> tensor<2x8x12xf32> {
  %g = seq.get_parameter @g : tensor<16xf32>
  %0 = seq.reduce add %g : tensor<16xf32> -> tensor<f32>
  %1 = seq.reshape %0 : tensor<f32> -> tensor<1xf32>
  %2 = seq.broadcast %1 dims [0] : tensor<1xf32> -> tensor<1x12xf32>
  %3 = seq.reshape %2 : tensor<1x12xf32> -> tensor<12xf32>
  %4 = math.exp %3 : tensor<12xf32>
  %5 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<12x16xf32> -> tensor<2x8x12xf32>
  %6 = seq.broadcast %4 dims [2] : tensor<12xf32> -> tensor<2x8x12xf32>
  %7 = arith.mulf %5, %6 : tensor<2x8x12xf32>
  return %7 : tensor<2x8x12xf32>
}

// Columns of a weight that a matmul reads are copied by a kernel of its rows.
// CHECK-LABEL: func @columns
// CHECK: kern.rowwise kernel "columns.rowwise0"({{.*}}) maps [row] {
// CHECK: seq.slice %{{.*}} at 4 : tensor<16xf32> -> tensor<8xf32>
// CHECK: seq.linear
func.func @columns(%x: tensor<2x8x8xf32>) -> tensor<2x8x16xf32> {
  %w = seq.get_parameter @w : tensor<16x16xf32>
  %0 = seq.slice %w at 4 : tensor<16x16xf32> -> tensor<16x8xf32>
  %1 = seq.linear %x, %0 : tensor<2x8x8xf32>, tensor<16x8xf32> -> tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}
