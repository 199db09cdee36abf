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
