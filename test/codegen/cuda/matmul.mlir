// RUN: stretto-opt %s --kern-lower-cuda-kernels | FileCheck %s

// Three strips of 128 columns and two runs of two tiles of 64 rows, the second one of them with one tile: two thread blocks go over
// six items. Operands come in boxes of 64 terms.
// CHECK: llvm.mlir.global external @dynamic_shared() {addr_space = 3 : i32, alignment = 1024 : i64}
// CHECK: llvm.func @up(%{{.*}}: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %{{.*}}: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %[[OUT:.*]]: !llvm.ptr<1>, %[[A:.*]]: !llvm.ptr {{{.*}}}, %[[B:.*]]: !llvm.ptr {{{.*}}})
// CHECK-SAME: kern.block = 256 : i64
// CHECK-SAME: kern.dynamic_shared_bytes = 66608 : i64
// CHECK-SAME: kern.flops = 17141760 : i64
// CHECK-SAME: kern.grid = array<i64: 2, 1>
// CHECK-SAME: kern.tensor_maps = [#kern.tensor_map<buffer 0, bf16, sizes [186, 160], strides [320], box [64, 64], swizzle 128>, #kern.tensor_map<buffer 1, bf16, sizes [288, 160], strides [320], box [128, 64], swizzle 128>]
// One thread prepares the mbarriers of two stages, and of the staged tile.
// CHECK-COUNT-6: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.barrier0
// It copies the 8 + 16 KiB of a stage.
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES:.*]] :
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}, %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}]
// A warp of the epilogue stores two rows at a time, vectors of 4 numbers, then rows one by one that may not be there; the last
// strip, of 32 columns, has code of its own.
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<4xbf16>
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 8 : i64} : vector<4xbf16>, !llvm.ptr<1>
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<4xbf16>
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 8 : i64} : vector<4xbf16>, !llvm.ptr<1>
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 8 : i64} : vector<4xbf16>, !llvm.ptr<1>
// CHECK: nvvm.mbarrier.arrive
// The first matmul adds to nothing; then a stage is given back when the next matmuls have begun.
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 128, k = 16>, D[<f32>, <zero>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
// CHECK-COUNT-3: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-4: nvvm.wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-8: nvvm.stmatrix
// CHECK-NOT: nvvm.stmatrix
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.mbarrier.arrive
func.func @transposed(%x: tensor<2x93x160xbf16>, %w: tensor<288x160xbf16>) -> tensor<2x93x288xbf16> {
  %y = kern.matmul kernel "up" %x by %w as transposed epilogue() maps []
      schedule #kern.tile_schedule<run 128, tile_rows 64, pieces 1, strip 128, stages 2, blocks 2, warps 3, threads 32, rows 2, lanes 4> {
  ^bb0(%row: tensor<288xf32>):
    %0 = arith.truncf %row : tensor<288xf32> to tensor<288xbf16>
    kern.yield %0 : tensor<288xbf16>
  } : (tensor<2x93x160xbf16>, tensor<288x160xbf16>) -> tensor<2x93x288xbf16>
  return %y : tensor<2x93x288xbf16>
}

// A weight as rows comes in squares; all of the matmul is in whole tiles.
// CHECK: llvm.func @down(
// CHECK-SAME: kern.block = 384 : i64
// CHECK-SAME: box [128, 64], swizzle 128>, #kern.tensor_map<buffer 1, bf16, sizes [64, 256], strides [512], box [64, 64], swizzle 128>]
// CHECK-COUNT-5: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: nvvm.cp.async.bulk
// CHECK: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 256, k = 16>, D[<f32>, <zero>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>]
// CHECK-COUNT-3: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 256, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>]
// CHECK-NOT: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-COUNT-16: nvvm.stmatrix
func.func @rows(%x: tensor<1x128x64xbf16>, %w: tensor<64x256xbf16>) -> tensor<1x128x256xbf16> {
  %y = kern.matmul kernel "down" %x by %w as rows epilogue() maps []
      schedule #kern.tile_schedule<run 128, tile_rows 128, pieces 1, strip 256, stages 3, blocks 1, warps 3, threads 32, rows 2, lanes 8> {
  ^bb0(%row: tensor<256xf32>):
    %0 = arith.truncf %row : tensor<256xf32> to tensor<256xbf16>
    kern.yield %0 : tensor<256xbf16>
  } : (tensor<1x128x64xbf16>, tensor<64x256xbf16>) -> tensor<1x128x256xbf16>
  return %y : tensor<1x128x256xbf16>
}
