// RUN: stretto-opt %s -kern-emulate-cuda-kernels -split-input-file -verify-diagnostics | FileCheck %s

// A bulk tensor copy is a call; maps are arguments behind the buffers, and the launch says what they are made of.
gpu.module @kernels {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<2048 x i8>
  llvm.func @k(%x: !llvm.ptr<1>, %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant})
      attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64,
      kern.buffer_bytes = array<i64: 8192>,
      kern.tensor_maps = [#kern.tensor_map<buffer 0, f32, sizes [64, 32], strides [128], box [8, 32], swizzle 128>]} {
    %t = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %m = llvm.getelementptr %t[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %i = llvm.mlir.constant(8 : i32) : i32
    nvvm.fence.mbarrier.init
    nvvm.cp.async.bulk.tensor.shared.cluster.global %t, %map, %m, box[%i, %i] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
    %c = llvm.addrspacecast %t : !llvm.ptr<3> to !llvm.ptr<7>
    %mask = llvm.mlir.constant(1 : i16) : i16
    nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %map, %m, box[%i, %i] multicast_mask = %mask : !llvm.ptr<7>, !llvm.ptr
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %t, box[%i, %i] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 1
    llvm.return
  }
}
// CHECK-LABEL: llvm.func internal @k.thread(
// CHECK: llvm.getelementptr %arg1[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK: llvm.getelementptr %arg1[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK: %[[MAP:.*]] = llvm.load
// CHECK: llvm.call @stretto_emulator_fence_mbarriers(%arg0)
// CHECK: llvm.store %[[I:.*]], %[[BOX:.*]] : i32
// CHECK: %[[RANK:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[OWN:.*]] = llvm.mlir.constant(65536 : i32)
// CHECK: llvm.call @stretto_emulator_copy_box(%arg0, %{{.*}}, %{{.*}}, %[[MAP]], %{{.*}}, %{{.*}}, %[[RANK]], %[[OWN]], %{{.*}})
// CHECK: %[[BLOCKS:.*]] = llvm.zext %{{.*}} : i16 to i32
// CHECK: llvm.call @stretto_emulator_copy_box(%arg0, {{.*}}, %[[BLOCKS]], %{{[0-9]+}})
// CHECK: llvm.call @stretto_emulator_store_box(%arg0, %{{.*}}, %{{.*}}, %[[MAP]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: llvm.call @stretto_emulator_commit_stores(%arg0)
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.call @stretto_emulator_await_stores(%arg0, %[[ONE]])
// CHECK: llvm.mlir.global internal constant @k.maps()

// -----

gpu.module @kernels {
  // expected-error @+1 {{kern.tensor_maps must be #kern.tensor_map, but got 8 : i64}}
  llvm.func @k(%x: !llvm.ptr<1>, %map: !llvm.ptr) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.buffer_bytes = array<i64: 8192>, kern.tensor_maps = [8 : i64]} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{must take its tensor maps by value behind its buffers, but parameter 1 is not}}
  llvm.func @k(%x: !llvm.ptr<1>, %map: !llvm.ptr) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.buffer_bytes = array<i64: 8192>,
      kern.tensor_maps = [#kern.tensor_map<buffer 0, f32, sizes [64, 32], strides [128], box [8, 32], swizzle 128>]} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{a tensor must lie in the 8000 bytes of its buffer, but got #kern.tensor_map<buffer 0, f32, sizes [64, 32]}}
  llvm.func @k(%x: !llvm.ptr<1>, %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>}) attributes {nvvm.kernel,
      kern.kernel = "k", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64, kern.buffer_bytes = array<i64: 8000>,
      kern.tensor_maps = [#kern.tensor_map<buffer 0, f32, sizes [64, 32], strides [128], box [8, 32], swizzle 128>]} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{rows of a box must fill their swizzle to be emulated, but got #kern.tensor_map<buffer 0, f32}}
  llvm.func @k(%x: !llvm.ptr<1>, %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>}) attributes {nvvm.kernel,
      kern.kernel = "k", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64, kern.buffer_bytes = array<i64: 8192>,
      kern.tensor_maps = [#kern.tensor_map<buffer 0, f32, sizes [64, 32], strides [128], box [8, 16], swizzle 128>]} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{must take 2 tensor maps, but has 1 parameters}}
  llvm.func @k(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>}) attributes {nvvm.kernel, kern.kernel = "k",
      kern.grid = array<i64: 1, 1>, kern.block = 32 : i64, kern.buffer_bytes = array<i64: 8192>,
      kern.tensor_maps = [#kern.tensor_map<buffer 0, f32, sizes [64, 32], strides [128], box [8, 32], swizzle 128>,
                          #kern.tensor_map<buffer 0, f32, sizes [64, 32], strides [128], box [8, 32], swizzle 128>]} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<2048 x i8>
  llvm.func @k(%x: !llvm.ptr<1>, %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>}) attributes {nvvm.kernel,
      kern.kernel = "k", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64, kern.buffer_bytes = array<i64: 8192>,
      kern.tensor_maps = [#kern.tensor_map<buffer 0, f32, sizes [64, 32], strides [128], box [8, 32], swizzle 128>]} {
    %t = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %c = llvm.addrspacecast %t : !llvm.ptr<3> to !llvm.ptr<7>
    %i = llvm.mlir.constant(0 : i32) : i32
    %p = llvm.mlir.constant(true) : i1
    // expected-error @+1 {{is known to the emulator only in tile mode, without group or predicate}}
    nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %map, %t, box[%i, %i] predicate = %p : !llvm.ptr<7>, !llvm.ptr
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<2048 x i8>
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.buffer_bytes = array<i64: 8192>} {
    %t = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %map = llvm.addrspacecast %x : !llvm.ptr<1> to !llvm.ptr
    %i = llvm.mlir.constant(0 : i32) : i32
    // expected-error @+1 {{must name one of the tensor maps that the kernel takes to be emulated}}
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %t, box[%i, %i] : !llvm.ptr, !llvm.ptr<3>
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<2048 x i8>
  llvm.func @k(%x: !llvm.ptr<1>, %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>}) attributes {nvvm.kernel,
      kern.kernel = "k", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64, kern.buffer_bytes = array<i64: 8192>,
      kern.tensor_maps = [#kern.tensor_map<buffer 0, f32, sizes [64, 32], strides [128], box [8, 32], swizzle 128>]} {
    %t = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %i = llvm.mlir.constant(0 : i32) : i32
    %p = llvm.mlir.constant(true) : i1
    // expected-error @+1 {{is known to the emulator only in tile mode, without predicate}}
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %t, box[%i, %i], predicate = %p : !llvm.ptr, !llvm.ptr<3>
    llvm.return
  }
}
