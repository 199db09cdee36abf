// RUN: stretto-opt %s -kern-emulate-cuda-kernels -split-input-file -verify-diagnostics | FileCheck %s

// Addresses in shared memory are other numbers than those of the CPU.
gpu.module @kernels {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<512 x i8>
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64>} {
    %t = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %n = llvm.ptrtoint %t : !llvm.ptr<3> to i32
    %g = llvm.ptrtoint %x : !llvm.ptr<1> to i64
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
    llvm.return
  }
}
// CHECK: %[[TILE:.*]] = llvm.getelementptr %{{.*}}[0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: %[[NUMBER:.*]] = llvm.call @stretto_emulator_shared_address(%arg0, %[[TILE]])
// CHECK: llvm.trunc %[[NUMBER]] : i64 to i32
// CHECK: llvm.ptrtoint %{{.*}} : !llvm.ptr to i64
// CHECK: llvm.call @stretto_emulator_fence_proxy(%arg0)

// -----

!d = !llvm.struct<(f32, f32, f32, f32)>
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 128 : i64, kern.buffer_bytes = array<i64: 64>} {
    %a = llvm.mlir.constant(0 : i64) : i64
    %z = llvm.mlir.zero : !d
    nvvm.wgmma.fence.aligned
    // expected-error @+1 {{'nvvm.wgmma.mma_async' op of shape m64n8k8, f32 += tf32 * tf32 is not known to the emulator (m64nNk16, f32 += bf16 * bf16 is)}}
    %d = nvvm.wgmma.mma_async %a, %a, %z, #nvvm.shape<m = 64, n = 8, k = 8>, D[<f32>, <one>], A[<tf32>, <one>, <row>], B[<tf32>, <one>, <col>] : !d -> !d
    // expected-error @+1 {{'nvvm.fence.proxy' op of alias is not known to the emulator (async and async.shared are)}}
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
    llvm.return
  }
}
