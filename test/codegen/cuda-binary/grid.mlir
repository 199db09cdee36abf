// RUN: not stretto-opt %s --kern-embed-cuda-binaries 2>&1 | FileCheck %s
// RUN: not stretto-opt %s --kern-emulate-cuda-kernels 2>&1 | FileCheck %s

// More blocks along y than a launch can have.

// CHECK: error: 'llvm.func' op 'high' must have 1 to 2147483647 blocks along x and 1 to 65535 along y, but got 2, 70000
gpu.module @kernels {
  llvm.func @high(%values: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>,
      kern.kernel = "high", kern.grid = array<i64: 2, 70000>, kern.block = 32 : i64, kern.bytes_moved = 4 : i64,
      kern.flops = 0 : i64, kern.buffer_bytes = array<i64: 4>} {
    llvm.return
  }
}
