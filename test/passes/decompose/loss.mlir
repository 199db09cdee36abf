// RUN: stretto-opt %s --seq-decompose | FileCheck %s

// CHECK-LABEL: func @loss
func.func @loss(%l: tensor<2x8x5xf32>, %t: tensor<2x8xi32>, %w: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xi32>) {
  // CHECK: seq.reduce max
  // CHECK: math.exp
  // CHECK: seq.column_index : tensor<2x8x5xf32>
  // CHECK: arith.cmpf oeq
  %0, %1 = seq.cross_entropy %l, %t, %w : tensor<2x8x5xf32>, tensor<2x8xi32>, tensor<2x8xf32>
  // CHECK: seq.reduce min
  // CHECK: arith.fptosi
  %2, %3 = seq.predict %1, %t : tensor<2x8x5xf32>, tensor<2x8xi32> -> tensor<2x8xf32>
  // CHECK-NOT: seq.predict
  return %0, %3 : tensor<2x8xf32>, tensor<2x8xi32>
}
