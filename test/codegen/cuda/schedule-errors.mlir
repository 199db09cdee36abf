// Schedules that somebody wrote into IR obey the rules of those that are chosen.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics --kern-lower-cuda-kernels

func.func @threads(%x: tensor<2x64x128xf32>) -> tensor<2x64x128xf32> {
  // expected-error @+1 {{threads of its schedule must be 1, 2, 4, 8, 16 or a multiple of 32 up to 1024, but got 48}}
  %0 = kern.rowwise kernel "threads"(%x) maps [row] schedule #kern.thread_schedule<rows 2, lanes 4, chunk 8, threads 48, groups 2, tiles 1> {
  ^bb0(%row: tensor<128xf32>):
    %1 = arith.addf %row, %row : tensor<128xf32>
    kern.yield %1 : tensor<128xf32>
  } : (tensor<2x64x128xf32>) -> tensor<2x64x128xf32>
  return %0 : tensor<2x64x128xf32>
}

// -----

func.func @groups(%x: tensor<2x64x128xf32>) -> tensor<2x64x128xf32> {
  // expected-error @+1 {{groups of its schedule must be at most 32 and make whole warps with groups of 32 threads, but got 100}}
  %0 = kern.rowwise kernel "groups"(%x) maps [row] schedule #kern.thread_schedule<rows 2, lanes 4, chunk 8, threads 32, groups 100, tiles 1> {
  ^bb0(%row: tensor<128xf32>):
    %1 = arith.addf %row, %row : tensor<128xf32>
    kern.yield %1 : tensor<128xf32>
  } : (tensor<2x64x128xf32>) -> tensor<2x64x128xf32>
  return %0 : tensor<2x64x128xf32>
}

// -----

func.func @chunk(%x: tensor<2x64x128xf32>) -> tensor<2x64x128xf32> {
  // expected-error @+1 {{chunk of its schedule must be at least the 8 rows of a step, but got 4}}
  %0 = kern.rowwise kernel "chunk"(%x) maps [row] schedule #kern.thread_schedule<rows 8, lanes 4, chunk 4, threads 32, groups 1, tiles 1> {
  ^bb0(%row: tensor<128xf32>):
    %1 = arith.addf %row, %row : tensor<128xf32>
    kern.yield %1 : tensor<128xf32>
  } : (tensor<2x64x128xf32>) -> tensor<2x64x128xf32>
  return %0 : tensor<2x64x128xf32>
}

// -----

func.func @three(%x: tensor<2x64x128xf32>) -> tensor<2x64x128xf32> {
  // expected-error @+1 {{lanes of a schedule must be a power of two of at most 64, but got 3}}
  %0 = kern.rowwise kernel "three"(%x) maps [row] schedule #kern.thread_schedule<rows 2, lanes 3, chunk 8, threads 32, groups 1, tiles 1> {
  ^bb0(%row: tensor<128xf32>):
    kern.yield %row : tensor<128xf32>
  } : (tensor<2x64x128xf32>) -> tensor<2x64x128xf32>
  return %0 : tensor<2x64x128xf32>
}
