// Numbers of schedules that count something are at least 1, and no larger than what code can be made for.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{rows of a schedule must be at least 1, but got -1}}
module attributes {a = #kern.vector_schedule<rows -1, lanes 16, chunk 128>} {}

// -----

func.func @at_the_attribute(%x: tensor<2x8x16xf32>) {
  %p = kern.rowwise(%x) maps [row] schedule
    // expected-error @+1 {{chunk of a schedule must be at least 1, but got 0}}
    #kern.vector_schedule<rows 4, lanes 16, chunk 0>
    partial_sums {
  ^bb0(%row: tensor<16xf32>):
    %0 = seq.column_sum %row : tensor<16xf32> -> tensor<16xf32>
    kern.yield %0 : tensor<16xf32>
  } : (tensor<2x8x16xf32>) -> tensor<2x16xf32>
  return
}

// -----

// expected-error @+1 {{strip of a schedule must be at least 1, but got 0}}
module attributes {a = #kern.vector_schedule<rows 4, lanes 16, chunk 128, pieces 2, strip 0>} {}

// -----

// expected-error @+1 {{chunk of a schedule must be at least 1, but got 0}}
module attributes {a = #kern.thread_schedule<rows 2, lanes 8, chunk 0, threads 96, groups 1, tiles 1>} {}

// -----

// expected-error @+1 {{groups of a schedule must be at least 1, but got 0}}
module attributes {a = #kern.thread_schedule<rows 2, lanes 8, chunk 128, threads 96, groups 0, tiles 1>} {}

// -----

// expected-error @+1 {{pieces of a schedule must be at least 1, but got 0}}
module attributes {a = #kern.strip_schedule<pieces 0, strip 64, block 64, rows 8, lanes 16, chunk 512>} {}

// -----

// expected-error @+1 {{run of a schedule must be at least 1, but got 0}}
module attributes {a = #kern.tile_schedule<run 0, tile_rows 128, pieces 2, strip 128, stages 3, blocks 132, warps 3, threads 32, rows 2, lanes 4>} {}

// -----

// expected-error @+1 {{threads of a schedule must be at least 1, but got 0}}
module attributes {a = #kern.tile_schedule<run 2048, tile_rows 128, pieces 2, strip 128, stages 3, blocks 132, warps 3, threads 0, rows 2, lanes 4>} {}

// -----

// expected-error @+1 {{threads of a schedule must be at most the 96 of its warps, but got 128}}
module attributes {a = #kern.tile_schedule<run 2048, tile_rows 128, pieces 2, strip 128, stages 3, blocks 132, warps 3, threads 128, rows 2, lanes 4>} {}

// -----

// expected-error @+1 {{lanes of a schedule must be a power of two of at most 64, but got 7}}
module attributes {a = #kern.vector_schedule<rows 4, lanes 7, chunk 128>} {}

// -----

// expected-error @+1 {{lanes of a schedule must be a power of two of at most 64, but got 24}}
module attributes {a = #kern.strip_schedule<pieces 2, strip 64, block 64, rows 8, lanes 24, chunk 512>} {}

// -----

// expected-error @+1 {{chunk of a schedule must be at most 2147483647, but got 4611686018427387904}}
module attributes {a = #kern.thread_schedule<rows 2, lanes 8, chunk 4611686018427387904, threads 96, groups 4, tiles 1>} {}

// -----

// expected-error @+1 {{warps of a schedule must be at most the 32 of a thread block, but got 2147483647}}
module attributes {a = #kern.tile_schedule<run 2048, tile_rows 128, pieces 2, strip 128, stages 3, blocks 132, warps 2147483647, threads 32, rows 2, lanes 4>} {}

// -----

// expected-error @+1 {{lanes of a schedule must be a power of two of at most 64, but got 128}}
module attributes {a = #kern.vector_schedule<rows 4, lanes 128, chunk 128>} {}

// -----

// expected-error @+1 {{lanes of a schedule must be a power of two of at most 64, but got 1073741824}}
module attributes {a = #kern.thread_schedule<rows 2, lanes 1073741824, chunk 128, threads 96, groups 4, tiles 1>} {}

// -----

// expected-error @+1 {{rows of a schedule must be at most 32, but got 33}}
module attributes {a = #kern.vector_schedule<rows 33, lanes 16, chunk 128>} {}

// -----

// expected-error @+1 {{rows of a schedule must be at most 32, but got 1000000}}
module attributes {a = #kern.thread_schedule<rows 1000000, lanes 8, chunk 128, threads 96, groups 1, tiles 1>} {}

// -----

// expected-error @+1 {{rows of a schedule must be at most 32, but got 64}}
module attributes {a = #kern.strip_schedule<pieces 2, strip 64, block 64, rows 64, lanes 16, chunk 512>} {}

// -----

// expected-error @+1 {{block of a schedule must be at most 4096, but got 1048576}}
module attributes {a = #kern.strip_schedule<pieces 2, strip 64, block 1048576, rows 8, lanes 16, chunk 512>} {}

// -----

// expected-error @+1 {{rows of a schedule must be at most 32, but got 64}}
module attributes {a = #kern.tile_schedule<run 2048, tile_rows 128, pieces 2, strip 128, stages 3, blocks 132, warps 3, threads 32, rows 64, lanes 4>} {}

// -----

func.func @strip_of_rows(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // expected-error @+1 {{the strip of the schedule must have at most the 8 columns of a piece, but has 2000000000}}
  %y = kern.rowwise(%x) maps [row] schedule #kern.vector_schedule<rows 4, lanes 16, chunk 8, pieces 2, strip 2000000000> {
  ^bb0(%row: tensor<16xf32>):
    kern.yield %row : tensor<16xf32>
  } : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}
