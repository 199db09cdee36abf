// RUN: stretto-opt %s -kern-emulate-cuda-kernels | FileCheck %s

// Operations at which threads wait for each other are calls, each with a description of its own.
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    %m = llvm.mlir.constant(-1 : i32) : i32
    %f = llvm.mlir.constant(1.0 : f32) : f32
    %b = llvm.mlir.constant(true) : i1
    nvvm.barrier
    nvvm.bar.warp.sync %m : i32
    %0 = nvvm.shfl.sync down %m, %f, %m, %m : f32 -> f32
    %1 = nvvm.shfl.sync idx %m, %m, %m, %m {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
    %2 = nvvm.vote.sync any %m, %b -> i1
    %3 = nvvm.redux.sync umax %m, %m : i32 -> i32
    llvm.return
  }
}
// CHECK: llvm.func @stretto_emulator_barrier(!llvm.ptr, !llvm.ptr) attributes {convergent}
// CHECK: llvm.func @stretto_emulator_collective(!llvm.ptr, !llvm.ptr, i32, i32, i32, i32) -> i64 attributes {convergent}
// CHECK: llvm.func internal @k.thread
// CHECK: %[[W0:.*]] = llvm.getelementptr %{{.*}}[0] : (!llvm.ptr) -> !llvm.ptr, i32
// CHECK: llvm.call @stretto_emulator_barrier(%arg0, %[[W0]])
// CHECK: %[[W1:.*]] = llvm.getelementptr %{{.*}}[3] : (!llvm.ptr) -> !llvm.ptr, i32
// CHECK: llvm.call @stretto_emulator_collective(%arg0, %[[W1]],
// CHECK: llvm.bitcast %{{.*}} : f32 to i32
// CHECK: llvm.call @stretto_emulator_collective
// CHECK: llvm.bitcast %{{.*}} : i32 to f32
// CHECK: llvm.call @stretto_emulator_collective
// CHECK: llvm.lshr
// CHECK: llvm.insertvalue %{{.*}}[1] : !llvm.struct<(i32, i1)>
// CHECK: llvm.zext %{{.*}} : i1 to i32
// CHECK: llvm.call @stretto_emulator_collective
// CHECK: llvm.trunc %{{.*}} : i64 to i1
// CHECK: llvm.call @stretto_emulator_collective
// CHECK: llvm.trunc %{{.*}} : i64 to i32
// Kinds stand third.
// CHECK: @stretto.emulator.waits(dense<[{{[0-9]+}}, {{[0-9]+}}, 0, {{[0-9]+}}, {{[0-9]+}}, 0, {{[0-9]+}}, {{[0-9]+}}, 3, {{[0-9]+}}, {{[0-9]+}}, 4, {{[0-9]+}}, {{[0-9]+}}, 5, {{[0-9]+}}, {{[0-9]+}}, 16]>
