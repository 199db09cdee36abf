// REQUIRES: ptxas
// RUN: not stretto-opt %s --kern-embed-cuda-binaries 2>&1 | FileCheck %s --dump-input=never

// A kernel of so few numbers that ptxas gives it fewer registers at launch than its warps exchange: they would wait forever.
// CHECK: launch-registers.mlir:[[#@LINE + 2]]:3: error: kernel 'few' must be launched with 168 registers of a thread, which its warps exchange, but ptxas gives it {{[0-9]+}}
gpu.module @kernels {
  llvm.func @few(%to: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, kern.launch_registers = 168,
      nvvm.reqntid = array<i32: 384, 1, 1>, kern.kernel = "few", kern.grid = array<i64: 1, 1>, kern.block = 384 : i64,
      kern.bytes_moved = 8 : i64, kern.flops = 0 : i64} {
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    llvm.store %zero, %to : f32, !llvm.ptr<1>
    llvm.return
  }
}
