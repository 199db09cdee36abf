// RUN: stretto-opt %s --kern-form-groups --kern-duplicate-producers | FileCheck %s
// RUN: stretto-opt %s --kern-form-groups --kern-duplicate-producers --kern-outline-groups -o /dev/null

// A slice is a member for the sake of the matmul that reads it; its copy is read by a kernel alone and moves with it.
// CHECK-LABEL: func @moves
// CHECK: seq.slice %{{.*}} at 0 : {{.*}} {kern.group = 0 : i64}
// CHECK: seq.slice %{{.*}} at 0 : tensor<2x8x32xf32> -> tensor<2x8x16xf32>{{$}}
// CHECK: seq.linear
func.func @moves(%x: tensor<2x8x32xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = arith.addf %x, %x : tensor<2x8x32xf32>
  %1 = seq.slice %0 at 0 : tensor<2x8x32xf32> -> tensor<2x8x16xf32>
  %2 = seq.linear %1, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %3 = arith.mulf %1, %2 : tensor<2x8x16xf32>
  %4 = seq.slice %x at 16 : tensor<2x8x32xf32> -> tensor<2x8x16xf32>
  %5 = arith.mulf %3, %4 : tensor<2x8x16xf32>
  return %5 : tensor<2x8x16xf32>
}

// Both additions are repeated, though what the second one reads is not there yet where the first one is read.
// CHECK-LABEL: func @late
// CHECK: arith.addf %arg0, %arg0 {kern.group = 0 : i64}
// CHECK: arith.addf %arg0, %arg0 {kern.group = 1 : i64}
// CHECK: arith.addf %{{.*}}, %{{.*}} {kern.group = 0 : i64}
// CHECK: arith.addf %{{.*}}, %{{.*}} {kern.group = 1 : i64}
func.func @late(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %0 = arith.addf %x, %x : tensor<2x8x16xf32>
  %1 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = arith.mulf %0, %1 : tensor<2x8x16xf32>
  %3 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %4 = arith.addf %0, %3 : tensor<2x8x16xf32>
  %5 = seq.linear %4, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %6 = arith.mulf %4, %2 : tensor<2x8x16xf32>
  %7 = arith.mulf %6, %3 : tensor<2x8x16xf32>
  %8 = arith.mulf %7, %x : tensor<2x8x16xf32>
  return %8, %5 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}

// What is repeated beside operations stands where all of them find it, also one that comes before the operation to repeat.
// CHECK-LABEL: func @shared
// CHECK: arith.addf {{.*}} {kern.group = 0 : i64}
// CHECK: arith.addf {{.*}} {kern.group = 1 : i64}
// CHECK: seq.reshape
// CHECK-NEXT: %[[AGAIN:.*]] = seq.reshape
// CHECK: arith.mulf %{{.*}}, %[[AGAIN]] {kern.group = 1 : i64}
// CHECK: arith.addf %[[AGAIN]], %[[AGAIN]] {kern.group = 1 : i64}
func.func @shared(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.reshape %x : tensor<2x8x16xf32> -> tensor<2x8x2x8xf32>
  %1 = arith.addf %0, %0 : tensor<2x8x2x8xf32>
  %2 = seq.reshape %1 : tensor<2x8x2x8xf32> -> tensor<2x8x16xf32>
  %3 = seq.linear %2, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %4 = arith.mulf %3, %2 : tensor<2x8x16xf32>
  %5 = arith.addf %2, %2 : tensor<2x8x16xf32>
  %6 = arith.mulf %5, %4 : tensor<2x8x16xf32>
  return %6 : tensor<2x8x16xf32>
}
