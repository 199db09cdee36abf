// RUN: stretto-opt %s --kern-lower-cuda-kernels --kern-check-async-proxies | FileCheck %s

// Three runs of two tiles of 64 rows, the last of one, of which a cluster of two blocks has two at a time, in each of three strips of
// 128 columns: the second block has no run in the second half of what they go over.
// CHECK: llvm.func @up(
// CHECK-SAME: kern.grid = array<i64: 4, 1>
// A block brings half of the columns of a strip.
// CHECK-SAME: box [64, 64], swizzle 128>, #kern.tensor_map<buffer 1, bf16, sizes [288, 160], strides [320], box [64, 64], swizzle 128>]
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// Four warps of each block give a stage back.
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-DAG: %[[READERS:.*]] = llvm.mlir.constant(8 : i32)
// CHECK-DAG: %[[ROWS:.*]] = llvm.mlir.constant(64 : i64)
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(24576 : i32)
// CHECK-DAG: %[[BOTH:.*]] = llvm.mlir.constant(3 : i16)
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[ONE]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[READERS]]
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NOT: nvvm.barrier0
// CHECK: nvvm.cluster.arrive.relaxed {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// All of a stage is awaited, whoever copies it.
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[FULL:.*]], %[[BYTES]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}, %[[FULL]], box[%{{.*}}, %{{.*}}] :
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}, %[[FULL]], box[%{{.*}}, %{{.*}}] multicast_mask = %[[BOTH]]
// Two lanes of a warp give it back to the two blocks.
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: %[[LANE:.*]] = llvm.trunc %{{.*}} : i64 to i32
// CHECK: %[[OTHERS:.*]] = nvvm.mapa %{{.*}}, %[[LANE]]
// CHECK: nvvm.mbarrier.arrive %[[OTHERS]] : !llvm.ptr<7>
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: nvvm.mapa
// CHECK: nvvm.mbarrier.arrive %{{.*}} : !llvm.ptr<7>
// CHECK: nvvm.stmatrix
// CHECK: nvvm.mbarrier.arrive %{{.*}} : !llvm.ptr<3> -> i64
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK-NEXT: llvm.return
func.func @transposed(%x: tensor<3x93x160xbf16>, %w: tensor<288x160xbf16>) -> tensor<3x93x288xbf16> {
  %y = kern.matmul kernel "up" %x by %w as transposed epilogue() maps []
      schedule #kern.tile_schedule<run 120, tile_rows 64, pieces 1, strip 128, stages 2, blocks 4, warps 3, threads 32, rows 2, lanes 4, cluster 2> {
  ^bb0(%row: tensor<288xf32>):
    %0 = arith.truncf %row : tensor<288xf32> to tensor<288xbf16>
    kern.yield %0 : tensor<288xbf16>
  } : (tensor<3x93x160xbf16>, tensor<288x160xbf16>) -> tensor<3x93x288xbf16>
  return %y : tensor<3x93x288xbf16>
}

// Of a square of a weight as rows each of four blocks brings 16 terms.
// CHECK: llvm.func @down(
// CHECK-SAME: box [64, 64], swizzle 128>, #kern.tensor_map<buffer 1, bf16, sizes [64, 256], strides [512], box [16, 64], swizzle 128>]
// CHECK-SAME: nvvm.cluster_dim = array<i32: 4, 1, 1>
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}, box[%{{.*}}, %{{.*}}] :
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask
// CHECK-NOT: nvvm.cp.async.bulk
func.func @rows(%x: tensor<1x512x64xbf16>, %w: tensor<64x256xbf16>) -> tensor<1x512x256xbf16> {
  %y = kern.matmul kernel "down" %x by %w as rows epilogue() maps []
      schedule #kern.tile_schedule<run 128, tile_rows 64, pieces 1, strip 128, stages 2, blocks 4, warps 3, threads 32, rows 2, lanes 4, cluster 4> {
  ^bb0(%row: tensor<256xf32>):
    %0 = arith.truncf %row : tensor<256xf32> to tensor<256xbf16>
    kern.yield %0 : tensor<256xbf16>
  } : (tensor<1x512x64xbf16>, tensor<64x256xbf16>) -> tensor<1x512x256xbf16>
  return %y : tensor<1x512x256xbf16>
}
