// REQUIRES: ptxas
// RUN: stretto-opt %s --kern-embed-cuda-binaries --remarks-filter=registers 2>&1 | FileCheck %s --dump-input=never

// 64 values live across a barrier do not fit in the 32 registers that the kernel allows itself. An array of its own in
// local memory is no spill. Kernels that ask for 8 blocks on a multiprocessor get more registers where they spill.

// CHECK: warning: kernel 'crowded' spills [[bytes:[1-9][0-9]*]] bytes of registers to local memory
// CHECK: remark: [Missed] Registers | Category:registers | Function=crowded
// CHECK-SAME: spill_bytes=[[bytes]]
// CHECK-NOT: warning
// CHECK: kern.device_kernel @crowded {{.*}} registers 32 spills [[bytes]] local [[bytes]]
// CHECK: kern.device_kernel @array {{.*}} spills 0 local 256
// CHECK: kern.device_kernel @relieved {{.*}} registers {{[6-9][0-9]|1[0-9][0-9]}} spills 0 local 0
gpu.module @kernels {
  llvm.func @crowded(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.maxnreg = 32 : i32,
      nvvm.reqntid = array<i32: 32, 1, 1>, kern.kernel = "crowded", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64,
      kern.bytes_moved = 512 : i64, kern.flops = 0 : i64} {
    %values = llvm.load volatile %from : !llvm.ptr<1> -> vector<64xf32>
    %negated = llvm.fneg %values : vector<64xf32>
    nvvm.barrier0
    llvm.store volatile %negated, %to : vector<64xf32>, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @array(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel,
      nvvm.reqntid = array<i32: 32, 1, 1>, kern.kernel = "array", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64,
      kern.bytes_moved = 8 : i64, kern.flops = 0 : i64} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %array = llvm.alloca %one x !llvm.array<64 x f32> : (i32) -> !llvm.ptr
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %place = llvm.getelementptr %array[%thread] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %value = llvm.load %from : !llvm.ptr<1> -> f32
    llvm.store volatile %value, %place : f32, !llvm.ptr
    %first = llvm.load volatile %array : !llvm.ptr -> f32
    llvm.store %first, %to : f32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @relieved(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.minctasm = 8 : i32,
      nvvm.reqntid = array<i32: 256, 1, 1>, kern.kernel = "relieved", kern.grid = array<i64: 1, 1>, kern.block = 256 : i64,
      kern.bytes_moved = 512 : i64, kern.flops = 0 : i64} {
    %values = llvm.load volatile %from : !llvm.ptr<1> -> vector<64xf32>
    %negated = llvm.fneg %values : vector<64xf32>
    nvvm.barrier0
    llvm.store volatile %negated, %to : vector<64xf32>, !llvm.ptr<1>
    llvm.return
  }
}
