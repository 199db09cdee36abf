// Sums along rows of an epilogue take shared memory behind the tiles: strips, tiles and stages are chosen so that there is room for both.
// RUN: stretto-opt %s --kern-choose-cuda-schedule --kern-lower-cuda-kernels | FileCheck %s
// RUN: stretto-opt %s --kern-choose-cuda-schedule="overrides=loads:tile_rows=128,strip=192,stages=4" --kern-lower-cuda-kernels | FileCheck %s --check-prefix=FULL
// RUN: not stretto-opt %s --kern-choose-cuda-schedule="overrides=sums:tile_rows=128,strip=192,stages=4" 2>&1 | FileCheck %s --check-prefix=ROOM
// ROOM: error: 'kern.matmul' op has an epilogue whose sums take 19008 bytes of shared memory, but a block has 17328 bytes beside its tiles

// Nine sums of three heads of a strip take 1536 bytes each, and 512 those of the one head of the last strip; 232,448 are the most that a block can have,
// 49,152 of them in variables.
// CHECK-NOT: llvm.mlir.global internal
// CHECK: llvm.func @sums(
// CHECK-SAME: kern.dynamic_shared_bytes = 192576
// CHECK: %[[SHARED:[0-9]+]] = llvm.mlir.addressof @dynamic_shared
// CHECK-DAG: llvm.getelementptr %[[SHARED]][174144] :
// CHECK-DAG: llvm.getelementptr %[[SHARED]][187968] :
func.func @main(%x: tensor<16x2048x768xbf16>, %w: tensor<4096x768xbf16>) -> tensor<16x2048x4096xbf16> {
  %y = kern.matmul kernel "sums" %x by %w as transposed epilogue() maps [] {
  ^bb0(%row: tensor<4096xf32>):
    %t = arith.truncf %row : tensor<4096xf32> to tensor<4096xbf16>
    %y = arith.extf %t : tensor<4096xbf16> to tensor<4096xf32>
    %p0 = seq.reshape %y : tensor<4096xf32> -> tensor<64x64xf32>
    %s0 = seq.reduce add %p0 : tensor<64x64xf32> -> tensor<64xf32>
    %b0 = seq.broadcast %s0 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p1 = arith.mulf %p0, %p0 : tensor<64x64xf32>
    %s1 = seq.reduce add %p1 : tensor<64x64xf32> -> tensor<64xf32>
    %b1 = seq.broadcast %s1 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p2 = arith.mulf %p1, %p0 : tensor<64x64xf32>
    %s2 = seq.reduce add %p2 : tensor<64x64xf32> -> tensor<64xf32>
    %b2 = seq.broadcast %s2 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p3 = arith.mulf %p2, %p0 : tensor<64x64xf32>
    %s3 = seq.reduce add %p3 : tensor<64x64xf32> -> tensor<64xf32>
    %b3 = seq.broadcast %s3 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p4 = arith.mulf %p3, %p0 : tensor<64x64xf32>
    %s4 = seq.reduce add %p4 : tensor<64x64xf32> -> tensor<64xf32>
    %b4 = seq.broadcast %s4 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p5 = arith.mulf %p4, %p0 : tensor<64x64xf32>
    %s5 = seq.reduce add %p5 : tensor<64x64xf32> -> tensor<64xf32>
    %b5 = seq.broadcast %s5 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p6 = arith.mulf %p5, %p0 : tensor<64x64xf32>
    %s6 = seq.reduce add %p6 : tensor<64x64xf32> -> tensor<64xf32>
    %b6 = seq.broadcast %s6 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p7 = arith.mulf %p6, %p0 : tensor<64x64xf32>
    %s7 = seq.reduce add %p7 : tensor<64x64xf32> -> tensor<64xf32>
    %b7 = seq.broadcast %s7 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p8 = arith.mulf %p7, %p0 : tensor<64x64xf32>
    %s8 = seq.reduce add %p8 : tensor<64x64xf32> -> tensor<64xf32>
    %b8 = seq.broadcast %s8 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %a1 = arith.addf %b0, %b1 : tensor<64x64xf32>
    %a2 = arith.addf %a1, %b2 : tensor<64x64xf32>
    %a3 = arith.addf %a2, %b3 : tensor<64x64xf32>
    %a4 = arith.addf %a3, %b4 : tensor<64x64xf32>
    %a5 = arith.addf %a4, %b5 : tensor<64x64xf32>
    %a6 = arith.addf %a5, %b6 : tensor<64x64xf32>
    %a7 = arith.addf %a6, %b7 : tensor<64x64xf32>
    %a8 = arith.addf %a7, %b8 : tensor<64x64xf32>
    %m = arith.mulf %a8, %p0 : tensor<64x64xf32>
    %f = seq.reshape %m : tensor<64x64xf32> -> tensor<4096xf32>
    %r = arith.truncf %f : tensor<4096xf32> to tensor<4096xbf16>
    kern.yield %r : tensor<4096xbf16>
  } : (tensor<16x2048x768xbf16>, tensor<4096x768xbf16>) -> tensor<16x2048x4096xbf16>
  return %y : tensor<16x2048x4096xbf16>
}

// Rows of another operand on their way lie behind the sums; where no room is left, they come when they are read.
// CHECK: llvm.func @loads(
// CHECK-SAME: kern.dynamic_shared_bytes = 215104
// CHECK: nvvm.cp.async.wait.group 2
// FULL: llvm.func @loads(
// FULL-SAME: kern.dynamic_shared_bytes = 231504
// FULL-NOT: nvvm.cp.async.wait.group
// FULL: llvm.return
func.func @beside(%x: tensor<16x2048x768xbf16>, %w: tensor<4096x768xbf16>, %z: tensor<16x2048x4096xf32>) -> tensor<16x2048x4096xbf16> {
  %y = kern.matmul kernel "loads" %x by %w as transposed epilogue(%z) maps [row] {
  ^bb0(%row: tensor<4096xf32>, %other: tensor<4096xf32>):
    %t = arith.truncf %row : tensor<4096xf32> to tensor<4096xbf16>
    %y = arith.extf %t : tensor<4096xbf16> to tensor<4096xf32>
    %p0 = seq.reshape %y : tensor<4096xf32> -> tensor<64x64xf32>
    %s0 = seq.reduce add %p0 : tensor<64x64xf32> -> tensor<64xf32>
    %b0 = seq.broadcast %s0 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p1 = arith.mulf %p0, %p0 : tensor<64x64xf32>
    %s1 = seq.reduce add %p1 : tensor<64x64xf32> -> tensor<64xf32>
    %b1 = seq.broadcast %s1 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p2 = arith.mulf %p1, %p0 : tensor<64x64xf32>
    %s2 = seq.reduce add %p2 : tensor<64x64xf32> -> tensor<64xf32>
    %b2 = seq.broadcast %s2 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p3 = arith.mulf %p2, %p0 : tensor<64x64xf32>
    %s3 = seq.reduce add %p3 : tensor<64x64xf32> -> tensor<64xf32>
    %b3 = seq.broadcast %s3 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p4 = arith.mulf %p3, %p0 : tensor<64x64xf32>
    %s4 = seq.reduce add %p4 : tensor<64x64xf32> -> tensor<64xf32>
    %b4 = seq.broadcast %s4 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p5 = arith.mulf %p4, %p0 : tensor<64x64xf32>
    %s5 = seq.reduce add %p5 : tensor<64x64xf32> -> tensor<64xf32>
    %b5 = seq.broadcast %s5 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p6 = arith.mulf %p5, %p0 : tensor<64x64xf32>
    %s6 = seq.reduce add %p6 : tensor<64x64xf32> -> tensor<64xf32>
    %b6 = seq.broadcast %s6 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p7 = arith.mulf %p6, %p0 : tensor<64x64xf32>
    %s7 = seq.reduce add %p7 : tensor<64x64xf32> -> tensor<64xf32>
    %b7 = seq.broadcast %s7 dims [0] : tensor<64xf32> -> tensor<64x64xf32>
    %p8 = arith.mulf %p7, %p0 : tensor<64x64xf32>
    %a1 = arith.addf %b0, %b1 : tensor<64x64xf32>
    %a2 = arith.addf %a1, %b2 : tensor<64x64xf32>
    %a3 = arith.addf %a2, %b3 : tensor<64x64xf32>
    %a4 = arith.addf %a3, %b4 : tensor<64x64xf32>
    %a5 = arith.addf %a4, %b5 : tensor<64x64xf32>
    %a6 = arith.addf %a5, %b6 : tensor<64x64xf32>
    %a7 = arith.addf %a6, %b7 : tensor<64x64xf32>
    %m = arith.mulf %a7, %p0 : tensor<64x64xf32>
    %f = seq.reshape %m : tensor<64x64xf32> -> tensor<4096xf32>
    %o = arith.addf %f, %other : tensor<4096xf32>
    %r = arith.truncf %o : tensor<4096xf32> to tensor<4096xbf16>
    kern.yield %r : tensor<4096xbf16>
  } : (tensor<16x2048x768xbf16>, tensor<4096x768xbf16>, tensor<16x2048x4096xf32>) -> tensor<16x2048x4096xbf16>
  return %y : tensor<16x2048x4096xbf16>
}
