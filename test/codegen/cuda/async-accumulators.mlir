// RUN: stretto-opt %s -kern-check-async-proxies -split-input-file -verify-diagnostics
// Each wait and each fence of generated kernels counts.
// RUN: stretto-opt %S/matmul.mlir -kern-lower-cuda-kernels -o %t
// RUN: sed '/wait.group.sync.aligned 0/d' %t | not stretto-opt -kern-check-async-proxies 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: sed '/wgmma.commit.group/d' %t | not stretto-opt -kern-check-async-proxies 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: sed '/wgmma.fence.aligned/d' %t | not stretto-opt -kern-check-async-proxies 2>&1 | FileCheck %s --check-prefix=FENCE
// WAIT: error: 'llvm.extractvalue' op reads the accumulator of a matmul
// FENCE: error: 'nvvm.wgmma.mma_async' op must have nvvm.wgmma.fence.aligned

// A wait that leaves one group covers the matmul of the turn before, the last one the other.
!d = !llvm.struct<(f32, f32, f32, f32)>
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
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

// -----

!d = !llvm.struct<(f32, f32, f32, f32)>
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %a = llvm.mlir.constant(0 : i64) : i64
    %more = llvm.mlir.constant(true) : i1
    %z = llvm.mlir.zero : !d
    nvvm.wgmma.fence.aligned
    // expected-note @+1 {{the matmul}}
    %d = nvvm.wgmma.mma_async %a, %a, %z, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !d -> !d
    nvvm.wgmma.commit.group.sync.aligned
    llvm.cond_br %more, ^wait, ^use
  ^wait:
    nvvm.wgmma.wait.group.sync.aligned 0
    llvm.br ^use
  ^use:
    // expected-error @+1 {{'llvm.extractvalue' op reads the accumulator of a matmul that has not been committed and awaited on every way to it}}
    %v = llvm.extractvalue %d[0] : !d
    llvm.return
  }
}

// -----

!d = !llvm.struct<(f32, f32, f32, f32)>
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
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

// -----

!d = !llvm.struct<(f32, f32, f32, f32)>
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %a = llvm.mlir.constant(0 : i64) : i64
    %more = llvm.mlir.constant(true) : i1
    %z = llvm.mlir.zero : !d
    nvvm.wgmma.fence.aligned
    llvm.br ^loop
  ^loop:
    // The accumulator has been read in the turn before.
    // expected-error @+1 {{'nvvm.wgmma.mma_async' op must have nvvm.wgmma.fence.aligned between it and what accesses accumulators before it}}
    %d = nvvm.wgmma.mma_async %a, %a, %z, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !d -> !d
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %v = llvm.extractvalue %d[0] : !d
    llvm.cond_br %more, ^loop, ^end
  ^end:
    llvm.return
  }
}
