// RUN: stretto-opt %s --kern-lower-cuda-kernels | FileCheck %s
// RUN: stretto-opt %s --kern-lower-cuda-kernels=shared-bytes=5120 | FileCheck %s --check-prefix=LITTLE

// Kernels of rows ask for the registers of 16 warps, of 12 where a block's warps do not divide 16, and of a block at least.
// Walks ask for those of the blocks that there are, if shared memory has room for them and 80 registers are left to each thread; their
// steps offer to renew the number of the thread.

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

func.func @walks(%x: tensor<300x16x32xf32>) {
  %y = kern.walk kernel "five" (%x) windows [<rows 2>] -> [<rows 2>] programs 2 chunk 16 span 1 {
  ^bb0(%rows: tensor<16x16xf32>):
    %0 = arith.addf %rows, %rows : tensor<16x16xf32>
    kern.yield %0 : tensor<16x16xf32>
  } : (tensor<300x16x32xf32>) -> tensor<300x16x32xf32>
  return
}

// CHECK: llvm.func @five
// CHECK-SAME: nvvm.minctasm = 5 : i32
// CHECK: nvvm.shfl.sync bfly {{.*}}kern.renewal = 0 : i64
// CHECK: nvvm.shfl.sync bfly {{.*}}kern.renewal = 1 : i64

// LITTLE: llvm.func @five
// LITTLE-SAME: nvvm.minctasm = 2 : i32
