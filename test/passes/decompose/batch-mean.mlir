// RUN: stretto-opt %s --seq-decompose | FileCheck %s

// CHECK-LABEL: func @part_of_tokens
// CHECK: %[[IS:.*]] = arith.cmpf ogt, %arg0, %[[ZERO:.*]] : tensor<2x8x16xf32>
// CHECK: %[[STEP:.*]] = arith.select %[[IS]], %{{.*}}, %[[ZERO]]
// CHECK: %[[SUM:.*]] = seq.column_sum %[[STEP]] : tensor<2x8x16xf32> -> tensor<16xf32>
// CHECK: arith.constant dense<6.250000e-02> : tensor<16xf32>
// CHECK: arith.mulf %[[SUM]]
func.func @part_of_tokens(%x: tensor<2x8x16xf32>) -> tensor<16xf32> {
  %0 = seq.heaviside %x : tensor<2x8x16xf32>
  %1 = seq.batch_mean %0 : tensor<2x8x16xf32> -> tensor<16xf32>
  return %1 : tensor<16xf32>
}
