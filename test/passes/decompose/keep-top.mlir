// One column after the other, out of those that are left: the first of the largest.
// RUN: stretto-opt %s --seq-decompose | FileCheck %s

// CHECK-LABEL: func @two_of_a_head
// CHECK: %[[X:.*]] = seq.reshape %arg0 : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
// CHECK: %[[I:.*]] = seq.column_index : tensor<2x8x4x4xf32>
// CHECK: %[[MAX:.*]] = seq.reduce max %[[X]] :
// CHECK: %[[LARGEST:.*]] = seq.broadcast %[[MAX]] dims [0, 1, 2]
// CHECK: %[[IS:.*]] = arith.cmpf oeq, %[[X]], %[[LARGEST]]
// CHECK: %[[CANDIDATES:.*]] = arith.select %[[IS]], %[[I]], %{{.*}}
// CHECK: %[[FIRST:.*]] = seq.reduce min %[[CANDIDATES]] : {{.*}} {seq.choice}
// CHECK: %[[COLUMN:.*]] = seq.broadcast %[[FIRST]] dims [0, 1, 2]
// CHECK: %[[CHOSEN:.*]] = arith.cmpf oeq, %[[I]], %[[COLUMN]]
// CHECK: %[[KEPT:.*]] = arith.select %[[CHOSEN]], %{{.*}}, %{{.*}}
// CHECK: %[[LEFT:.*]] = arith.select %[[CHOSEN]], %{{.*}}, %[[X]]
// CHECK: seq.reduce max %[[LEFT]]
// CHECK: %[[BOTH:.*]] = arith.select %{{.*}}, %{{.*}}, %[[KEPT]]
// CHECK: %[[Y:.*]] = arith.mulf %[[X]], %[[BOTH]]
// CHECK: seq.reshape %[[Y]] : tensor<2x8x4x4xf32> -> tensor<2x8x16xf32>
func.func @two_of_a_head(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %y = seq.keep_top %x count 2 heads 4 : tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}
