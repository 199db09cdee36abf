// Sums to which several heads add take shared memory by the columns of a row. Where static memory is too small for them whatever a
// chunk is, they have dynamic memory.
// RUN: stretto-opt %s --kern-choose-cuda-schedule | FileCheck %s --check-prefix=SCHEDULE
// RUN: stretto-opt %s --kern-choose-cuda-schedule --kern-split-column-sums --kern-lower-cuda-kernels | FileCheck %s
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="shared-bytes=98000" 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="shared-bytes=98000 overrides=wide:lanes=2" 2>&1 | FileCheck %s --check-prefix=GIVEN
// ERROR: error: 'kern.rowwise' op has sums that take 98304 bytes of shared memory, but a block has at most 98000
// GIVEN: error: kernel 'wide': lanes must be such that a block takes at most 98000 bytes of shared memory (it takes 98304), but got 2

func.func @main(%x: tensor<16x2048x2x8192xf32>, %y: tensor<1x2048x2x65536xf32>) -> (tensor<8192xf32>, tensor<65536xf32>) {
  // 16,384 numbers of a row and 8192 sums. Shorter chunks would take as much.
  // SCHEDULE: kernel "wide"{{.*}} chunk {{[0-9][0-9]+}},
  // CHECK-NOT: @wide_scratch
  // CHECK: llvm.func @wide({{.*}}kern.dynamic_shared_bytes = 98304
  %0 = kern.rowwise kernel "wide"(%x) maps [row] {
  ^bb0(%row: tensor<2x8192xf32>):
    %1 = seq.column_sum %row : tensor<2x8192xf32> -> tensor<8192xf32>
    kern.yield %1 : tensor<8192xf32>
  } : (tensor<16x2048x2x8192xf32>) -> tensor<8192xf32>
  // Rows that are visited in loops add to sums in global memory.
  // SCHEDULE: kernel "visited"{{.*}} chunk {{[0-9][0-9]+}},
  // CHECK: llvm.func @visited(
  // CHECK-NOT: kern.dynamic_shared_bytes
  %2 = kern.rowwise kernel "visited"(%y) maps [row] {
  ^bb0(%row: tensor<2x65536xf32>):
    %3 = seq.column_sum %row : tensor<2x65536xf32> -> tensor<65536xf32>
    kern.yield %3 : tensor<65536xf32>
  } : (tensor<1x2048x2x65536xf32>) -> tensor<65536xf32>
  return %0, %2 : tensor<8192xf32>, tensor<65536xf32>
}
