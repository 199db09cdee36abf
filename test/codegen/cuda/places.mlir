// Rows come through shared memory where registers hold too few of them on their way, or gradients of taps are computed between
// the loads: several steps ahead, in a ring of places.
// RUN: stretto-opt %s --kern-choose-cuda-schedule | FileCheck %s
// RUN: stretto-opt %s --kern-choose-cuda-schedule="overrides=taps:places=1" | FileCheck %s --check-prefix=OFF
// RUN: stretto-opt %s --kern-choose-cuda-schedule="overrides=copy:places=2" | FileCheck %s --check-prefix=ON
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=taps:places=3" 2>&1 | FileCheck %s --check-prefix=POWER
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=norm:places=8,rows=8" --kern-split-column-sums --kern-lower-cuda-kernels 2>&1 | FileCheck %s --check-prefix=ROOM
// POWER: error: kernel 'taps': places must be a power of two of at most 8, but got 3
// ROOM: error: {{.*}} has 8 places for steps of rows that take 196608 bytes of shared memory, but there are at most 183296; fewer places, rows of a step or groups of a block take less

// CHECK-LABEL: @many
// CHECK: "taps"{{.*}}<rows 2, lanes {{[0-9]+}}, chunk {{[0-9]+}}, threads {{[0-9]+}}, groups {{[0-9]+}}, tiles {{[0-9]+}}, places 4>
// OFF: "taps"{{.*}} tiles {{[0-9]+}}> {
// One step after the other: three are awaited before the first.
// RUN: stretto-opt %s --kern-choose-cuda-schedule --kern-split-column-sums --kern-lower-cuda-kernels | FileCheck %s --check-prefix=LOWERED
// LOWERED-LABEL: llvm.func @taps(
// LOWERED-SAME: kern.dynamic_shared_bytes = [[BYTES:[0-9]+]]
// LOWERED-COUNT-3: nvvm.cp.async.commit.group
// LOWERED: nvvm.cp.async.wait.group 2
// LOWERED: nvvm.cp.async.commit.group
// LOWERED-NOT: nvvm.cp.async
// LOWERED: llvm.return
func.func @many(%x: tensor<16x2048x2304xbf16>, %d: tensor<16x2048x2304xbf16>) {
  %0:2 = kern.rowwise kernel "taps"(%x, %d) maps [row, row] {
  ^bb0(%xs: tensor<2304xbf16>, %ds: tensor<2304xbf16>):
    %row = arith.extf %xs : tensor<2304xbf16> to tensor<2304xf32>
    %out = arith.extf %ds : tensor<2304xbf16> to tensor<2304xf32>
    %1 = seq.tap %out by 1 : tensor<2304xf32>
    %2 = seq.tap %out by 2 : tensor<2304xf32>
    %3 = seq.tap %out by 3 : tensor<2304xf32>
    %4 = arith.mulf %out, %row : tensor<2304xf32>
    %5 = arith.mulf %1, %row : tensor<2304xf32>
    %6 = arith.mulf %2, %row : tensor<2304xf32>
    %7 = arith.mulf %3, %row : tensor<2304xf32>
    %8 = seq.concat %4, %5, %6, %7 : tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32> -> tensor<9216xf32>
    %9 = seq.column_sum %8 : tensor<9216xf32> -> tensor<9216xf32>
    %10 = arith.addf %1, %2 : tensor<2304xf32>
    %11 = arith.addf %10, %3 : tensor<2304xf32>
    %12 = arith.truncf %11 : tensor<2304xf32> to tensor<2304xbf16>
    kern.yield %12, %9 : tensor<2304xbf16>, tensor<9216xf32>
  } : (tensor<16x2048x2304xbf16>, tensor<16x2048x2304xbf16>) -> (tensor<16x2048x2304xbf16>, tensor<9216xf32>)
  return
}

// Chunks are too short to go around the ring.
// CHECK-LABEL: @few
// CHECK: "few"{{.*}} tiles 1> {
func.func @few(%x: tensor<1x256x768xf32>, %d: tensor<1x256x768xf32>) {
  %0:2 = kern.rowwise kernel "few"(%x, %d) maps [row, row] {
  ^bb0(%row: tensor<768xf32>, %out: tensor<768xf32>):
    %1 = seq.tap %out by 3 : tensor<768xf32>
    %2 = arith.mulf %1, %row : tensor<768xf32>
    %3 = seq.column_sum %2 : tensor<768xf32> -> tensor<768xf32>
    %4 = arith.addf %1, %out : tensor<768xf32>
    kern.yield %4, %3 : tensor<768xf32>, tensor<768xf32>
  } : (tensor<1x256x768xf32>, tensor<1x256x768xf32>) -> (tensor<1x256x768xf32>, tensor<768xf32>)
  return
}

// Enough is on its way as it is.
// CHECK-LABEL: @other
// CHECK: "copy"{{.*}} tiles {{[0-9]+}}> {
// ON: "copy"{{.*}} places 2>
// CHECK: "norm"{{.*}} tiles 1> {
func.func @other(%x: tensor<16x2048x768xf32>) {
  %0 = kern.rowwise kernel "copy"(%x) maps [row] {
  ^bb0(%row: tensor<768xf32>):
    %1 = arith.addf %row, %row : tensor<768xf32>
    kern.yield %1 : tensor<768xf32>
  } : (tensor<16x2048x768xf32>) -> tensor<16x2048x768xf32>
  %2 = kern.rowwise kernel "norm"(%x) maps [row] {
  ^bb0(%row: tensor<768xf32>):
    %3 = seq.reduce add %row : tensor<768xf32> -> tensor<f32>
    %4 = seq.broadcast %3 dims [] : tensor<f32> -> tensor<768xf32>
    %5 = arith.mulf %row, %4 : tensor<768xf32>
    kern.yield %5 : tensor<768xf32>
  } : (tensor<16x2048x768xf32>) -> tensor<16x2048x768xf32>
  return
}
