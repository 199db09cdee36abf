// RUN: stretto-opt %s --seq-decompose --canonicalize | FileCheck %s

// Derivatives are exact: weight + weight * 2 * 0.25 nll before the likelihood's, weight * 2 * 0.5 log-sum-exp before the
// probabilities. What a term needs is computed only where it is there.

// CHECK-LABEL: func @both
// CHECK-DAG: %[[HALF:.*]] = arith.constant dense<5.000000e-01> : tensor<2x8xf32>
// CHECK-DAG: %[[QUARTER:.*]] = arith.constant dense<2.500000e-01> : tensor<2x8xf32>
// CHECK: arith.cmpf oeq, {{.*}} {seq.loss, seq.nll_square = 2.500000e-01 : f64, seq.z_loss = 5.000000e-01 : f64}
// CHECK: %[[LOG:.*]] = math.log
// CHECK: %[[Z:.*]] = arith.addf %[[LOG]]
// CHECK: %[[N:.*]] = arith.subf %[[Z]]
// CHECK: %[[NN:.*]] = arith.mulf %[[N]], %[[N]]
// CHECK: arith.mulf %[[NN]], %[[QUARTER]]
// CHECK: %[[SLOPE:.*]] = arith.mulf %[[N]], %[[HALF]]
// CHECK: %[[MORE:.*]] = arith.mulf %arg2, %[[SLOPE]]
// CHECK: arith.addf %arg2, %[[MORE]]
// CHECK: %[[ZZ:.*]] = arith.mulf %[[Z]], %[[Z]]
// CHECK: arith.mulf %[[ZZ]], %[[HALF]]
// CHECK: arith.mulf %arg2, %[[Z]]
func.func @both(%l: tensor<2x8x5xf32>, %t: tensor<2x8xi32>, %w: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8x5xf32>) {
  %0, %1 = seq.cross_entropy %l, %t, %w nll_square 0.25 z_loss 0.5 : tensor<2x8x5xf32>, tensor<2x8xi32>, tensor<2x8xf32>
  return %0, %1 : tensor<2x8xf32>, tensor<2x8x5xf32>
}

// CHECK-LABEL: func @none
// CHECK-COUNT-3: arith.mulf
// CHECK-NOT: arith.mulf
func.func @none(%l: tensor<2x8x5xf32>, %t: tensor<2x8xi32>, %w: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8x5xf32>) {
  %0, %1 = seq.cross_entropy %l, %t, %w : tensor<2x8x5xf32>, tensor<2x8xi32>, tensor<2x8xf32>
  return %0, %1 : tensor<2x8xf32>, tensor<2x8x5xf32>
}
