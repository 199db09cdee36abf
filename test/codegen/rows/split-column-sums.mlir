// RUN: stretto-opt %s -kern-split-column-sums -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @split
func.func @split(%x: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<16xf32>) {
  // CHECK: %[[R:.*]]:2 = kern.rowwise kernel "k"(%{{.*}}) maps [row] schedule #kern.vector_schedule<rows 8, lanes 16, chunk 4> partial_sums
  // CHECK: -> (tensor<2x8x16xf32>, tensor<4x16xf32>)
  // CHECK: %[[S:.*]] = kern.sum_partials kernel "k.sum1" %[[R]]#1 : tensor<4x16xf32> -> tensor<16xf32>
  // CHECK: return %[[R]]#0, %[[S]]
  %y, %s = kern.rowwise kernel "k"(%x) maps [row] schedule #kern.vector_schedule<rows 8, lanes 16, chunk 4> {
  ^bb0(%a: tensor<16xf32>):
    %0 = seq.column_sum %a : tensor<16xf32> -> tensor<16xf32>
    kern.yield %a, %0 : tensor<16xf32>, tensor<16xf32>
  } : (tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<16xf32>)
  return %y, %s : tensor<2x8x16xf32>, tensor<16xf32>
}

// -----

func.func @unscheduled(%x: tensor<2x8x16xf32>) -> tensor<16xf32> {
  // expected-error @+1 {{needs a schedule before its column sums are split}}
  %s = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<16xf32>):
    %0 = seq.column_sum %a : tensor<16xf32> -> tensor<16xf32>
    kern.yield %0 : tensor<16xf32>
  } : (tensor<2x8x16xf32>) -> tensor<16xf32>
  return %s : tensor<16xf32>
}
