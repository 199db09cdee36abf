// Tile programs print as they are read.
// RUN: stretto-opt %s | stretto-opt | FileCheck %s
// RUN: stretto-opt --mlir-print-op-generic %s | stretto-opt | FileCheck %s

// CHECK-LABEL: func.func @walk
func.func @walk(%x: tensor<3x64x32xf32>, %w: tensor<32xf32>, %s: tensor<3x2x2x256xf32>) -> tensor<3x64x32xf32> {
  // CHECK: kern.walk kernel "main.walk0"(%{{.*}}, %{{.*}}) from(%{{.*}}) windows [<rows 2>, <shared 2>, <states 2 width 16 every 2>] -> [<rows 2>] programs 2 chunk 16 span 2 reverse gradient shared_state held 24 {
  %y = kern.walk kernel "main.walk0"(%x, %w) from(%s) windows [<rows 2>, <shared 2>, <states 2 width 16 every 2>]
      -> [<rows 2>] programs 2 chunk 16 span 2 reverse gradient shared_state held 24 {
  ^bb0(%rows: tensor<16x16xf32>, %weight: tensor<16xf32>, %sum: tensor<16x16xf32>):
    // CHECK: kern.tile_matmul %{{.*}}, %{{.*}} transpose_a transpose_b : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %0 = kern.tile_matmul %rows, %sum transpose_a transpose_b : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    // CHECK: kern.prefix_sum %{{.*}} rows 8 exclusive reverse : tensor<16x16xf32>
    %1 = kern.prefix_sum %0 rows 8 exclusive reverse : tensor<16x16xf32>
    // CHECK: kern.unit_solve %{{.*}}, %{{.*}} transpose : tensor<16x16xf32>, tensor<16x16xf32>
    %2 = kern.unit_solve %1, %0 transpose : tensor<16x16xf32>, tensor<16x16xf32>
    // CHECK: kern.unit_inverse %{{.*}} : tensor<16x16xf32>
    %inverse = kern.unit_inverse %2 : tensor<16x16xf32>
    // CHECK: kern.tile_row %{{.*}}[15] : tensor<16x16xf32> -> tensor<16xf32>
    %3 = kern.tile_row %inverse[15] : tensor<16x16xf32> -> tensor<16xf32>
    // CHECK: kern.tile_sum %{{.*}} : tensor<16x16xf32> -> tensor<16xf32>
    %4 = kern.tile_sum %2 : tensor<16x16xf32> -> tensor<16xf32>
    %5 = arith.addf %3, %4 : tensor<16xf32>
    %6 = arith.mulf %5, %weight : tensor<16xf32>
    %7 = seq.broadcast %6 dims [1] : tensor<16xf32> -> tensor<16x16xf32>
    kern.yield %7, %1 : tensor<16x16xf32>, tensor<16x16xf32>
  } : (tensor<3x64x32xf32>, tensor<32xf32>, tensor<3x2x2x256xf32>) -> tensor<3x64x32xf32>
  return %y : tensor<3x64x32xf32>
}

// Tiles may be larger than their parts: 5 of 16 columns, 2 of 16 rows; a part of one column may be a vector.
// CHECK-LABEL: func.func @padded
func.func @padded(%x: tensor<1x70x10xbf16>, %p: tensor<1x70xi32>) -> tensor<1x70x2xf32> {
  %y = kern.walk(%x, %p) windows [<rows 2>, <rows 1>] -> [<rows 2>] programs 2 chunk 64 span 2 {
  ^bb0(%rows: tensor<64x16xbf16>, %positions: tensor<64xi32>):
    %0 = arith.sitofp %positions : tensor<64xi32> to tensor<64xf32>
    kern.yield %0 : tensor<64xf32>
  } : (tensor<1x70x10xbf16>, tensor<1x70xi32>) -> tensor<1x70x2xf32>
  return %y : tensor<1x70x2xf32>
}

// Spans leave states and lists of their rows; a walk goes over what they left, without rows.
// CHECK-LABEL: func.func @spans
func.func @spans(%x: tensor<3x70x32xf32>) -> tensor<3x2x3x256xf32> {
  // CHECK: kern.walk(%{{.*}}) windows [<rows 2>] -> [<ends 2 width 16 every 2>, <ends 2 width 1 every 2>] programs 2 chunk 16 span 2 {
  %ends, %sums = kern.walk(%x) windows [<rows 2>] -> [<ends 2 width 16 every 2>, <ends 2 width 1 every 2>] programs 2 chunk 16 span 2 {
  ^bb0(%rows: tensor<16x16xf32>):
    // CHECK: kern.program_index : tensor<f32>
    %0 = kern.program_index : tensor<f32>
    %1 = seq.broadcast %0 dims [] : tensor<f32> -> tensor<16xf32>
    kern.yield %rows, %1 : tensor<16x16xf32>, tensor<16xf32>
  } : (tensor<3x70x32xf32>) -> (tensor<3x2x3x256xf32>, tensor<3x2x3x16xf32>)
  // CHECK: kern.walk(%{{.*}}, %{{.*}}) windows [<states 4 width 8>, <states 2 width 1>] -> [<states 4 width 8>] programs 4 chunk 1 span 3 {
  %states = kern.walk(%ends, %sums) windows [<states 4 width 8>, <states 2 width 1>] -> [<states 4 width 8>] programs 4 chunk 1 span 3 {
  ^bb0(%end: tensor<16x8xf32>, %sum: tensor<16xf32>, %state: tensor<16x8xf32>):
    %0 = seq.broadcast %sum dims [0] : tensor<16xf32> -> tensor<16x8xf32>
    %1 = arith.addf %end, %0 : tensor<16x8xf32>
    kern.yield %state, %1 : tensor<16x8xf32>, tensor<16x8xf32>
  } : (tensor<3x2x3x256xf32>, tensor<3x2x3x16xf32>) -> tensor<3x2x3x256xf32>
  return %states : tensor<3x2x3x256xf32>
}
