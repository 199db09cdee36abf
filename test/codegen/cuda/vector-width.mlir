// RUN: stretto-opt %s --kern-choose-cuda-schedule | FileCheck %s

// Vectors of the widest stream have 16 bytes, whatever else is narrower; tables, which caches hold, and sums over rows are no streams.

func.func @main(%x: tensor<4x64x1024xf32>, %y: tensor<4x64x1024xbf16>, %table: tensor<64x1024xf32>, %d: tensor<4x64x1024xf64>)
    -> (tensor<4x64x1024xbf16>, tensor<4x64x1024xf32>, tensor<4x64x1024xbf16>, tensor<4x64x1024xf32>) {
  // CHECK: kernel "rounds"{{.*}} lanes 4,
  %0 = kern.rowwise kernel "rounds"(%x) maps [row] {
  ^bb0(%row: tensor<1024xf32>):
    %r = arith.truncf %row : tensor<1024xf32> to tensor<1024xbf16>
    kern.yield %r : tensor<1024xbf16>
  } : (tensor<4x64x1024xf32>) -> tensor<4x64x1024xbf16>
  // CHECK: kernel "widens"{{.*}} lanes 4,
  %1 = kern.rowwise kernel "widens"(%y) maps [row] {
  ^bb0(%row: tensor<1024xbf16>):
    %r = arith.extf %row : tensor<1024xbf16> to tensor<1024xf32>
    kern.yield %r : tensor<1024xf32>
  } : (tensor<4x64x1024xbf16>) -> tensor<4x64x1024xf32>
  // CHECK: kernel "turns"{{.*}} lanes 8,
  %2 = kern.rowwise kernel "turns"(%y, %table) maps [row, time] {
  ^bb0(%row: tensor<1024xbf16>, %t: tensor<1024xf32>):
    %w = arith.extf %row : tensor<1024xbf16> to tensor<1024xf32>
    %m = arith.mulf %w, %t : tensor<1024xf32>
    %r = arith.truncf %m : tensor<1024xf32> to tensor<1024xbf16>
    kern.yield %r : tensor<1024xbf16>
  } : (tensor<4x64x1024xbf16>, tensor<64x1024xf32>) -> tensor<4x64x1024xbf16>
  // CHECK: kernel "narrows"{{.*}} lanes 2,
  %3 = kern.rowwise kernel "narrows"(%d) maps [row] {
  ^bb0(%row: tensor<1024xf64>):
    %r = arith.truncf %row : tensor<1024xf64> to tensor<1024xf32>
    kern.yield %r : tensor<1024xf32>
  } : (tensor<4x64x1024xf64>) -> tensor<4x64x1024xf32>
  return %0, %1, %2, %3 : tensor<4x64x1024xbf16>, tensor<4x64x1024xf32>, tensor<4x64x1024xbf16>, tensor<4x64x1024xf32>
}
