// RUN: stretto-opt %s --kern-choose-fused-sums --kern-fuse-sums | FileCheck %s

// Sums of one function are one launch where the last partials are there, with results in the order of the sums.
// CHECK-LABEL: func.func private @layer.backward(
// CHECK: %[[X:.*]]:2 = kern.rowwise kernel "x"
// CHECK-NOT: kern.sum_partials
// CHECK: %[[Y:.*]] = kern.rowwise kernel "y"
// CHECK: %[[S:.*]]:2 = kern.sum_partials kernel "layer.backward.sums0" %[[X]]#1, %[[Y]] : tensor<2x16xf32>, tensor<4x16xf32> -> tensor<16xf32>, tensor<16xf32>
// CHECK-NOT: kern.fused_sum
// CHECK: return %[[X]]#0, %[[S]]#0, %[[S]]#1
func.func private @layer.backward(%x: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %y, %p = kern.rowwise kernel "x"(%x) maps [row] schedule #kern.vector_schedule<rows 8, lanes 16, chunk 8> partial_sums {
  ^bb0(%a: tensor<16xf32>):
    %0 = arith.mulf %a, %a : tensor<16xf32>
    %1 = seq.column_sum %a : tensor<16xf32> -> tensor<16xf32>
    kern.yield %0, %1 : tensor<16xf32>, tensor<16xf32>
  } : (tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x16xf32>)
  %s = kern.sum_partials kernel "x.sum1" %p : tensor<2x16xf32> -> tensor<16xf32>
  %q = kern.rowwise kernel "y"(%y) maps [row] schedule #kern.vector_schedule<rows 4, lanes 16, chunk 4> partial_sums {
  ^bb0(%a: tensor<16xf32>):
    %0 = seq.column_sum %a : tensor<16xf32> -> tensor<16xf32>
    kern.yield %0 : tensor<16xf32>
  } : (tensor<2x8x16xf32>) -> tensor<4x16xf32>
  %t = kern.sum_partials kernel "y.sum0" %q : tensor<4x16xf32> -> tensor<16xf32>
  return %y, %s, %t : tensor<2x8x16xf32>, tensor<16xf32>, tensor<16xf32>
}

// Where names are missing, the launch has none yet; a sum by itself stays what it is.
// CHECK-LABEL: func.func private @unnamed(
// CHECK: kern.sum_partials %{{.*}}, %{{.*}} : tensor<2x16xf32>, tensor<4x16xf32> -> tensor<16xf32>, tensor<16xf32>
func.func private @unnamed(%p: tensor<2x16xf32>, %q: tensor<4x16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %s = kern.sum_partials kernel "a" %p : tensor<2x16xf32> -> tensor<16xf32>
  %t = kern.sum_partials %q : tensor<4x16xf32> -> tensor<16xf32>
  return %s, %t : tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: func.func private @alone(
// CHECK: kern.sum_partials kernel "b" %{{.*}} : tensor<2x16xf32> -> tensor<16xf32>{{$}}
func.func private @alone(%p: tensor<2x16xf32>) -> tensor<16xf32> {
  %s = kern.sum_partials kernel "b" %p : tensor<2x16xf32> -> tensor<16xf32>
  return %s : tensor<16xf32>
}
