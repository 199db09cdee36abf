// REQUIRES: ptxas
// RUN: stretto-opt %s --kern-embed-cuda-binaries | FileCheck %s --dump-input=never
// RUN: stretto-compile explain %s --target=cuda | FileCheck %s --check-prefix=TABLE
// RUN: not stretto-opt %s --kern-embed-cuda-binaries=chip=sm_80 2>&1 | FileCheck %s --check-prefix=SM80
// RUN: not stretto-opt %s --kern-embed-cuda-binaries=chip=sm_89 2>&1 | FileCheck %s --check-prefix=SM89

// A kernel's blocks get the bytes it says besides its static arrays, where the chip has that many.

// CHECK: .extern .shared .align 128 .b8 dynamic_shared[];
// CHECK: kern.device_kernel @layers.reverse symbol "layers_reverse" grid [1, 1] block 128 shared 1024 dynamic_shared 200000
// CHECK-SAME: registers {{[1-9][0-9]*}} spills 0
// TABLE: layers.reverse {{ *}}1 x 1 {{ *}}128 {{ *[0-9]+}} {{ *}}0  201024      4
// SM80: error: kernel 'layers.reverse': may hold at most 166912 bytes of shared memory on sm_80, but got 1024 static and 200000 dynamic ones
// SM89: may hold at most 101376 bytes of shared memory on sm_89
gpu.module @kernels {
  llvm.mlir.global external @dynamic_shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global internal @sums() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i8>
  llvm.func @layers_reverse(%values: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel,
      nvvm.reqntid = array<i32: 128, 1, 1>, kern.kernel = "layers.reverse", kern.grid = array<i64: 1, 1>,
      kern.block = 128 : i64, kern.bytes_moved = 1024 : i64, kern.flops = 0 : i64,
      kern.dynamic_shared_bytes = 200000 : i64} {
    %thread = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
    %last = llvm.mlir.constant(127 : i32) : i32
    %other = llvm.sub %last, %thread : i32
    %first = llvm.mlir.addressof @dynamic_shared : !llvm.ptr<3>
    %far = llvm.getelementptr %first[49000] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
    %sums = llvm.mlir.addressof @sums : !llvm.ptr<3>
    %place = llvm.getelementptr %values[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %mine = llvm.getelementptr %far[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %theirs = llvm.getelementptr %far[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %same = llvm.getelementptr %sums[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %sum = llvm.getelementptr %sums[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %value = llvm.load %place : !llvm.ptr<1> -> f32
    llvm.store %value, %mine : f32, !llvm.ptr<3>
    llvm.store %value, %same : f32, !llvm.ptr<3>
    nvvm.barrier0
    %a = llvm.load %theirs : !llvm.ptr<3> -> f32
    %b = llvm.load %sum : !llvm.ptr<3> -> f32
    %c = llvm.fadd %a, %b : f32
    llvm.store %c, %place : f32, !llvm.ptr<1>
    llvm.return
  }
}
