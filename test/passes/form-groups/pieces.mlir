// RUN: stretto-opt %s --kern-form-groups | FileCheck %s

// Pieces of a layer that is to share no kernel share one with each other; what has no number shares none.
// CHECK-LABEL: func @main
func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // CHECK: math.tanh {{.*}} {kern.group = 0 : i64, seq.no_fuse = 3 : i64}
  // CHECK: math.exp {{.*}} {kern.group = 0 : i64, seq.no_fuse = 3 : i64}
  // CHECK: arith.mulf {{.*}} {kern.group = 1 : i64, seq.no_fuse = 4 : i64}
  // CHECK: arith.addf {{.*}} {kern.group = 2 : i64}
  // CHECK: math.exp {{.*}} {kern.group = 2 : i64}
  // CHECK: math.tanh {{.*}} {kern.group = 3 : i64, seq.no_fuse}
  // CHECK: math.tanh {{.*}} {kern.group = 4 : i64, seq.no_fuse}
  %0 = math.tanh %x {seq.no_fuse = 3 : i64} : tensor<2x8x16xf32>
  %1 = math.exp %0 {seq.no_fuse = 3 : i64} : tensor<2x8x16xf32>
  %2 = arith.mulf %1, %x {seq.no_fuse = 4 : i64} : tensor<2x8x16xf32>
  %3 = arith.addf %2, %x : tensor<2x8x16xf32>
  %4 = math.exp %3 : tensor<2x8x16xf32>
  %5 = math.tanh %4 {seq.no_fuse} : tensor<2x8x16xf32>
  %6 = math.tanh %5 {seq.no_fuse} : tensor<2x8x16xf32>
  return %6 : tensor<2x8x16xf32>
}

// What costs as much as a division is done once for a parameter, what costs less in each kernel that reads it.
// CHECK-LABEL: func @parameters
func.func @parameters(%x: tensor<2x8x16xf32>, %p: tensor<16xf32>) -> tensor<2x8x16xf32> {
  // CHECK: seq.softplus {{.*}} {kern.group = 0 : i64}
  // CHECK: arith.mulf %{{.*}} : tensor<16xf32>
  // CHECK: arith.mulf {{.*}} {kern.group = 1 : i64} : tensor<2x8x16xf32>
  %0 = seq.softplus %p : tensor<16xf32>
  %1 = arith.mulf %0, %p : tensor<16xf32>
  %2 = seq.broadcast %1 dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  %3 = arith.mulf %x, %2 : tensor<2x8x16xf32>
  return %3 : tensor<2x8x16xf32>
}
