// RUN: stretto-opt %s --kern-embed-cuda-binaries --split-input-file --verify-diagnostics

gpu.module @kernels {
  // expected-error @+1 {{an array in shared memory must have a size and internal linkage, or be external and have none, but 'rows' is neither}}
  llvm.mlir.global external @rows() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i8>
}

// -----

gpu.module @kernels {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel, kern.kernel = "layers.k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.bytes_moved = 0 : i64, kern.flops = 0 : i64} {
    // expected-error @+1 {{kernel 'layers.k': dynamic shared memory would lie over the static one; declare an external array without a size}}
    %0 = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @k(%i: i32) attributes {gpu.kernel, nvvm.kernel, kern.kernel = "layers.k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.bytes_moved = 0 : i64, kern.flops = 0 : i64} {
    // expected-error @+1 {{kernel 'layers.k': must hold operations of the dialects llvm and nvvm alone, but got 'arith.addi'}}
    %0 = arith.addi %i, %i : i32
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.mlir.global internal @rows() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<49000 x i8>
  llvm.mlir.global internal @sums() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x f32>
  llvm.func @read(%p: !llvm.ptr<3>) {
    %0 = llvm.mlir.addressof @sums : !llvm.ptr<3>
    llvm.return
  }
  // expected-error @+1 {{kernel 'layers.k': may hold at most 49152 bytes of static shared memory, but got 50032}}
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel, kern.kernel = "layers.k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.bytes_moved = 0 : i64, kern.flops = 0 : i64} {
    %0 = llvm.mlir.addressof @rows : !llvm.ptr<3>
    llvm.call @read(%0) : (!llvm.ptr<3>) -> ()
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.mlir.global external @rows() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  // expected-error @+1 {{kernel 'layers.k': needs kern.dynamic_shared_bytes, the bytes of its dynamic shared memory, but got 0}}
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel, kern.kernel = "layers.k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.bytes_moved = 0 : i64, kern.flops = 0 : i64} {
    %0 = llvm.mlir.addressof @rows : !llvm.ptr<3>
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{kernel 'k': needs the number kern.flops}}
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel, kern.bytes_moved = 0 : i64} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{kernel 'k': needs kern.kernel, kern.grid = array<i64: X, Y> and kern.block}}
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel, kern.kernel = "k", kern.block = 32 : i64,
      kern.bytes_moved = 0 : i64, kern.flops = 0 : i64} {
    llvm.return
  }
}
