// RUN: stretto-opt %s --kern-form-groups --kern-outline-groups | FileCheck %s

// A sum over the rows of what is computed from none of them: a kernel that stores them knows how many they are.

// CHECK-LABEL: func @sum_of_full
// CHECK: kern.rowwise kernel "sum_of_full.rowwise0"() maps [] {
// CHECK: %[[FULL:.*]] = arith.addf
// CHECK: %[[SUM:.*]] = seq.column_sum %[[FULL]]
// CHECK: kern.yield %[[SUM]], %[[FULL]]
// CHECK: () -> (tensor<16xf32>, tensor<2x8x16xf32>)
func.func @sum_of_full() -> tensor<16xf32> {
  %index = seq.column_index : tensor<2x8x16xf32>
  %one = arith.constant dense<1.0> : tensor<2x8x16xf32>
  %0 = arith.addf %index, %one : tensor<2x8x16xf32>
  %1 = seq.column_sum %0 : tensor<2x8x16xf32> -> tensor<16xf32>
  return %1 : tensor<16xf32>
}
