// What a user gives of schedules holds; what is left open is chosen beside it. What a GPU cannot do is refused.
// RUN: stretto-opt %s --kern-choose-cuda-schedule="overrides=main.norm:rows=1,threads=128;main.pairs:lanes=2,groups=4;main.one:lanes=4" | FileCheck %s
// RUN: stretto-opt %s --kern-choose-cuda-schedule="overrides=main.norm:chunk=2" | FileCheck %s --check-prefix=SHORT
// RUN: stretto-opt %s --kern-choose-cuda-schedule="overrides=main.norm:rows=2,threads=32" -remarks-filter=schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=main.norm:tiles=2" 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=main.norm:rows=33" 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=main.norm:lanes=8" 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=main.pairs:lanes=1" 2>&1 | FileCheck %s --check-prefix=PAIRS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=main.norm:threads=48" 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=main.norm:threads=1056" 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=main.norm:threads=256,groups=5" 2>&1 | FileCheck %s --check-prefix=GROUPS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=main.norm:threads=8,groups=3" 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=main.norm:rows=4,chunk=3" 2>&1 | FileCheck %s --check-prefix=CHUNK
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=main.sums:threads=64,groups=8" 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=main.long:threads=1,lanes=1" 2>&1 | FileCheck %s --check-prefix=TILES
// FIELD: error: schedule 'main.norm:tiles=2': fields must be among chunk, groups, places, threads, rows, lanes, run, tile_rows, pieces, strip, stages, blocks, warps, cluster, but got 'tiles'{{$}}
// ROWS: error: kernel 'main.norm': rows must be at most 32, but got 33
// LANES: error: kernel 'main.norm': lanes must be a power of two of at most 4, 16 bytes of the narrowest operand, but got 8
// PAIRS: error: kernel 'main.pairs': lanes must be at least 2, as neighbours change places, but got 1
// THREADS: error: kernel 'main.norm': threads must be 1, 2, 4, 8, 16 or a multiple of 32 up to 1024, but got {{48|1056}}
// GROUPS: error: kernel 'main.norm': groups must be at most 4 and make whole warps with groups of 256 threads, but got 5
// WARPS: error: kernel 'main.norm': groups must be at most 128 and make whole warps with groups of 8 threads, but got 3
// CHUNK: error: kernel 'main.norm': chunk must be at least the 4 rows of a step, but got 3
// SHARED: error: kernel 'main.sums': groups must be such that a block takes at most 49152 bytes of shared memory (it takes 81920), but got 8
// TILES: error: kernel 'main.long': threads must be so many that at most 65535 tiles make a row, but got 1

func.func @main(%x: tensor<4x64x256xf32>, %s: tensor<4x64xf32>, %heads: tensor<4x64x4x512xf32>, %long: tensor<1x1x131072xf32>)
    -> (tensor<4x64x256xf32>, tensor<4x64x256xf32>, tensor<4x64xf32>, tensor<512xf32>, tensor<1x1x131072xf32>) {
  // CHECK: kernel "main.norm"{{.*}} schedule #kern.thread_schedule<rows 1, lanes 4, chunk {{[0-9]+}}, threads 128, groups 1, tiles 1>
  // SHORT: kernel "main.norm"{{.*}} schedule #kern.thread_schedule<rows {{[12]}}, lanes 4, chunk 2, threads 64, groups 2, tiles 1>
  // REMARK: Function=main.norm | Remark="given: rows 2, threads 32; chosen: lanes 4, chunk {{[0-9]+}}, groups 4, tiles 1, places 1"
  %norm = kern.rowwise kernel "main.norm"(%x) maps [row] {
  ^bb0(%row: tensor<256xf32>):
    %0 = seq.reduce add %row : tensor<256xf32> -> tensor<f32>
    %1 = seq.broadcast %0 dims [] : tensor<f32> -> tensor<256xf32>
    %2 = arith.mulf %row, %1 : tensor<256xf32>
    kern.yield %2 : tensor<256xf32>
  } : (tensor<4x64x256xf32>) -> tensor<4x64x256xf32>
  // CHECK: kernel "main.pairs"{{.*}} schedule #kern.thread_schedule<rows {{[0-9]+}}, lanes 2, chunk {{[0-9]+}}, threads {{[0-9]+}}, groups 4, tiles {{[0-9]+}}>
  %pairs = kern.rowwise kernel "main.pairs"(%x) maps [row] {
  ^bb0(%row: tensor<256xf32>):
    %0 = seq.permute interleaved %row rotated 256 : tensor<256xf32>
    kern.yield %0 : tensor<256xf32>
  } : (tensor<4x64x256xf32>) -> tensor<4x64x256xf32>
  // Loops take what divides their columns.
  // CHECK: kernel "main.one"{{.*}} lanes 4,
  %one = kern.rowwise kernel "main.one"(%s) maps [row] {
  ^bb0(%row: tensor<f32>):
    %0 = arith.addf %row, %row : tensor<f32>
    kern.yield %0 : tensor<f32>
  } : (tensor<4x64xf32>) -> tensor<4x64xf32>
  // Heads that add to the same columns meet in shared memory.
  %sums = kern.rowwise kernel "main.sums"(%heads) maps [row] {
  ^bb0(%row: tensor<4x512xf32>):
    %0 = seq.column_sum %row : tensor<4x512xf32> -> tensor<512xf32>
    kern.yield %0 : tensor<512xf32>
  } : (tensor<4x64x4x512xf32>) -> tensor<512xf32>
  %l = kern.rowwise kernel "main.long"(%long) maps [row] {
  ^bb0(%row: tensor<131072xf32>):
    %0 = arith.addf %row, %row : tensor<131072xf32>
    kern.yield %0 : tensor<131072xf32>
  } : (tensor<1x1x131072xf32>) -> tensor<1x1x131072xf32>
  return %norm, %pairs, %one, %sums, %l : tensor<4x64x256xf32>, tensor<4x64x256xf32>, tensor<4x64xf32>, tensor<512xf32>, tensor<1x1x131072xf32>
}
