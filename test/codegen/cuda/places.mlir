// Rows come through shared memory where registers hold too few of them on their way, or gradients of taps are computed between
// the loads: several steps ahead, in a ring of places.
// RUN: stretto-opt %s --kern-choose-cuda-schedule | FileCheck %s
// RUN: stretto-opt %s --kern-choose-cuda-schedule="overrides=taps:places=1" | FileCheck %s --check-prefix=OFF
// RUN: stretto-opt %s --kern-choose-cuda-schedule="overrides=copy:places=2" | FileCheck %s --check-prefix=ON
// RUN: stretto-opt %s --kern-choose-cuda-schedule=shared-bytes=24575 | FileCheck %s --check-prefix=OFF
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=taps:places=3" 2>&1 | FileCheck %s --check-prefix=POWER
// POWER: error: kernel 'taps': places must be a power of two of at most 8, but got 3

// CHECK-LABEL: @many
// CHECK: "taps"{{.*}}<rows 2, lanes {{[0-9]+}}, chunk 64, threads {{[0-9]+}}, groups {{[0-9]+}}, tiles {{[0-9]+}}, places 4>
// OFF: "taps"{{.*}} tiles {{[0-9]+}}> {
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

// Numbers of two bytes, each loaded by itself, cannot be copied.
// CHECK-LABEL: @odd
// CHECK: "odd"{{.*}} tiles {{[0-9]+}}> {
func.func @odd(%x: tensor<16x2048x1001xbf16>, %d: tensor<16x2048x1001xbf16>) {
  %0:2 = kern.rowwise kernel "odd"(%x, %d) maps [row, row] {
  ^bb0(%xs: tensor<1001xbf16>, %ds: tensor<1001xbf16>):
    %row = arith.extf %xs : tensor<1001xbf16> to tensor<1001xf32>
    %out = arith.extf %ds : tensor<1001xbf16> to tensor<1001xf32>
    %1 = seq.tap %out by 3 : tensor<1001xf32>
    %2 = arith.mulf %1, %row : tensor<1001xf32>
    %3 = seq.column_sum %2 : tensor<1001xf32> -> tensor<1001xf32>
    %4 = arith.truncf %1 : tensor<1001xf32> to tensor<1001xbf16>
    kern.yield %4, %3 : tensor<1001xbf16>, tensor<1001xf32>
  } : (tensor<16x2048x1001xbf16>, tensor<16x2048x1001xbf16>) -> (tensor<16x2048x1001xbf16>, tensor<1001xf32>)
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

// One half sums along its heads, which meet for as many rows of a step as there are registers for; the other half alone would be like "taps".
// CHECK-LABEL: @beside
// CHECK: "halves"{{.*}} tiles {{[0-9]+}}> {
func.func @beside(%x: tensor<16x2048x4608xbf16>) {
  %0:2 = kern.rowwise kernel "halves"(%x) maps [row] {
  ^bb0(%xs: tensor<4608xbf16>):
    %all = arith.extf %xs : tensor<4608xbf16> to tensor<4608xf32>
    %a = seq.slice %all at 0 : tensor<4608xf32> -> tensor<2304xf32>
    %out = seq.slice %all at 2304 : tensor<4608xf32> -> tensor<2304xf32>
    %heads = seq.reshape %a : tensor<2304xf32> -> tensor<36x64xf32>
    %sums = seq.reduce add %heads : tensor<36x64xf32> -> tensor<36xf32>
    %spread = seq.broadcast %sums dims [0] : tensor<36xf32> -> tensor<36x64xf32>
    %normed = arith.mulf %heads, %spread : tensor<36x64xf32>
    %first = seq.reshape %normed : tensor<36x64xf32> -> tensor<2304xf32>
    %1 = seq.tap %out by 1 : tensor<2304xf32>
    %2 = seq.tap %out by 2 : tensor<2304xf32>
    %3 = seq.tap %out by 3 : tensor<2304xf32>
    %4 = arith.mulf %1, %out : tensor<2304xf32>
    %5 = arith.mulf %2, %out : tensor<2304xf32>
    %6 = arith.mulf %3, %out : tensor<2304xf32>
    %7 = seq.concat %4, %5, %6 : tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32> -> tensor<6912xf32>
    %8 = seq.column_sum %7 : tensor<6912xf32> -> tensor<6912xf32>
    %9 = arith.addf %1, %2 : tensor<2304xf32>
    %second = arith.addf %9, %3 : tensor<2304xf32>
    %r = seq.concat %first, %second : tensor<2304xf32>, tensor<2304xf32> -> tensor<4608xf32>
    %10 = arith.truncf %r : tensor<4608xf32> to tensor<4608xbf16>
    kern.yield %10, %8 : tensor<4608xbf16>, tensor<6912xf32>
  } : (tensor<16x2048x4608xbf16>) -> (tensor<16x2048x4608xbf16>, tensor<6912xf32>)
  return
}

// A thread has registers for too few rows on their way.
// CHECK-LABEL: @gated
// CHECK: "gated"{{.*}} tiles 1, places 4>
func.func @gated(%x: tensor<16x2048x1152xbf16>, %gain: tensor<192xf32>, %g: tensor<16x2048x3468xbf16>) {
  %0:2 = kern.rowwise kernel "gated"(%x, %gain, %g) maps [row, shared, row] {
  ^bb0(%xs: tensor<1152xbf16>, %gains: tensor<192xf32>, %gs: tensor<3468xbf16>):
    %a = arith.extf %xs : tensor<1152xbf16> to tensor<1152xf32>
    %b = arith.extf %gs : tensor<3468xbf16> to tensor<3468xf32>
    %heads = seq.reshape %a : tensor<1152xf32> -> tensor<6x192xf32>
    %1 = arith.mulf %heads, %heads : tensor<6x192xf32>
    %2 = seq.reduce add %1 : tensor<6x192xf32> -> tensor<6xf32>
    %3 = math.rsqrt %2 : tensor<6xf32>
    %4 = seq.broadcast %3 dims [0] : tensor<6xf32> -> tensor<6x192xf32>
    %5 = arith.mulf %heads, %4 : tensor<6x192xf32>
    %6 = seq.broadcast %gains dims [1] : tensor<192xf32> -> tensor<6x192xf32>
    %7 = arith.mulf %5, %6 : tensor<6x192xf32>
    %gate = seq.slice %b at 2316 : tensor<3468xf32> -> tensor<1152xf32>
    %8 = seq.sigmoid %gate : tensor<1152xf32>
    %9 = arith.mulf %gate, %8 : tensor<1152xf32>
    %10 = seq.reshape %7 : tensor<6x192xf32> -> tensor<1152xf32>
    %11 = arith.mulf %10, %9 : tensor<1152xf32>
    %12 = arith.truncf %11 : tensor<1152xf32> to tensor<1152xbf16>
    kern.yield %3, %12 : tensor<6xf32>, tensor<1152xbf16>
  } : (tensor<16x2048x1152xbf16>, tensor<192xf32>, tensor<16x2048x3468xbf16>) -> (tensor<16x2048x6xf32>, tensor<16x2048x1152xbf16>)
  return
}
