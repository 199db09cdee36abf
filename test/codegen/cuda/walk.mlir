// RUN: stretto-opt %s --kern-lower-cuda-kernels | FileCheck %s

// One block for each of two programs, of three sequences, of two spans; small tiles have four warps. A tile in shared memory
// has rows of 64 + 16 bytes, twice; its last row is the last of the sequence or zeros.
// CHECK: llvm.mlir.global internal @sum_tiles() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<2560 x i8>
// CHECK: llvm.func @sum(%{{.*}}: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %{{.*}}: !llvm.ptr<1>)
// CHECK-SAME: kern.block = 128 : i64
// CHECK-SAME: kern.bytes_moved = 27648 : i64
// CHECK-SAME: kern.flops = 147456 : i64
// CHECK-SAME: kern.grid = array<i64: 12, 1>
// CHECK: nvvm.barrier0
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache =  cg, %{{.*}}
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: llvm.store %{{.*}} : vector<2xf32>, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-16: llvm.call @__nv_fmaf
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
func.func @f(%x: tensor<3x36x32xf32>) {
  %y = kern.walk kernel "sum" (%x) windows [<rows 2>] -> [<rows 2>] programs 2 chunk 16 span 2 {
  ^bb0(%rows: tensor<16x16xf32>, %sum: tensor<16x16xf32>):
    %0 = kern.tile_matmul %rows, %sum : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %1 = arith.addf %rows, %0 : tensor<16x16xf32>
    kern.yield %0, %1 : tensor<16x16xf32>, tensor<16x16xf32>
  } : (tensor<3x36x32xf32>) -> tensor<3x36x32xf32>
  return
}

// A walk of bf16 uses tensor cores. More than 48 KiB of tiles are dynamic shared memory.
// CHECK: llvm.mlir.global external @dynamic_shared()
// CHECK: llvm.func @squares(
// CHECK-SAME: kern.block = 256 : i64
// CHECK-SAME: kern.dynamic_shared_bytes = 67584 : i64
// CHECK: nvvm.ldmatrix %{{.*}}layout = #nvvm.mma_layout<row>{{.*}}num = 4 : i32
// CHECK: nvvm.ldmatrix %{{.*}}layout = #nvvm.mma_layout<row>{{.*}}num = 4 : i32
// CHECK: nvvm.mma.sync {{.*}}#nvvm.shape<m = 16, n = 8, k = 16>
func.func @g(%x: tensor<1x128x256xbf16>) {
  %y = kern.walk kernel "squares" (%x) windows [<rows 1>] -> [<rows 1>] programs 1 chunk 128 span 1 {
  ^bb0(%rows: tensor<128x256xbf16>):
    %0 = kern.tile_matmul %rows, %rows transpose_b : tensor<128x256xbf16>, tensor<128x256xbf16> -> tensor<128x128xf32>
    kern.yield %0 : tensor<128x128xf32>
  } : (tensor<1x128x256xbf16>) -> tensor<1x128x128xf32>
  return
}

// Of columns 2 to 33 of 48 only pairs have even addresses, of columns 3 to 34 of 35 none.
// CHECK: llvm.func @columns(
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK-NOT: !llvm.ptr<1> -> vector<4xf32>
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<1>
// CHECK-NOT: vector<2xf32>, !llvm.ptr<1>
// CHECK: llvm.return
func.func @h(%x: tensor<1x16x48xf32>, %few: tensor<1x16x3xf32>) {
  %part = seq.slice %x at 2 : tensor<1x16x48xf32> -> tensor<1x16x32xf32>
  %y = kern.walk kernel "columns" (%part) windows [<rows 1>] -> [<rows 1>] programs 1 chunk 16 span 1 {
  ^bb0(%rows: tensor<16x32xf32>):
    kern.yield %rows : tensor<16x32xf32>
  } : (tensor<1x16x32xf32>) -> tensor<1x16x32xf32>
  %all = seq.concat %few, %y : tensor<1x16x3xf32>, tensor<1x16x32xf32> -> tensor<1x16x35xf32>
  return
}
