// RUN: stretto-opt %s --kern-lower-cuda-kernels | FileCheck %s

// Two strips, of which each has a reduction that the other has not: its parts have shared memory in the code of that strip alone.
// CHECK-NOT: llvm.mlir.global internal
// CHECK: llvm.mlir.global internal @reductions_sums0() {{.*}} : !llvm.array<512 x i8>
// CHECK: llvm.mlir.global internal @reductions_sums1() {{.*}} : !llvm.array<512 x i8>
// CHECK-NOT: llvm.mlir.global internal
// CHECK: llvm.func @reductions(
func.func @main(%x: tensor<2x50x72xbf16>, %w: tensor<128x72xbf16>) -> (tensor<2x50xf32>, tensor<2x50xf32>) {
  %y:2 = kern.matmul kernel "reductions" %x by %w as transposed epilogue() maps [] schedule #kern.tile_schedule<run 64, tile_rows 64, pieces 1, strip 64, stages 2, blocks 2, warps 4, threads 64, rows 2, lanes 2> {
  ^bb0(%row: tensor<128xf32>):
    %0 = arith.truncf %row : tensor<128xf32> to tensor<128xbf16>
    %1 = arith.extf %0 : tensor<128xbf16> to tensor<128xf32>
    %2 = seq.slice %1 at 0 : tensor<128xf32> -> tensor<64xf32>
    %3 = seq.slice %1 at 64 : tensor<128xf32> -> tensor<64xf32>
    %4 = seq.reduce add %2 : tensor<64xf32> -> tensor<f32>
    %5 = seq.reduce max %3 : tensor<64xf32> -> tensor<f32>
    kern.yield %4, %5 : tensor<f32>, tensor<f32>
  } : (tensor<2x50x72xbf16>, tensor<128x72xbf16>) -> (tensor<2x50xf32>, tensor<2x50xf32>)
  return %y#0, %y#1 : tensor<2x50xf32>, tensor<2x50xf32>
}
