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
