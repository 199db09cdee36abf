// RUN: stretto-opt %s -kern-emulate-cuda-kernels | FileCheck %s

// Asynchronous copies are calls, with a description of what they read and of what they write.
gpu.module @kernels {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i8>
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    %t = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %n = llvm.mlir.constant(4 : i32) : i32
    nvvm.cp.async.shared.global %t, %x, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.shared.global %t, %x, 8, cache = ca, %n : !llvm.ptr<3>, !llvm.ptr<1>, i32
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 1
    llvm.return
  }
}
// CHECK: llvm.func internal @k.thread
// CHECK: %[[X:.*]] = llvm.load
// CHECK: %[[TILE:.*]] = llvm.getelementptr %{{.*}}[0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: %[[N:.*]] = llvm.mlir.constant(4 : i32)
// CHECK: %[[ALL:.*]] = llvm.mlir.constant(16 : i32)
// CHECK: llvm.call @stretto_emulator_copy_async(%arg0, %[[TILE]], %[[X]], %[[ALL]],
// CHECK: llvm.call @stretto_emulator_copy_async(%arg0, %[[TILE]], %[[X]], %[[N]],
// CHECK: llvm.call @stretto_emulator_commit_copies(%arg0)
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.call @stretto_emulator_await_copies(%arg0, %[[ONE]])
// CHECK: @stretto.emulator.accesses(dense<[0, 16, 16, 0, 1024, 0, 16, 16, 0, 0, {{[0-9]+}}, 8, 8, 0, 1024, {{[0-9]+}}, 8, 8, 0, 0]>
