// RUN: stretto-opt %s -kern-emulate-cuda-kernels -split-input-file -verify-diagnostics | FileCheck %s

// Dynamic shared memory comes first in the block's memory, whatever it is called; static variables lie behind it. An
// access belongs to all of it.
gpu.module @kernels {
  llvm.mlir.global internal @a() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<20 x i8>
  llvm.mlir.global external @tiles() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global external @rows() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64>, kern.dynamic_shared_bytes = 200000 : i64} {
    %a = llvm.mlir.addressof @a : !llvm.ptr<3>
    %tiles = llvm.mlir.addressof @tiles : !llvm.ptr<3>
    %rows = llvm.mlir.addressof @rows : !llvm.ptr<3>
    %p = llvm.getelementptr %rows[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %v = llvm.load %a : !llvm.ptr<3> -> i32
    llvm.store %v, %tiles : i32, !llvm.ptr<3>
    llvm.store %v, %p : i32, !llvm.ptr<3>
    llvm.return
  }
}
// CHECK-LABEL: llvm.func internal @k.thread(
// CHECK: %[[A:.*]] = llvm.getelementptr %{{.*}}[200704] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: %[[TILES:.*]] = llvm.getelementptr %{{.*}}[0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: %[[ROWS:.*]] = llvm.getelementptr %{{.*}}[0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: llvm.call @stretto_emulator_read_shared(%arg0, %[[A]], %{{.*}})
// CHECK: llvm.call @stretto_emulator_write_shared(%arg0, %[[TILES]], %{{.*}})
// all shared memory of the block
// CHECK: llvm.mlir.global internal constant @k.launch
// CHECK: llvm.mlir.constant(200724 : i64)
// bytes, alignment, offset and size of the variable, behind the place
// CHECK: @stretto.emulator.accesses(dense<[0, 4, 4, 200704, 20, {{[0-9]+}}, 4, 4, 0, 200000, {{[0-9]+}}, 4, 4, 0, 200000]>

// -----

gpu.module @kernels {
  llvm.mlir.global external @tiles() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64>} {
    // expected-error @+1 {{needs dynamic shared memory, so the kernel must say kern.dynamic_shared_bytes}}
    %tiles = llvm.mlir.addressof @tiles : !llvm.ptr<3>
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{kern.dynamic_shared_bytes must be 0 to 232448, but got 232449}}
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64>, kern.dynamic_shared_bytes = 232449 : i64} {
    llvm.return
  }
}
