// RUN: stretto-opt %s -kern-emulate-cuda-kernels -split-input-file -verify-diagnostics

gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    %m = llvm.mlir.constant(0 : i32) : i32
    // expected-error @+1 {{'nvvm.nanosleep' op is not known to the emulator}}
    nvvm.nanosleep %m
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    // expected-error @+1 {{'llvm.inline_asm' op is not known to the emulator}}
    llvm.inline_asm has_side_effects "bar.sync 0;", "" : () -> ()
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    %f = llvm.mlir.constant(1.0 : f32) : f32
    // expected-error @+1 {{'llvm.call_intrinsic' op of llvm.nvvm.sin.approx.f is not known to the emulator}}
    %0 = llvm.call_intrinsic "llvm.nvvm.sin.approx.f"(%f) : (f32) -> f32
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @__nv_j0f(f32) -> f32
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    %f = llvm.mlir.constant(1.0 : f32) : f32
    // expected-error @+1 {{'llvm.call' op of __nv_j0f is not known to the emulator}}
    %0 = llvm.call @__nv_j0f(%f) : (f32) -> f32
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    %m = llvm.mlir.constant(0 : i32) : i32
    // expected-error @+1 {{'nvvm.barrier' op with a reduction is not known to the emulator}}
    %0 = nvvm.barrier #nvvm.reduction<popc> %m -> i32
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    // expected-error @+1 {{'nvvm.read.ptx.sreg.tid.x' op range must hold all values from 0 to 63}}
    %0 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 32> : i32
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    %d = llvm.mlir.constant(1.0 : f64) : f64
    // expected-error @+1 {{'llvm.fptrunc' op on bf16 is not known to the emulator}}
    %0 = llvm.fptrunc %d : f64 to bf16
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    %i = llvm.mlir.constant(1 : i64) : i64
    %p = llvm.inttoptr %i : i64 to !llvm.ptr
    // expected-error @+1 {{'llvm.load' op must access global or shared memory, or a variable of the thread, to be emulated, but got '!llvm.ptr'}}
    %0 = llvm.load %p : !llvm.ptr -> f32
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    // expected-error @+1 {{'llvm.load' op that is atomic or volatile is not known to the emulator}}
    %0 = llvm.load volatile %x : !llvm.ptr<1> -> f32
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.mlir.global internal constant @table() {addr_space = 4 : i32} : !llvm.array<4 x i8>
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    // expected-error @+1 {{'llvm.mlir.addressof' op must be that of a variable in shared memory to be emulated}}
    %0 = llvm.mlir.addressof @table : !llvm.ptr<4>
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.mlir.global internal @big() {addr_space = 3 : i32} : !llvm.array<49153 x i8>
  // expected-error @+1 {{static shared memory must take at most 49152 bytes, but got 49153}}
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    %0 = llvm.mlir.addressof @big : !llvm.ptr<3>
    llvm.return
  }
}
