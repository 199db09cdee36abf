// RUN: stretto-opt %s -kern-emulate-cuda-kernels | FileCheck %s

// An access to one of several buffers is checked against all of them, and any may be written then.
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k",
      kern.grid = array<i64: 2, 1>, kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64, 128>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %isFirst = llvm.icmp "eq" %block, %zero : i32
    llvm.cond_br %isFirst, ^store(%x : !llvm.ptr<1>), ^store(%y : !llvm.ptr<1>)
  ^store(%place: !llvm.ptr<1>):
    llvm.store %zero, %place : i32, !llvm.ptr<1>
    llvm.return
  }
}
// CHECK-LABEL: llvm.func internal @k.thread(
// CHECK: ^bb{{[0-9]+}}(%[[PLACE:.*]]: !llvm.ptr):
// CHECK: llvm.call @stretto_emulator_write_global(%arg0, %[[PLACE]], %{{.*}})
// Bytes and uses of both.
// CHECK: @k.buffers
// CHECK: llvm.mlir.constant(64 : i64)
// CHECK: llvm.mlir.constant(1 : i64)
// CHECK: llvm.insertvalue %[[USES:[0-9]+]], %{{[0-9]+}}[1]
// CHECK: llvm.mlir.constant(128 : i64)
// CHECK: llvm.insertvalue %[[USES]], %{{[0-9]+}}[1]
// Behind the place: bytes, alignment, no number of a buffer.
// CHECK: @stretto.emulator.accesses(dense<[0, 4, 4, -1, 0]>
