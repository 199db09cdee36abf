// RUN: stretto-opt %s --seq-decompose | FileCheck %s

// CHECK-LABEL: func @layer
func.func @layer(%x: tensor<2x8x16xf32>, %g: tensor<4xf32>, %c: tensor<2x16xf32>) -> tensor<2x8x16xf32> {
  // A norm of each of four heads: the mean runs over four columns.
  // CHECK: %[[H:.*]] = seq.reshape %arg0 : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
  // CHECK: seq.reduce add %{{.*}} : tensor<2x8x4x4xf32> -> tensor<2x8x4xf32>
  // CHECK: arith.constant dense<2.500000e-01>
  // CHECK: math.rsqrt
  // CHECK: seq.broadcast %{{.*}} dims [0, 1, 2]
  // CHECK: seq.broadcast %arg1 dims [3]
  %0 = seq.rms_norm %x, %g eps 1.0e-5 heads 4 : tensor<2x8x16xf32>, tensor<4xf32>
  // Tap 0 is the value itself; row 1 of the weight multiplies the position before.
  // CHECK: seq.slice %[[W:.*]] at 0 : tensor<32xf32> -> tensor<16xf32>
  // CHECK: seq.tap %{{.*}} by -1
  // CHECK: seq.slice %[[W]] at 16 : tensor<32xf32> -> tensor<16xf32>
  // CHECK: seq.sigmoid
  %1 = seq.canon %0, %c silu : tensor<2x8x16xf32>, tensor<2x16xf32>
  return %1 : tensor<2x8x16xf32>
}

// The residual is added to what comes out of the activation; with none between them, the sum begins with it.
// CHECK-LABEL: func @residual
func.func @residual(%x: tensor<2x8x16xf32>, %c: tensor<2x16xf32>, %bias: tensor<16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  // CHECK: %[[TERM:.*]] = arith.mulf %arg0,
  // CHECK: arith.addf %[[TERM]]
  // CHECK: %[[SUM:.*]] = arith.addf
  // CHECK: %[[S:.*]] = seq.sigmoid %[[SUM]]
  // CHECK: %[[ACTIVATED:.*]] = arith.mulf %[[SUM]], %[[S]]
  // CHECK: %[[Y:.*]] = arith.addf %arg0, %[[ACTIVATED]]
  %0 = seq.canon %x, %c bias %bias : tensor<16xf32> residual silu : tensor<2x8x16xf32>, tensor<2x16xf32>
  // CHECK: arith.addf %arg0,
  // CHECK-NOT: seq.sigmoid
  // CHECK: return %[[Y]]
  %1 = seq.canon %x, %c bias %bias : tensor<16xf32> residual none : tensor<2x8x16xf32>, tensor<2x16xf32>
  return %0, %1 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}
