// A ring of places in dynamic shared memory: three steps are on their way in front of the loop, which awaits one and begins another.
// RUN: stretto-opt %s --kern-lower-cuda-kernels | FileCheck %s

// CHECK-LABEL: llvm.func @taps(
// CHECK-SAME: kern.dynamic_shared_bytes = 8192
// CHECK-COUNT-3: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 2
// CHECK: nvvm.cp.async.commit.group
// CHECK-NOT: nvvm.cp.async
// CHECK: llvm.return
func.func @one(%x: tensor<2x64x256xf32>) -> tensor<2x64x256xf32> {
  %0 = kern.rowwise kernel "taps"(%x) maps [row] schedule #kern.thread_schedule<rows 2, lanes 4, chunk 64, threads 64, groups 1, tiles 1, places 4> {
  ^bb0(%row: tensor<256xf32>):
    %1 = seq.tap %row by 1 : tensor<256xf32>
    %2 = arith.addf %row, %1 : tensor<256xf32>
    kern.yield %2 : tensor<256xf32>
  } : (tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
  return %0 : tensor<2x64x256xf32>
}

// The part that needs more room is the first of two: two vectors of 16 bytes for each of 64 threads, in four places.
// CHECK-LABEL: llvm.func @parts(
// CHECK-SAME: kern.dynamic_shared_bytes = 8192
func.func @parts(%x: tensor<2x64x512xf32>, %y: tensor<2x64x256xf32>) {
  %0 = kern.rowwise kernel "parts"(%x, %y) maps [row, row] schedule #kern.thread_schedule<rows 1, lanes 4, chunk 32, threads 64, groups 1, tiles 2, places 4> {
  ^bb0(%a: tensor<512xf32>, %b: tensor<256xf32>):
    %first = seq.slice %a at 0 : tensor<512xf32> -> tensor<256xf32>
    %second = seq.slice %a at 256 : tensor<512xf32> -> tensor<256xf32>
    %1 = arith.addf %first, %b : tensor<256xf32>
    %2 = seq.concat %1, %second : tensor<256xf32>, tensor<256xf32> -> tensor<512xf32>
    kern.yield %2 : tensor<512xf32>
  } : (tensor<2x64x512xf32>, tensor<2x64x256xf32>) -> tensor<2x64x512xf32>
  return
}

// Sums of columns that lie in global memory do not come ahead: the step before has yet to store them.
// CHECK-LABEL: llvm.func @wide(
// CHECK-COUNT-2: nvvm.cp.async.shared.global
// CHECK-NOT: nvvm.cp.async.shared.global
func.func @wide(%x: tensor<1x16x4096xf32>, %y: tensor<1x16x128xf32>) {
  %0:2 = kern.rowwise kernel "wide"(%x, %y) maps [row, row] schedule #kern.thread_schedule<rows 1, lanes 4, chunk 8, threads 32, groups 1, tiles 1, places 2> partial_sums {
  ^bb0(%row: tensor<4096xf32>, %other: tensor<128xf32>):
    %1 = seq.reduce add %row : tensor<4096xf32> -> tensor<f32>
    %2 = seq.broadcast %1 dims [] : tensor<f32> -> tensor<4096xf32>
    %3 = arith.mulf %row, %2 : tensor<4096xf32>
    %4 = seq.column_sum %other : tensor<128xf32> -> tensor<128xf32>
    kern.yield %3, %4 : tensor<4096xf32>, tensor<128xf32>
  } : (tensor<1x16x4096xf32>, tensor<1x16x128xf32>) -> (tensor<1x16x4096xf32>, tensor<2x128xf32>)
  return
}
