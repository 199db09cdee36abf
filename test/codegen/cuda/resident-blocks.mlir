// RUN: stretto-opt %s --kern-lower-cuda-kernels | FileCheck %s

// Kernels of rows ask for the registers of 16 warps, of 12 where a block's warps do not divide 16, and of a block at least.

func.func @main(%x: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %a = kern.rowwise kernel "four"(%x) maps [row] schedule #kern.thread_schedule<rows 1, lanes 4, chunk 8, threads 128, groups 1, tiles 1> {
  ^bb0(%row: tensor<16xf32>):
    %0 = arith.addf %row, %row : tensor<16xf32>
    kern.yield %0 : tensor<16xf32>
  } : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %b = kern.rowwise kernel "three"(%x) maps [row] schedule #kern.thread_schedule<rows 1, lanes 4, chunk 8, threads 96, groups 1, tiles 1> {
  ^bb0(%row: tensor<16xf32>):
    %0 = arith.addf %row, %row : tensor<16xf32>
    kern.yield %0 : tensor<16xf32>
  } : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %c = kern.rowwise kernel "fourteen"(%x) maps [row] schedule #kern.thread_schedule<rows 1, lanes 4, chunk 8, threads 448, groups 1, tiles 1> {
  ^bb0(%row: tensor<16xf32>):
    %0 = arith.addf %row, %row : tensor<16xf32>
    kern.yield %0 : tensor<16xf32>
  } : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %a, %b, %c : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>
}

// CHECK: llvm.func @four
// CHECK-SAME: nvvm.minctasm = 4 : i32
// CHECK: llvm.func @three
// CHECK-SAME: nvvm.minctasm = 4 : i32
// CHECK: llvm.func @fourteen
// CHECK-SAME: nvvm.minctasm = 1 : i32
