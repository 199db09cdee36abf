// RUN: stretto-opt %s -kern-emulate-cuda-kernels -split-input-file -verify-diagnostics | FileCheck %s

!d = !llvm.struct<(f32, f32, f32, f32)>
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 128 : i64, kern.buffer_bytes = array<i64: 64>} {
    %a = llvm.mlir.constant(0 : i64) : i64
    %more = llvm.mlir.constant(true) : i1
    %z = llvm.mlir.zero : !d
    llvm.br ^loop(%z : !d)
  ^loop(%s: !d):
    nvvm.wgmma.fence.aligned
    %d = nvvm.wgmma.mma_async %a, %a, %s, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<bf16>, <neg>, <col>], B[<bf16>, <one>, <col>] : !d -> !d
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 1
    llvm.cond_br %more, ^loop(%d : !d), ^end
  ^end:
    nvvm.wgmma.wait.group.sync.aligned 0
    %v = llvm.extractvalue %d[0] : !d
    llvm.store %v, %x : f32, !llvm.ptr<1>
    llvm.return
  }
}
// CHECK: llvm.alloca {{.*}} x !llvm.array<2 x i64>
// CHECK: ^bb1(%[[S:[0-9]+]]: !llvm.struct
// CHECK: llvm.store %[[S]], %[[MEMORY:[0-9]+]] : !llvm.struct
// CHECK: llvm.call @stretto_emulator_multiply_async(%arg0, %{{.*}}, %[[A:[0-9]+]], %[[A]], %[[MEMORY]])
// CHECK: %[[D:.*]] = llvm.load %[[MEMORY]]
// CHECK: llvm.call @stretto_emulator_commit_matmuls
// CHECK: llvm.call @stretto_emulator_await_matmuls
// CHECK: llvm.cond_br %{{.*}}, ^bb1(%[[D]]
// CHECK: llvm.call @stretto_emulator_await_matmuls
// Columns, M-major and negative A.
// CHECK: @stretto.emulator.waits(dense<[{{[0-9]+}}, {{[0-9]+}}, 5128,

// -----

!d = !llvm.struct<(f32, f32, f32, f32)>
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 128 : i64, kern.buffer_bytes = array<i64: 64>} {
    %a = llvm.mlir.constant(0 : i64) : i64
    %z = llvm.mlir.zero : !d
    nvvm.wgmma.fence.aligned
    // expected-note @+1 {{the matmul}}
    %d = nvvm.wgmma.mma_async %a, %a, %z, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !d -> !d
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 1
    // expected-error @+1 {{that has not been committed and awaited on every way to it}}
    %v = llvm.extractvalue %d[0] : !d
    llvm.return
  }
}
