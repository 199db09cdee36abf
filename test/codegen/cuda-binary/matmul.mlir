// REQUIRES: ptxas
// RUN: stretto-opt %s --kern-lower-cuda-kernels --kern-embed-cuda-binaries 2>%t | FileCheck %s --dump-input=never
// RUN: count 0 < %t
// RUN: stretto-opt %s --kern-lower-cuda-kernels -o %t.mlir && stretto-compile %t.mlir --target=cuda --emit=ptx | FileCheck %s --check-prefix=PTX --dump-input=never
// RUN: not stretto-opt %s --kern-lower-cuda-kernels --kern-embed-cuda-binaries=chip=sm_100a 2>&1 | FileCheck %s --check-prefix=CHIP

// All sums of a warpgroup's 64 x 256 are in registers, of which 384 threads have at most 168. (Nothing is said: no spills, and no
// matmuls that wait for each other.) There is no PTX for other chips.
// CHECK: kern.images = [#kern.image<@stretto.image.0, cubin, "sm_90a">]
// CHECK: kern.device_kernel @gate symbol "gate" grid [132, 1] block 384 shared 0 dynamic_shared 215104 registers 168 spills 0 local 0 bytes_moved 325058560 flops 206158430208 tensor_maps
// CHECK: kern.device_kernel @grad symbol "grad" grid [132, 1] block 384 shared 0 dynamic_shared 165968 registers 168 spills 0 local 0
// CHECK: kern.device_kernel @short symbol "short" {{.*}} spills 0 local 0
// Clusters of two, the last of which has a block without a run. No fence of all memory stands in front of what a block tells another one
// in each step.
// CHECK: kern.device_kernel @pairs symbol "pairs" grid [132, 1] block 384 cluster 2 shared 0 dynamic_shared 215104 registers 168 spills 0 local 0
// PTX: .extern .shared .align 1024 .b8 dynamic_shared[];
// PTX: .visible .entry gate(
// PTX: .param .align 64 .b8 gate_param_3[128]
// PTX: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTX: stmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// PTX: .visible .entry pairs(
// PTX: .reqnctapercluster 2
// PTX: barrier.cluster.arrive.relaxed.aligned;
// PTX: mapa.shared::cluster
// PTX: mbarrier.arrive.shared::cluster.b64
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
// PTX: barrier.cluster.wait
// CHIP: error: kernel 'gate': 'nvvm.{{.*}}' needs sm_90a, but the chip is sm_100a
func.func @main(%x: tensor<16x2048x768xbf16>, %w: tensor<4096x768xbf16>, %dy: tensor<16x2048x768xbf16>, %v: tensor<768x2048xbf16>,
                %few: tensor<2x32x64xbf16>, %u: tensor<192x64xbf16>) {
  %y = kern.matmul kernel "gate" %x by %w as transposed epilogue() maps []
      schedule #kern.tile_schedule<run 2048, tile_rows 128, pieces 1, strip 256, stages 3, blocks 132, warps 3, threads 32, rows 2, lanes 8> {
  ^bb0(%row: tensor<4096xf32>):
    %0 = arith.truncf %row : tensor<4096xf32> to tensor<4096xbf16>
    kern.yield %0 : tensor<4096xbf16>
  } : (tensor<16x2048x768xbf16>, tensor<4096x768xbf16>) -> tensor<16x2048x4096xbf16>
  %dx = kern.matmul kernel "grad" %dy by %v as rows epilogue() maps []
      schedule #kern.tile_schedule<run 2048, tile_rows 128, pieces 1, strip 128, stages 4, blocks 132, warps 3, threads 32, rows 2, lanes 4> {
  ^bb0(%row: tensor<2048xf32>):
    %0 = arith.truncf %row : tensor<2048xf32> to tensor<2048xbf16>
    kern.yield %0 : tensor<2048xbf16>
  } : (tensor<16x2048x768xbf16>, tensor<768x2048xbf16>) -> tensor<16x2048x2048xbf16>
  // Of one step: its first matmul adds to nothing, and no zeros have to be in registers before it.
  %short = kern.matmul kernel "short" %few by %u as transposed epilogue() maps []
      schedule #kern.tile_schedule<run 64, tile_rows 64, pieces 1, strip 64, stages 4, blocks 3, warps 3, threads 32, rows 2, lanes 2> {
  ^bb0(%row: tensor<192xf32>):
    %0 = arith.truncf %row : tensor<192xf32> to tensor<192xbf16>
    kern.yield %0 : tensor<192xbf16>
  } : (tensor<2x32x64xbf16>, tensor<192x64xbf16>) -> tensor<2x32x192xbf16>
  %z = kern.matmul kernel "pairs" %x by %w as transposed epilogue() maps []
      schedule #kern.tile_schedule<run 1150, tile_rows 128, pieces 1, strip 256, stages 3, blocks 132, warps 3, threads 32, rows 2, lanes 8, cluster 2> {
  ^bb0(%row: tensor<4096xf32>):
    %0 = arith.truncf %row : tensor<4096xf32> to tensor<4096xbf16>
    kern.yield %0 : tensor<4096xbf16>
  } : (tensor<16x2048x768xbf16>, tensor<4096x768xbf16>) -> tensor<16x2048x4096xbf16>
  return
}
