// RUN: stretto-opt %s --kern-choose-cuda-schedule | FileCheck %s

// Rows that are visited in loops leave registers for several of them, and chunks are short enough for all multiprocessors. A row that no
// vector divides has as many columns for each thread as one of vectors.

func.func @main(%a: tensor<1x1024x50304xf32>, %b: tensor<1x4096x10000xf32>, %c: tensor<1x4096x10001xf32>) {
  // CHECK: kernel "visited"{{.*}} schedule #kern.thread_schedule<rows 4, lanes 4, chunk 4, threads 512, groups 1, tiles 1>
  %0 = kern.rowwise kernel "visited"(%a) maps [row] {
  ^bb0(%row: tensor<50304xf32>):
    %s = seq.reduce add %row : tensor<50304xf32> -> tensor<f32>
    %r = seq.broadcast %s dims [] : tensor<f32> -> tensor<50304xf32>
    %y = arith.mulf %row, %r : tensor<50304xf32>
    kern.yield %y : tensor<50304xf32>
  } : (tensor<1x1024x50304xf32>) -> tensor<1x1024x50304xf32>
  // CHECK: kernel "even"{{.*}} schedule #kern.thread_schedule<rows [[ROWS:[0-9]+]], lanes 4, chunk [[CHUNK:[0-9]+]], threads 512,
  %1 = kern.rowwise kernel "even"(%b) maps [row] {
  ^bb0(%row: tensor<10000xf32>):
    %s = seq.reduce add %row : tensor<10000xf32> -> tensor<f32>
    %r = seq.broadcast %s dims [] : tensor<f32> -> tensor<10000xf32>
    %y = arith.mulf %row, %r : tensor<10000xf32>
    kern.yield %y : tensor<10000xf32>
  } : (tensor<1x4096x10000xf32>) -> tensor<1x4096x10000xf32>
  // CHECK: kernel "odd"{{.*}} schedule #kern.thread_schedule<rows [[ROWS]], lanes 4, chunk [[CHUNK]], threads 512,
  %2 = kern.rowwise kernel "odd"(%c) maps [row] {
  ^bb0(%row: tensor<10001xf32>):
    %s = seq.reduce add %row : tensor<10001xf32> -> tensor<f32>
    %r = seq.broadcast %s dims [] : tensor<f32> -> tensor<10001xf32>
    %y = arith.mulf %row, %r : tensor<10001xf32>
    kern.yield %y : tensor<10001xf32>
  } : (tensor<1x4096x10001xf32>) -> tensor<1x4096x10001xf32>
  return
}
