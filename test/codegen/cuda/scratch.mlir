// What threads share of sums is one array of a kernel, as large as its parts need.
// RUN: stretto-opt %s --kern-lower-cuda-kernels | FileCheck %s

// Sums of 24 heads, then of 32 heads whose columns lie in two of them: pieces of a row that add to different sums share parts.
// CHECK: llvm.mlir.global internal @heads_scratch() {{.*}} : !llvm.array<352 x i8>
func.func @heads(%x: tensor<2x8x96xf32>) -> tensor<2x8x32x3xf32> {
  %0 = kern.rowwise kernel "heads"(%x) maps [row] schedule #kern.thread_schedule<rows 1, lanes 1, chunk 1, threads 32, groups 1, tiles 1> {
  ^bb0(%row: tensor<96xf32>):
    %1 = seq.reshape %row : tensor<96xf32> -> tensor<24x4xf32>
    %2 = seq.reduce add %1 : tensor<24x4xf32> -> tensor<24xf32>
    %3 = seq.broadcast %2 dims [0] : tensor<24xf32> -> tensor<24x4xf32>
    %4 = arith.mulf %1, %3 : tensor<24x4xf32>
    %5 = seq.reshape %4 : tensor<24x4xf32> -> tensor<32x3xf32>
    %6 = seq.reduce add %5 : tensor<32x3xf32> -> tensor<32xf32>
    %7 = seq.broadcast %6 dims [0] : tensor<32xf32> -> tensor<32x3xf32>
    %8 = arith.mulf %5, %7 : tensor<32x3xf32>
    kern.yield %8 : tensor<32x3xf32>
  } : (tensor<2x8x96xf32>) -> tensor<2x8x32x3xf32>
  return %0 : tensor<2x8x32x3xf32>
}

// Two parts that share nothing have blocks of their own, which have the same memory.
// CHECK: llvm.mlir.global internal @parts_scratch() {{.*}} : !llvm.array<64 x i8>
func.func @parts(%x: tensor<2x8x64xf32>, %y: tensor<2x8x64xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %0:2 = kern.rowwise kernel "parts"(%x, %y) maps [row, row] schedule #kern.thread_schedule<rows 1, lanes 1, chunk 8, threads 64, groups 1, tiles 2> {
  ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
    %1 = seq.reduce add %a : tensor<64xf32> -> tensor<f32>
    %2 = seq.reduce max %b : tensor<64xf32> -> tensor<f32>
    kern.yield %1, %2 : tensor<f32>, tensor<f32>
  } : (tensor<2x8x64xf32>, tensor<2x8x64xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
  return %0#0, %0#1 : tensor<2x8xf32>, tensor<2x8xf32>
}
