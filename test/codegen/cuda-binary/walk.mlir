// REQUIRES: ptxas
// RUN: stretto-opt %s --kern-lower-cuda-kernels --kern-report-cuda-resources | FileCheck %s

// Linear attention with a state of 64 x 128 for each head keeps all of it in registers: 32 numbers in each of 256 threads, and as
// many sums of products.
// CHECK: kern.walk kernel "attention"
// CHECK-SAME: resources <registers {{[0-9]+}}, spill_bytes 0, shared_bytes {{[0-9]+}}>
func.func @attention(%q: tensor<8x1024x128xbf16>, %k: tensor<8x1024x128xbf16>, %v: tensor<8x1024x256xbf16>, %g: tensor<8x1024x2xf32>) {
  %o, %states = kern.walk kernel "attention" (%q, %k, %v, %g) windows [<rows 2>, <rows 2>, <rows 2>, <rows 2>] -> [<rows 2>, <states 2 width 128 every 4>] programs 2 chunk 64 span 16 {
  ^bb0(%qt: tensor<64x64xbf16>, %kt: tensor<64x64xbf16>, %vt: tensor<64x128xbf16>, %gt: tensor<64xf32>, %s: tensor<64x128xf32>):
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = kern.prefix_sum %gt rows 64 : tensor<64xf32>
    %all = kern.tile_row %sum[63] : tensor<64xf32> -> tensor<f32>
    %row = seq.broadcast %sum dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %column = seq.broadcast %sum dims [1] : tensor<64xf32> -> tensor<64x64xf32>
    %numbers = seq.column_index : tensor<64xf32>
    %i = seq.broadcast %numbers dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %j = seq.column_index : tensor<64x64xf32>
    %isBefore = arith.cmpf ole, %j, %i : tensor<64x64xf32>
    %difference = arith.subf %row, %column : tensor<64x64xf32>
    %masked = arith.select %isBefore, %difference, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %shrink = math.exp %masked : tensor<64x64xf32>
    %pairs = kern.tile_matmul %qt, %kt transpose_b : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %shrunk = arith.mulf %pairs, %shrink : tensor<64x64xf32>
    %af = arith.select %isBefore, %shrunk, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %a = arith.truncf %af : tensor<64x64xf32> to tensor<64x64xbf16>
    %near = kern.tile_matmul %a, %vt : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
    %since = math.exp %sum : tensor<64xf32>
    %sinceRow = seq.broadcast %since dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %qf = arith.extf %qt : tensor<64x64xbf16> to tensor<64x64xf32>
    %qs32 = arith.mulf %qf, %sinceRow : tensor<64x64xf32>
    %qs = arith.truncf %qs32 : tensor<64x64xf32> to tensor<64x64xbf16>
    %sb = arith.truncf %s : tensor<64x128xf32> to tensor<64x128xbf16>
    %far = kern.tile_matmul %qs, %sb : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
    %o32 = arith.addf %near, %far : tensor<64x128xf32>
    %o = arith.truncf %o32 : tensor<64x128xf32> to tensor<64x128xbf16>
    %last = seq.broadcast %all dims [] : tensor<f32> -> tensor<64xf32>
    %left = arith.subf %last, %sum : tensor<64xf32>
    %until = math.exp %left : tensor<64xf32>
    %untilRow = seq.broadcast %until dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %kf = arith.extf %kt : tensor<64x64xbf16> to tensor<64x64xf32>
    %ks32 = arith.mulf %kf, %untilRow : tensor<64x64xf32>
    %ks = arith.truncf %ks32 : tensor<64x64xf32> to tensor<64x64xbf16>
    %new = kern.tile_matmul %ks, %vt transpose_a : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
    %allOf = math.exp %all : tensor<f32>
    %allState = seq.broadcast %allOf dims [] : tensor<f32> -> tensor<64x128xf32>
    %kept = arith.mulf %s, %allState : tensor<64x128xf32>
    %next = arith.addf %kept, %new : tensor<64x128xf32>
    kern.yield %o, %s, %next : tensor<64x128xbf16>, tensor<64x128xf32>, tensor<64x128xf32>
  } : (tensor<8x1024x128xbf16>, tensor<8x1024x128xbf16>, tensor<8x1024x256xbf16>, tensor<8x1024x2xf32>) -> (tensor<8x1024x256xbf16>, tensor<8x2x4x8192xf32>)
  return
}
