// RUN: stretto-opt %s --kern-lower-cuda-kernels | FileCheck %s

// Two strips, of which each has a reduction that the other has not: its parts have 512 bytes in the code of that strip alone, behind the tiles in dynamic shared memory.
// CHECK-NOT: llvm.mlir.global internal
// CHECK: llvm.func @reductions(
// CHECK-SAME: kern.dynamic_shared_bytes = 43056
// CHECK: %[[SHARED:[0-9]+]] = llvm.mlir.addressof @dynamic_shared
// CHECK: llvm.getelementptr %[[SHARED]][42032] :
// CHECK: llvm.getelementptr %[[SHARED]][42544] :
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

// Sums of columns to which all heads add meet in the same memory: of each of three groups 96 numbers are staged, and there are 32 totals.
// CHECK: llvm.func @gains(
// CHECK-SAME: kern.dynamic_shared_bytes = 55856
func.func @heads(%x: tensor<3x71x72xbf16>, %w: tensor<96x72xbf16>) -> tensor<9x32xf32> {
  %y = kern.matmul kernel "gains" %x by %w as transposed epilogue() maps [] schedule #kern.tile_schedule<run 90, tile_rows 64, pieces 1, strip 96, stages 2, blocks 2, warps 3, threads 32, rows 2, lanes 2> partial_sums {
  ^bb0(%row: tensor<96xf32>):
    %0 = arith.truncf %row : tensor<96xf32> to tensor<96xbf16>
    %1 = arith.extf %0 : tensor<96xbf16> to tensor<96xf32>
    %2 = seq.reshape %1 : tensor<96xf32> -> tensor<3x32xf32>
    %3 = seq.column_sum %2 : tensor<3x32xf32> -> tensor<32xf32>
    kern.yield %3 : tensor<32xf32>
  } : (tensor<3x71x72xbf16>, tensor<96x72xbf16>) -> tensor<9x32xf32>
  return %y : tensor<9x32xf32>
}
