// RUN: stretto-opt %s -kern-emulate-cuda-kernels -split-input-file -verify-diagnostics | FileCheck %s

// Barriers of parts of a block are calls; what waits for a phase names it by its parity or by what an arrival returned.
gpu.module @kernels {
  llvm.mlir.global internal @b() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<16 x i8>
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.launch_registers = 152, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 256 : i64, kern.buffer_bytes = array<i64: 1024>} {
    %b = llvm.mlir.addressof @b : !llvm.ptr<3>
    %c = llvm.mlir.constant(2 : i32) : i32
    %n = llvm.mlir.constant(128 : i32) : i32
    nvvm.mbarrier.init %b, %c : !llvm.ptr<3>, i32
    %0 = nvvm.mbarrier.arrive %b : !llvm.ptr<3> -> i64
    nvvm.mbarrier.arrive.expect_tx %b, %n : !llvm.ptr<3>, i32
    nvvm.mbarrier.complete_tx %b, %n : !llvm.ptr<3>, i32
    nvvm.mbarrier.try_wait.parity %b, %c, %n : !llvm.ptr<3>, i32, i32
    %1 = nvvm.mbarrier.test.wait %b, %0 : !llvm.ptr<3>, i64 -> i1
    nvvm.mbarrier.inval %b : !llvm.ptr<3>
    nvvm.barrier id = %c
    nvvm.barrier.arrive number_of_threads = %n
    nvvm.setmaxregister increase 160
    %2 = nvvm.elect.sync -> i1
    llvm.return
  }
}
// CHECK: llvm.func internal @k.thread
// CHECK: %[[B:.*]] = llvm.getelementptr %{{.*}}[0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[N:.*]] = llvm.mlir.constant(128 : i32)
// CHECK: llvm.call @stretto_emulator_init_mbarrier(%arg0, %{{.*}}, %[[B]], %[[TWO]], %{{.*}})
// CHECK: %[[STATE:.*]] = llvm.call @stretto_emulator_arrive_mbarrier(%arg0, %{{.*}}, %[[B]], %{{.*}})
// CHECK: %[[BYTES:.*]] = llvm.zext %[[N]] : i32 to i64
// CHECK: llvm.call @stretto_emulator_expect_bytes(%arg0, %{{.*}}, %[[B]], %[[BYTES]])
// CHECK: llvm.call @stretto_emulator_arrive_mbarrier
// CHECK: %[[LESS:.*]] = llvm.sub
// CHECK: llvm.call @stretto_emulator_expect_bytes(%arg0, %{{.*}}, %[[B]], %[[LESS]])
// CHECK: %[[PARITY:.*]] = llvm.zext %[[TWO]] : i32 to i64
// CHECK: llvm.call @stretto_emulator_await_mbarrier(%arg0, %{{.*}}, %[[B]], %[[PARITY]])
// CHECK: llvm.call @stretto_emulator_test_mbarrier(%arg0, %{{.*}}, %[[B]], %[[STATE]])
// CHECK: llvm.call @stretto_emulator_invalidate_mbarrier(%arg0, %{{.*}}, %[[B]])
// CHECK: %[[ALL:.*]] = llvm.mlir.constant(256 : i32)
// CHECK: llvm.call @stretto_emulator_named_barrier(%arg0, %{{.*}}, %[[TWO]], %[[ALL]])
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.call @stretto_emulator_named_barrier(%arg0, %{{.*}}, %[[ZERO]], %[[N]])
// CHECK: %[[TAKEN:.*]] = llvm.mlir.constant(160 : i32)
// CHECK: %[[LAUNCHED:.*]] = llvm.mlir.constant(152 : i32)
// CHECK: llvm.call @stretto_emulator_take_registers(%arg0, %{{.*}}, %[[TAKEN]], %[[LAUNCHED]])
// CHECK: llvm.call @stretto_emulator_collective

// -----

gpu.module @kernels {
  llvm.mlir.global internal @b() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<16 x i8>
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64>} {
    %b = llvm.mlir.addressof @b : !llvm.ptr<3>
    %c = llvm.mlir.constant(2 : i32) : i32
    %p = llvm.mlir.constant(true) : i1
    // expected-error @+1 {{'nvvm.mbarrier.init' op with a predicate is not known to the emulator (a branch around it is)}}
    nvvm.mbarrier.init %b, %c, predicate = %p : !llvm.ptr<3>, i32, i1
    // expected-error @+1 {{'nvvm.mbarrier.arrive' op that is relaxed is not known to the emulator}}
    %0 = nvvm.mbarrier.arrive %b {relaxed = true} : !llvm.ptr<3> -> i64
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @meet(%i: i32) {
    // expected-error @+1 {{'nvvm.barrier' op of all threads must stand in a kernel to be emulated}}
    nvvm.barrier id = %i
    llvm.return
  }
}
