// Of each head alone. What no exponential is above is no part of the result: it has no gradient.
// RUN: stretto-opt %s --seq-decompose | FileCheck %s

// CHECK-LABEL: func @softmax
// CHECK: %[[X:.*]] = seq.reshape %arg0 : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
// CHECK: %[[MAX:.*]] = seq.reduce max %[[X]] : tensor<2x8x4x4xf32> -> tensor<2x8x4xf32> {seq.held_constant}
// CHECK: %[[ALONG:.*]] = seq.broadcast %[[MAX]] dims [0, 1, 2]
// CHECK: %[[SHIFTED:.*]] = arith.subf %[[X]], %[[ALONG]]
// CHECK: %[[E:.*]] = math.exp %[[SHIFTED]]
// CHECK: %[[SUM:.*]] = seq.reduce add %[[E]] : tensor<2x8x4x4xf32> -> tensor<2x8x4xf32>
// CHECK: arith.divf %{{.*}}, %[[SUM]]
// CHECK: seq.reshape %{{.*}} : tensor<2x8x4x4xf32> -> tensor<2x8x16xf32>
func.func @softmax(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %y = seq.softmax %x heads 4 : tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}

// CHECK-LABEL: func @sums
// CHECK: %[[X:.*]] = seq.reshape %arg0 : tensor<2x8x16xf32> -> tensor<2x8x2x8xf32>
// CHECK: seq.reduce add %[[X]] : tensor<2x8x2x8xf32> -> tensor<2x8x2xf32>
// CHECK: %[[ONE:.*]] = seq.reduce add %arg0 : tensor<2x8x16xf32> -> tensor<2x8xf32>
// CHECK: seq.reshape %[[ONE]] : tensor<2x8xf32> -> tensor<2x8x1xf32>
func.func @sums(%x: tensor<2x8x16xf32>) -> (tensor<2x8x2xf32>, tensor<2x8x1xf32>) {
  %0 = seq.sum %x : tensor<2x8x16xf32> -> tensor<2x8x2xf32>
  %1 = seq.sum %x : tensor<2x8x16xf32> -> tensor<2x8x1xf32>
  return %0, %1 : tensor<2x8x2xf32>, tensor<2x8x1xf32>
}
