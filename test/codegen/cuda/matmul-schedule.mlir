// RUN: stretto-opt %s --kern-choose-cuda-schedule | FileCheck %s
// RUN: stretto-opt %s --kern-choose-cuda-schedule="overrides=up:run=640,blocks=7;few:strip=64" | FileCheck %s --check-prefix=GIVEN
// RUN: stretto-opt %s --kern-choose-cuda-schedule -remarks-filter=schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stretto-opt %s --kern-choose-cuda-schedule="overrides=up:threads=128" | FileCheck %s --check-prefix=GROUP
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:warps=3,threads=128" 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:tile_rows=96" 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:strip=200" 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:stages=1" 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:stages=20" 2>&1 | FileCheck %s --check-prefix=ROOM
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:chunk=4" 2>&1 | FileCheck %s --check-prefix=CHUNK
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=pass:run=4" 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:warps=5" 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:warps=4,strip=256,tile_rows=128" 2>&1 | FileCheck %s --check-prefix=SUMS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:threads=48" 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:pieces=3" 2>&1 | FileCheck %s --check-prefix=PIECES
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:cluster=3" 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:cluster=2,blocks=7" 2>&1 | FileCheck %s --check-prefix=DIVIDES
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:cluster=4,strip=48" 2>&1 | FileCheck %s --check-prefix=PARTS
// ROWS: error: kernel 'up': tile_rows must be 64 or 128, but got 96
// COLUMNS: error: kernel 'up': strip must be a multiple of 16, and at most 256, but got 200
// STAGES: error: kernel 'up': stages must be at least 2, and few enough for a block to take at most 232448 bytes of shared memory (it takes {{[0-9]+}}), but got 1
// ROOM: error: kernel 'up': stages must be at least 2, and few enough for a block to take at most 232448 bytes of shared memory (it takes {{[0-9]+}}), but got 20
// CHUNK: error: kernel 'up': chunk must be left out where there is a matmul, but got 4
// WARPS: error: kernel 'up': warps must be 3, 4, 7 or 8, where threads have registers for the sums of their columns, but got 5
// SUMS: error: kernel 'up': warps must be 3, 4, 7 or 8, where threads have registers for the sums of their columns, but got 4
// THREADS: error: kernel 'up': threads must be a multiple of 32, and at most 96, but got 48
// FEW: error: kernel 'up': threads must be a multiple of 32, and at most 96, but got 128
// GROUP: kernel "up"{{.*}} warps {{[478]}}, threads 128,
// PIECES: error: kernel 'up': pieces must be such that columns of two strips do not meet, but got 3
// CLUSTER: error: kernel 'up': cluster must be 1, 2, 4 or 8, such that it divides the 132 blocks, and 8 times it the 256 columns of a strip, but got 3
// DIVIDES: error: kernel 'up': cluster must be 1, 2, 4 or 8, such that it divides the 7 blocks, and 8 times it the 256 columns of a strip, but got 2
// PARTS: error: kernel 'up': cluster must be 1, 2, 4 or 8, such that it divides the 132 blocks, and 8 times it the 48 columns of a strip, but got 4
// PASS: error: kernel 'pass': run must be left out where there is no matmul, but got 4
// REMARK: Schedule{{.*}}cuts a matmul into tiles{{.*}}blocks=128, cluster=2, items=128, lanes=8, pieces=1, rows=4, run=4096, {{.*}}threads=32, {{.*}}tiles_of_block=32

func.func @main(%x: tensor<16x2048x768xbf16>, %up: tensor<4096x768xbf16>, %qkv: tensor<2304x768xbf16>, %m: tensor<16x2048x2048xbf16>,
    %down: tensor<768x2048xbf16>, %short: tensor<1x512x768xbf16>) -> (tensor<16x2048x4096xbf16>, tensor<16x2048x2304xbf16>, tensor<16x2048x768xbf16>, tensor<1x512x4096xbf16>, tensor<1x512x768xbf16>) {
  // 16 strips of 256 tiles: 31 of 4096 tiles for each multiprocessor, or 32 for most of them, one after the other. The second-level cache
  // delivers too little for single blocks; an odd number of them has no clusters.
  // CHECK: kernel "up"{{.*}} schedule #kern.tile_schedule<run 4096, tile_rows 128, pieces 1, strip 256, stages 3, blocks 128, warps 3, threads 32, rows 4, lanes 8, cluster 2>
  // GIVEN: kernel "up"{{.*}} schedule #kern.tile_schedule<run 640, tile_rows 128, pieces 1, strip 256, stages 3, blocks 7, warps 3, threads 32, rows 4, lanes 8>
  %0 = kern.matmul kernel "up" %x by %up as transposed epilogue() maps [] {
  ^bb0(%row: tensor<4096xf32>):
    %r = arith.truncf %row : tensor<4096xf32> to tensor<4096xbf16>
    kern.yield %r : tensor<4096xbf16>
  } : (tensor<16x2048x768xbf16>, tensor<4096x768xbf16>) -> tensor<16x2048x4096xbf16>
  // CHECK: kernel "qkv"{{.*}} schedule #kern.tile_schedule<run 768, tile_rows 128, pieces 1, strip 256, stages 3, blocks 132, warps 3, threads 32, rows 4, lanes 8, cluster 2>
  %1 = kern.matmul kernel "qkv" %x by %qkv as transposed epilogue() maps [] {
  ^bb0(%row: tensor<2304xf32>):
    %r = arith.truncf %row : tensor<2304xf32> to tensor<2304xbf16>
    kern.yield %r : tensor<2304xbf16>
  } : (tensor<16x2048x768xbf16>, tensor<2304x768xbf16>) -> tensor<16x2048x2304xbf16>
  // CHECK: kernel "down"{{.*}} schedule #kern.tile_schedule<run 768, tile_rows 128, pieces 1, strip 256, stages 3, blocks 132, warps 3, threads 32, rows 4, lanes 8, cluster 2>
  %2 = kern.matmul kernel "down" %m by %down as transposed epilogue() maps [] {
  ^bb0(%row: tensor<768xf32>):
    %r = arith.truncf %row : tensor<768xf32> to tensor<768xbf16>
    kern.yield %r : tensor<768xbf16>
  } : (tensor<16x2048x2048xbf16>, tensor<768x2048xbf16>) -> tensor<16x2048x768xbf16>
  // Of few rows small tiles leave fewer multiprocessors without work.
  // CHECK: kernel "few"{{.*}} schedule #kern.tile_schedule<run 64, tile_rows 64, pieces 1, strip 256, stages 4, blocks 128, warps 3, threads 32, rows 4, lanes 8, cluster 2>
  // GIVEN: kernel "few"{{.*}} strip 64,
  %3 = kern.matmul kernel "few" %short by %up as transposed epilogue() maps [] {
  ^bb0(%row: tensor<4096xf32>):
    %r = arith.truncf %row : tensor<4096xf32> to tensor<4096xbf16>
    kern.yield %r : tensor<4096xbf16>
  } : (tensor<1x512x768xbf16>, tensor<4096x768xbf16>) -> tensor<1x512x4096xbf16>
  // CHECK: kernel "pass"{{.*}} schedule #kern.thread_schedule<
  %4 = kern.rowwise kernel "pass"(%short) maps [row] {
  ^bb0(%row: tensor<768xbf16>):
    kern.yield %row : tensor<768xbf16>
  } : (tensor<1x512x768xbf16>) -> tensor<1x512x768xbf16>
  return %0, %1, %2, %3, %4 : tensor<16x2048x4096xbf16>, tensor<16x2048x2304xbf16>, tensor<16x2048x768xbf16>, tensor<1x512x4096xbf16>, tensor<1x512x768xbf16>
}
