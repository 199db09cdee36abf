// RUN: stretto-opt %s --kern-choose-cuda-schedule | FileCheck %s
// RUN: stretto-opt %s --kern-choose-cuda-schedule="overrides=up:run=5,blocks=7;few:tile_columns=64" | FileCheck %s --check-prefix=GIVEN
// RUN: stretto-opt %s --kern-choose-cuda-schedule -remarks-filter=schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:tile_rows=96" 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:tile_columns=192" 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:stages=1" 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:stages=4" 2>&1 | FileCheck %s --check-prefix=ROOM
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=up:lanes=4" 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=pass:run=4" 2>&1 | FileCheck %s --check-prefix=PASS
// ROWS: error: kernel 'up': tile_rows must be 64 or 128, but got 96
// COLUMNS: error: kernel 'up': tile_columns must be 64, 128 or 256, but got 192
// STAGES: error: kernel 'up': stages must be at least 2, and few enough for a block to take at most 232448 bytes of shared memory (it takes {{[0-9]+}}), but got 1
// ROOM: error: kernel 'up': stages must be at least 2, and few enough for a block to take at most 232448 bytes of shared memory (it takes 264272), but got 4
// LANES: error: kernel 'up': lanes must be left out where there is a matmul, but got 4
// PASS: error: kernel 'pass': run must be left out where there is no matmul, but got 4
// REMARK: Schedule{{.*}}cuts a matmul into tiles{{.*}}blocks=128, items=128, run=32, {{.*}}tiles_of_block=32

func.func @main(%x: tensor<16x2048x768xbf16>, %up: tensor<4096x768xbf16>, %qkv: tensor<2304x768xbf16>, %m: tensor<16x2048x2048xbf16>,
    %down: tensor<768x2048xbf16>, %short: tensor<1x512x768xbf16>) -> (tensor<16x2048x4096xbf16>, tensor<16x2048x2304xbf16>, tensor<16x2048x768xbf16>, tensor<1x512x4096xbf16>, tensor<1x512x768xbf16>) {
  // 16 strips of 256 tiles: 31 of 4096 tiles for each multiprocessor, or 32 for most of them, one after the other.
  // CHECK: kernel "up"{{.*}} schedule #kern.tile_schedule<run 32, tile_rows 128, tile_columns 256, stages 3, blocks 128>
  // GIVEN: kernel "up"{{.*}} schedule #kern.tile_schedule<run 5, tile_rows 128, tile_columns 256, stages 3, blocks 7>
  %0 = kern.matmul kernel "up" %x by %up as transposed epilogue() maps [] {
  ^bb0(%row: tensor<4096xf32>):
    %r = arith.truncf %row : tensor<4096xf32> to tensor<4096xbf16>
    kern.yield %r : tensor<4096xbf16>
  } : (tensor<16x2048x768xbf16>, tensor<4096x768xbf16>) -> tensor<16x2048x4096xbf16>
  // CHECK: kernel "qkv"{{.*}} schedule #kern.tile_schedule<run 9, tile_rows 128, tile_columns 256, stages 3, blocks 132>
  %1 = kern.matmul kernel "qkv" %x by %qkv as transposed epilogue() maps [] {
  ^bb0(%row: tensor<2304xf32>):
    %r = arith.truncf %row : tensor<2304xf32> to tensor<2304xbf16>
    kern.yield %r : tensor<2304xbf16>
  } : (tensor<16x2048x768xbf16>, tensor<2304x768xbf16>) -> tensor<16x2048x2304xbf16>
  // CHECK: kernel "down"{{.*}} schedule #kern.tile_schedule<run 6, tile_rows 128, tile_columns 256, stages 3, blocks 129>
  %2 = kern.matmul kernel "down" %m by %down as transposed epilogue() maps [] {
  ^bb0(%row: tensor<768xf32>):
    %r = arith.truncf %row : tensor<768xf32> to tensor<768xbf16>
    kern.yield %r : tensor<768xbf16>
  } : (tensor<16x2048x2048xbf16>, tensor<768x2048xbf16>) -> tensor<16x2048x768xbf16>
  // Of few rows small tiles leave fewer multiprocessors without work.
  // CHECK: kernel "few"{{.*}} schedule #kern.tile_schedule<run 1, tile_rows 128, tile_columns 128, stages 4, blocks 128>
  // GIVEN: kernel "few"{{.*}} tile_columns 64,
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
