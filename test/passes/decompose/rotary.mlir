// RUN: stretto-opt %s --seq-decompose | FileCheck %s

// Two of four heads turn, in half of their columns; the others pass.

// CHECK-LABEL: func @turn
func.func @turn(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // CHECK: %[[S:.*]] = seq.slice %arg0 at 0 : tensor<2x8x16xf32> -> tensor<2x8x8xf32>
  // CHECK: %[[H:.*]] = seq.reshape %[[S]] : tensor<2x8x8xf32> -> tensor<2x8x2x4xf32>
  // CHECK: seq.table rotary_cos interleaved rotated 2 theta 1.000000e+04 : tensor<8x4xf32>
  // CHECK: seq.broadcast %{{.*}} dims [1, 3]
  // CHECK: seq.permute interleaved %[[H]] rotated 2
  // CHECK: seq.table rotary_sin
  // CHECK: %[[R:.*]] = seq.slice %arg0 at 8
  // CHECK: seq.concat %{{.*}}, %[[R]]
  %0 = seq.rotary interleaved %x heads 4 rotated 2 rotated_heads 2 theta 1.0e4 : tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
