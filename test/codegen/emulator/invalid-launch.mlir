// RUN: stretto-opt %s -kern-emulate-cuda-kernels -split-input-file -verify-diagnostics

gpu.module @kernels {
  // expected-error @+1 {{must say kern.kernel, kern.grid (two numbers), kern.block and kern.buffer_bytes to be emulated}}
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k"} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{kern.block must be a multiple of 32 up to 1024, but got 48}}
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>, kern.block = 48 : i64,
      kern.buffer_bytes = array<i64: 64>} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{must say the bytes of 1 buffers, but got 2}}
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>, kern.block = 64 : i64,
      kern.buffer_bytes = array<i64: 64, 64>} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{must take pointers to global memory alone to be emulated, but got 'f32'}}
  llvm.func @k(%x: f32) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>, kern.block = 64 : i64,
      kern.buffer_bytes = array<i64: 64>} {
    llvm.return
  }
}

// -----

// expected-note @+1 {{the other one}}
llvm.func @k() {
  llvm.return
}
gpu.module @kernels {
  // expected-error @+1 {{kernel name must be unique, but the module has another 'k'}}
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>, kern.block = 64 : i64,
      kern.buffer_bytes = array<i64: 64>} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
}
// expected-error @+1 {{must be the only one of the program to be emulated}}
gpu.module @more {
}
