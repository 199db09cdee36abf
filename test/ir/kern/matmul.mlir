// RUN: stretto-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @matmul
func.func @matmul(%x: tensor<2x8x32xf32>, %w: tensor<16x32xf32>, %g: tensor<16xf32>, %p: tensor<2x8xi32>)
    -> (tensor<2x8x16xf32>, tensor<2x16xf32>) {
  // CHECK: kern.pack kernel "k.pack" %{{.*}} as transposed pieces 2 strip 8 : tensor<16x32xf32> -> tensor<2x1x32x32xf32>
  %panels = kern.pack kernel "k.pack" %w as transposed pieces 2 strip 8 : tensor<16x32xf32> -> tensor<2x1x32x32xf32>
  // CHECK: kern.matmul kernel "k" %{{.*}} by %{{.*}} as panels epilogue(%{{.*}}, %{{.*}}) maps [shared, row] gradient schedule #kern.strip_schedule<pieces 2, strip 8, block 64, rows 8, lanes 16, chunk 8> partial_sums {
  %y, %s = kern.matmul kernel "k" %x by %panels as panels epilogue(%g, %p) maps [shared, row] gradient
      schedule #kern.strip_schedule<pieces 2, strip 8, block 64, rows 8, lanes 16, chunk 8> partial_sums {
  ^bb0(%row: tensor<16xf32>, %gain: tensor<16xf32>, %place: tensor<i32>):
    %0 = arith.mulf %row, %gain : tensor<16xf32>
    %1 = seq.column_sum %0 : tensor<16xf32> -> tensor<16xf32>
    kern.yield %0, %1 : tensor<16xf32>, tensor<16xf32>
  } : (tensor<2x8x32xf32>, tensor<2x1x32x32xf32>, tensor<16xf32>, tensor<2x8xi32>) -> (tensor<2x8x16xf32>, tensor<2x16xf32>)
  return %y, %s : tensor<2x8x16xf32>, tensor<2x16xf32>
}

// CHECK-LABEL: @rounded
func.func @rounded(%x: tensor<2x8x32xbf16>, %w: tensor<32x16xbf16>) -> tensor<2x8x16xbf16> {
  // CHECK: kern.matmul %{{.*}} by %{{.*}} as rows epilogue() maps [] schedule #kern.tile_schedule<run 128, tile_rows 64, pieces 1, strip 128, stages 4, blocks 3, warps 3, threads 32, rows 2, lanes 4> {
  %y = kern.matmul %x by %w as rows epilogue() maps []
      schedule #kern.tile_schedule<run 128, tile_rows 64, pieces 1, strip 128, stages 4, blocks 3, warps 3, threads 32, rows 2, lanes 4> {
  ^bb0(%row: tensor<16xf32>):
    %0 = arith.truncf %row : tensor<16xf32> to tensor<16xbf16>
    kern.yield %0 : tensor<16xbf16>
  } : (tensor<2x8x32xbf16>, tensor<32x16xbf16>) -> tensor<2x8x16xbf16>
  return %y : tensor<2x8x16xbf16>
}

// One block is no cluster.
// CHECK: kern.matmul {{.*}} schedule #kern.tile_schedule<run 64, tile_rows 64, pieces 1, strip 64, stages 2, blocks 4, warps 3, threads 32, rows 2, lanes 2> {
// CHECK: kern.matmul {{.*}} schedule #kern.tile_schedule<run 64, tile_rows 64, pieces 1, strip 64, stages 2, blocks 4, warps 3, threads 32, rows 2, lanes 2, cluster 2> {
func.func @clusters(%x: tensor<2x8x32xbf16>, %w: tensor<32x16xbf16>) -> (tensor<2x8x16xbf16>, tensor<2x8x16xbf16>) {
  %y = kern.matmul %x by %w as rows epilogue() maps []
      schedule #kern.tile_schedule<run 64, tile_rows 64, pieces 1, strip 64, stages 2, blocks 4, warps 3, threads 32, rows 2, lanes 2, cluster 1> {
  ^bb0(%row: tensor<16xf32>):
    %0 = arith.truncf %row : tensor<16xf32> to tensor<16xbf16>
    kern.yield %0 : tensor<16xbf16>
  } : (tensor<2x8x32xbf16>, tensor<32x16xbf16>) -> tensor<2x8x16xbf16>
  %z = kern.matmul %x by %w as rows epilogue() maps []
      schedule #kern.tile_schedule<run 64, tile_rows 64, pieces 1, strip 64, stages 2, blocks 4, warps 3, threads 32, rows 2, lanes 2, cluster 2> {
  ^bb0(%row: tensor<16xf32>):
    %0 = arith.truncf %row : tensor<16xf32> to tensor<16xbf16>
    kern.yield %0 : tensor<16xbf16>
  } : (tensor<2x8x32xbf16>, tensor<32x16xbf16>) -> tensor<2x8x16xbf16>
  return %y, %z : tensor<2x8x16xbf16>, tensor<2x8x16xbf16>
}
