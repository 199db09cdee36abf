// RUN: stretto-opt %s --kern-lower-cuda-kernels | FileCheck %s

// What is reduced from reductions has one barrier for a row where a step has one row: the maximum of the next row is left together
// with the sum of this one. Chunks begin with the maximum of their first row.
// CHECK-LABEL: llvm.func @one(
// CHECK: nvvm.barrier0
// CHECK: ^{{.*}}: {{.*}}
// CHECK-COUNT-10: nvvm.shfl.sync
// CHECK: nvvm.barrier0
// CHECK-NOT: nvvm.barrier0
// CHECK-NOT: nvvm.shfl.sync

// The rows of a step share a barrier for each reduction.
// CHECK-LABEL: llvm.func @two(
// CHECK-COUNT-10: nvvm.shfl.sync
// CHECK: nvvm.barrier0
// CHECK-COUNT-10: nvvm.shfl.sync
// CHECK: nvvm.barrier0
// CHECK-NOT: nvvm.barrier0

// Lanes of one warp need no barrier of the block.
// CHECK-LABEL: llvm.func @warp(
// CHECK-NOT: nvvm.barrier0
// CHECK: nvvm.bar.warp.sync

// A thread has no registers for two rows of so many columns.
// CHECK-LABEL: llvm.func @many(
// CHECK-COUNT-5: nvvm.shfl.sync
// CHECK: nvvm.barrier0
// CHECK-COUNT-5: nvvm.shfl.sync
// CHECK: nvvm.barrier0
// CHECK-NOT: nvvm.barrier0

func.func @main(%x: tensor<2x16x512xf32>, %n: tensor<2x16x64xf32>, %w: tensor<2x16x4096xf32>) {
  %a = kern.rowwise kernel "one"(%x) maps [row] schedule #kern.thread_schedule<rows 1, lanes 4, chunk 8, threads 128, groups 1, tiles 1> {
  ^bb0(%row: tensor<512xf32>):
    %top = seq.reduce max %row : tensor<512xf32> -> tensor<f32>
    %tops = seq.broadcast %top dims [] : tensor<f32> -> tensor<512xf32>
    %below = arith.subf %row, %tops : tensor<512xf32>
    %sum = seq.reduce add %below : tensor<512xf32> -> tensor<f32>
    %sums = seq.broadcast %sum dims [] : tensor<f32> -> tensor<512xf32>
    %y = arith.mulf %below, %sums : tensor<512xf32>
    kern.yield %y : tensor<512xf32>
  } : (tensor<2x16x512xf32>) -> tensor<2x16x512xf32>
  %b = kern.rowwise kernel "two"(%x) maps [row] schedule #kern.thread_schedule<rows 2, lanes 4, chunk 8, threads 128, groups 1, tiles 1> {
  ^bb0(%row: tensor<512xf32>):
    %top = seq.reduce max %row : tensor<512xf32> -> tensor<f32>
    %tops = seq.broadcast %top dims [] : tensor<f32> -> tensor<512xf32>
    %below = arith.subf %row, %tops : tensor<512xf32>
    %sum = seq.reduce add %below : tensor<512xf32> -> tensor<f32>
    %sums = seq.broadcast %sum dims [] : tensor<f32> -> tensor<512xf32>
    %y = arith.mulf %below, %sums : tensor<512xf32>
    kern.yield %y : tensor<512xf32>
  } : (tensor<2x16x512xf32>) -> tensor<2x16x512xf32>
  %c = kern.rowwise kernel "warp"(%n) maps [row] schedule #kern.thread_schedule<rows 1, lanes 4, chunk 8, threads 16, groups 2, tiles 1> {
  ^bb0(%row: tensor<64xf32>):
    %sum = seq.reduce add %row : tensor<64xf32> -> tensor<f32>
    %sums = seq.broadcast %sum dims [] : tensor<f32> -> tensor<64xf32>
    %y = arith.mulf %row, %sums : tensor<64xf32>
    kern.yield %y : tensor<64xf32>
  } : (tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
  %d = kern.rowwise kernel "many"(%w) maps [row] schedule #kern.thread_schedule<rows 1, lanes 4, chunk 8, threads 128, groups 1, tiles 1> {
  ^bb0(%row: tensor<4096xf32>):
    %top = seq.reduce max %row : tensor<4096xf32> -> tensor<f32>
    %tops = seq.broadcast %top dims [] : tensor<f32> -> tensor<4096xf32>
    %below = arith.subf %row, %tops : tensor<4096xf32>
    %sum = seq.reduce add %below : tensor<4096xf32> -> tensor<f32>
    %sums = seq.broadcast %sum dims [] : tensor<f32> -> tensor<4096xf32>
    %y = arith.mulf %below, %sums : tensor<4096xf32>
    kern.yield %y : tensor<4096xf32>
  } : (tensor<2x16x4096xf32>) -> tensor<2x16x4096xf32>
  return
}
