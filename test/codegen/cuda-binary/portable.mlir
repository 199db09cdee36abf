// REQUIRES: ptxas
// RUN: stretto-opt %s --kern-embed-cuda-binaries --split-input-file | FileCheck %s

// PTX is for the oldest chip that has what the kernels use; what sm_90a alone has cannot be carried over.

// CHECK: kern.images = [#kern.image<@stretto.image.0, cubin, "sm_90a">, #kern.image<@stretto.image.1, ptx, "compute_90">]
gpu.module @kernels {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>, kern.kernel = "k",
      kern.grid = array<i64: 1, 1>, kern.block = 32 : i64, kern.bytes_moved = 0 : i64, kern.flops = 0 : i64} {
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.return
  }
}

// -----

// CHECK: kern.images = [#kern.image<@stretto.image.0, cubin, "sm_90a">]
gpu.module @kernels {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, kern.kernel = "k",
      kern.grid = array<i64: 1, 1>, kern.block = 128 : i64, kern.bytes_moved = 0 : i64, kern.flops = 0 : i64} {
    nvvm.wgmma.fence.aligned
    llvm.return
  }
}
