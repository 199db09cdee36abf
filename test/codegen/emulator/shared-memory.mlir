// RUN: stretto-opt %s -kern-emulate-cuda-kernels | FileCheck %s

// Variables lie one behind the other in the block's memory; accesses name the variable they belong to.
gpu.module @kernels {
  llvm.mlir.global internal @a() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<20 x i8>
  llvm.mlir.global internal @b() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i8>
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64>} {
    %a = llvm.mlir.addressof @a : !llvm.ptr<3>
    %b = llvm.mlir.addressof @b : !llvm.ptr<3>
    %v = llvm.load %a : !llvm.ptr<3> -> i32
    %p = llvm.getelementptr %b[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    llvm.store %v, %p : i32, !llvm.ptr<3>
    llvm.return
  }
}
// CHECK-NOT: gpu.module
// CHECK-LABEL: llvm.func internal @k.thread(
// CHECK: %[[A:.*]] = llvm.getelementptr %{{.*}}[0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: %[[B:.*]] = llvm.getelementptr %{{.*}}[32] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: llvm.call @stretto_emulator_read_shared(%arg0, %[[A]], %{{.*}})
// CHECK: llvm.load %[[A]] : !llvm.ptr -> i32
// CHECK: %[[P:.*]] = llvm.getelementptr %[[B]][3] : (!llvm.ptr) -> !llvm.ptr, i32
// CHECK: llvm.call @stretto_emulator_write_shared(%arg0, %[[P]], %{{.*}})
// CHECK: llvm.store %{{.*}}, %[[P]] : i32, !llvm.ptr
// bytes, alignment, offset and size of the variable, behind the place
// CHECK: @stretto.emulator.accesses(dense<[0, 4, 4, 0, 20, {{[0-9]+}}, 4, 4, 32, 64]>
