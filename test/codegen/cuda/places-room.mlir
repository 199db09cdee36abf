// Places for more rows than a thread block has shared memory for, beside what sums may take.
// RUN: not stretto-opt %s --kern-lower-cuda-kernels 2>&1 | FileCheck %s
// CHECK: error: {{.*}} has 8 places for steps of rows that take 196608 bytes of shared memory, but there are at most 183296; fewer places, rows of a step or groups of a block take less
func.func @main(%x: tensor<16x2048x768xf32>) -> tensor<16x2048x768xf32> {
  %0 = kern.rowwise kernel "copy"(%x) maps [row] schedule #kern.thread_schedule<rows 8, lanes 4, chunk 64, threads 192, groups 1, tiles 1, places 8> {
  ^bb0(%row: tensor<768xf32>):
    %1 = arith.addf %row, %row : tensor<768xf32>
    kern.yield %1 : tensor<768xf32>
  } : (tensor<16x2048x768xf32>) -> tensor<16x2048x768xf32>
  return %0 : tensor<16x2048x768xf32>
}
