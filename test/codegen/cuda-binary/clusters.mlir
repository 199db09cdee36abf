// REQUIRES: ptxas
// RUN: stretto-opt %s --kern-embed-cuda-binaries | FileCheck %s --dump-input=never
// RUN: sed 's/array<i64: 6, 1>/array<i64: 5, 1>/' %s | not stretto-opt --kern-embed-cuda-binaries 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: not stretto-opt %s --kern-embed-cuda-binaries=chip=sm_89 2>&1 | FileCheck %s --check-prefix=SM89

// The clusters of a kernel stand in its code, and in what a launch needs.

// CHECK: .explicitcluster
// CHECK-SAME: .reqnctapercluster 2, 1, 1
// CHECK: kern.device_kernel @met symbol "met" grid [6, 1] block 32 cluster 2 shared 0
// GRID: error: 'llvm.func' op kern.grid must have a multiple of the 2 blocks of a cluster along x, but got 5
// SM89: error: kernel 'met': '{{.*}}' needs sm_90 or newer, but the chip is sm_89
gpu.module @kernels {
  llvm.func @met(%values: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.cluster_dim = array<i32: 2, 1, 1>,
      nvvm.reqntid = array<i32: 32, 1, 1>, kern.kernel = "met", kern.grid = array<i64: 6, 1>, kern.block = 32 : i64,
      kern.bytes_moved = 4 : i64, kern.flops = 0 : i64} {
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.store %rank, %values : i32, !llvm.ptr<1>
    llvm.return
  }
}
