// RUN: stretto-opt %s -kern-emulate-cuda-kernels -split-input-file -verify-diagnostics | FileCheck %s

// A chunk of the kernel is a cluster. Registers are fields or constants; what blocks do to each other is a call.
gpu.module @kernels {
  llvm.mlir.global internal @b() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<16 x i8>
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 2, 1, 1>, kern.kernel = "k",
      kern.grid = array<i64: 6, 2>, kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64>} {
    %b = llvm.mlir.addressof @b : !llvm.ptr<3>
    %rank = nvvm.read.ptx.sreg.cluster.ctarank range <i32, 0, 2> : i32
    %size = nvvm.read.ptx.sreg.cluster.nctaid.x : i32
    %number = nvvm.read.ptx.sreg.clusterid.x : i32
    %count = nvvm.read.ptx.sreg.nclusterid.x : i32
    nvvm.cluster.arrive.relaxed {aligned}
    nvvm.cluster.wait
    nvvm.cluster.arrive
    %0 = nvvm.mapa %b, %rank : !llvm.ptr<3> -> !llvm.ptr<7>
    nvvm.mbarrier.arrive %0 {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
    %1 = llvm.getelementptr %0[%size] : (!llvm.ptr<7>, i32) -> !llvm.ptr<7>, i32
    %2 = llvm.load %1 : !llvm.ptr<7> -> i32
    llvm.store %count, %1 : i32, !llvm.ptr<7>
    llvm.return
  }
}
// CHECK: llvm.func internal @k.thread
// CHECK: %[[B:.*]] = llvm.getelementptr %{{.*}}[0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: %[[RANK:.*]] = llvm.load {{.*}} -> i32
// CHECK: %[[SIZE:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: llvm.udiv
// CHECK: llvm.mlir.constant(3 : i32)
// CHECK: llvm.call @stretto_emulator_arrive_cluster(%arg0, %{{.*}})
// CHECK: llvm.call @stretto_emulator_await_cluster(%arg0, %{{.*}})
// CHECK: llvm.call @stretto_emulator_arrive_cluster(%arg0, %{{.*}})
// CHECK: %[[OTHER:.*]] = llvm.call @stretto_emulator_map_shared(%arg0, %{{.*}}, %[[B]], %[[RANK]])
// CHECK: llvm.call @stretto_emulator_arrive_mbarrier(%arg0, %{{.*}}, %[[OTHER]], %{{.*}})
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[OTHER]][%[[SIZE]]]
// CHECK: llvm.call @stretto_emulator_read_cluster(%arg0, %[[AT]], %{{.*}})
// CHECK: llvm.call @stretto_emulator_write_cluster(%arg0, %[[AT]], %{{.*}})
// CHECK: llvm.func @k({{.*}}kern.chunks = 6 : i64

// -----

gpu.module @kernels {
  // expected-error @+1 {{kern.grid must have a multiple of the 4 blocks of a cluster along x, but got 6}}
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 4, 1, 1>, kern.kernel = "k",
      kern.grid = array<i64: 6, 2>, kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64>} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{must have clusters along x alone, but has those of 2, 2}}
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 2, 2, 1>, kern.kernel = "k",
      kern.grid = array<i64: 6, 2>, kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64>} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{must have clusters of 1 to 8 blocks, but got 16}}
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 16, 1, 1>, kern.kernel = "k",
      kern.grid = array<i64: 16, 1>, kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64>} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 2, 1, 1>,
      kern.kernel = "k", kern.grid = array<i64: 6, 1>, kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64, 64>} {
    // expected-error @+1 {{range must hold all values from 0 to 1}}
    %rank = nvvm.read.ptx.sreg.cluster.ctarank range <i32, 0, 1> : i32
    %g = llvm.addrspacecast %x : !llvm.ptr<1> to !llvm.ptr
    // expected-error @+1 {{of generic addresses is not known to the emulator (of shared memory it is)}}
    %0 = nvvm.mapa %g, %rank : !llvm.ptr -> !llvm.ptr
    llvm.return
  }
}
