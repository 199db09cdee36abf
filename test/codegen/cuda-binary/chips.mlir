// RUN: not stretto-opt %s --kern-embed-cuda-binaries=chip=sm_90b 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not stretto-opt %s --kern-embed-cuda-binaries=chip=ampere 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not stretto-opt %s --kern-embed-cuda-binaries=chip=sm_75 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not stretto-opt %s --kern-embed-cuda-binaries=chip=sm_80 2>&1 | FileCheck %s --check-prefix=LACKS
// RUN: not stretto-opt %s --kern-embed-cuda-binaries=chip=sm_90 2>&1 | FileCheck %s --check-prefix=PLAIN

// UNKNOWN: error: chip must be a name like sm_90a, but got 'sm_90b'; did you mean 'sm_90'?
// WORD: error: chip must be a name like sm_90a, but got 'ampere'
// OLD: error: chip must be sm_80 or newer, but got 'sm_75'
// LACKS: error: kernel 'k': 'nvvm.elect.sync' needs sm_90 or newer, but the chip is sm_80
// PLAIN: error: kernel 'k': 'nvvm.wgmma.fence.aligned' needs sm_90a, but the chip is sm_90
gpu.module @kernels {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, kern.kernel = "k",
      kern.grid = array<i64: 1, 1>, kern.block = 128 : i64, kern.bytes_moved = 0 : i64, kern.flops = 0 : i64} {
    %0 = nvvm.elect.sync -> i1
    nvvm.wgmma.fence.aligned
    llvm.return
  }
}
