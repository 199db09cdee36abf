// REQUIRES: ptxas
// RUN: stretto-opt %s --kern-lower-cuda-kernels -o %t.mlir
// RUN: stretto-opt %t.mlir --kern-embed-cuda-binaries -o /dev/null 2>&1 | count 0
// RUN: sed 's/reqntid = array<i32: 512, 1, 1>/reqntid = array<i32: 640, 1, 1>/; s/kern.block = 512/kern.block = 640/' %t.mlir > %t.wide.mlir
// RUN: not stretto-opt %t.wide.mlir --kern-embed-cuda-binaries 2>&1 | FileCheck %s

// The most sums that a thread of 128 registers may have: 88, beside 40 others. In 640 threads there are 96 registers: ptxas finds too few
// for the matmul, and names its line.
// CHECK: registers.mlir.tmp.wide.mlir:{{[0-9]+}}:{{[0-9]+}}: error: kernel 'up': ptxas for sm_90a says: (C7602) Insufficient registers (96)
// CHECK: note: a thread has registers for the sums of a tile where it has fewer columns or a block fewer warps: give other ones, as in --kernel-schedule 'up:strip=64,warps=3'
// CHECK-NOT: error:
func.func @main(%x: tensor<16x2048x768xbf16>, %w: tensor<4096x768xbf16>) {
  %y = kern.matmul kernel "up" %x by %w as transposed epilogue() maps []
      schedule #kern.tile_schedule<run 2048, tile_rows 128, pieces 1, strip 176, stages 4, blocks 132, warps 7, threads 32, rows 2, lanes 2> {
  ^bb0(%row: tensor<4096xf32>):
    %0 = arith.truncf %row : tensor<4096xf32> to tensor<4096xbf16>
    kern.yield %0 : tensor<4096xbf16>
  } : (tensor<16x2048x768xbf16>, tensor<4096x768xbf16>) -> tensor<16x2048x4096xbf16>
  return
}
