// REQUIRES: ptxas
// RUN: stretto-opt %s --kern-embed-cuda-binaries | FileCheck %s --dump-input=never
// RUN: stretto-opt %s --kern-embed-cuda-binaries=chip=sm_80 | FileCheck %s --dump-input=never --check-prefix=SM80
// RUN: stretto-opt %s --kern-embed-cuda-binaries | stretto-opt | FileCheck %s --dump-input=never

// The images stand where the kernels stood, then the kernels with what they take.

// CHECK: kern.images = [#kern.image<@stretto.image.0, cubin, "sm_90a">, #kern.image<@stretto.image.1, ptx, "compute_80">]
// CHECK: llvm.mlir.global internal constant @stretto.image.0("\7FELF
// CHECK-SAME: alignment = 64
// CHECK: llvm.mlir.global internal constant @stretto.image.1("//
// CHECK-SAME: .version 8.0\0A.target sm_80\0A
// CHECK-SAME: .entry layers_exponential0(
// CHECK-SAME: \00") {{.*}}alignment = 64
// CHECK: kern.device_kernel @layers.exponential0 symbol "layers_exponential0" grid [4, 2] block 128 shared 1536
// CHECK-SAME: registers {{[1-9][0-9]*}} spills 0 local 0 bytes_moved 4096 flops 7
// CHECK: kern.device_kernel @zero symbol "zero" grid [1, 1] block 32 shared 0 registers {{[1-9][0-9]*}} spills 0
// CHECK-NOT: gpu.module

// SM80: kern.images = [#kern.image<@stretto.image.0, cubin, "sm_80">, #kern.image<@stretto.image.1, ptx, "compute_80">]
// SM80: kern.device_kernel @layers.exponential0 {{.*}} shared 1536
gpu.module @kernels {
  llvm.func @__nv_expf(f32) -> f32
  llvm.mlir.global internal @rows() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1536 x i8>
  llvm.func @layers_exponential0(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel,
      nvvm.reqntid = array<i32: 128, 1, 1>, kern.kernel = "layers.exponential0", kern.grid = array<i64: 4, 2>,
      kern.block = 128 : i64, kern.bytes_moved = 4096 : i64, kern.flops = 7 : i64} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %rows = llvm.mlir.addressof @rows : !llvm.ptr<3>
    %source = llvm.getelementptr %from[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %value = llvm.load %source : !llvm.ptr<1> -> f32
    %staged = llvm.getelementptr %rows[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %value, %staged : f32, !llvm.ptr<3>
    nvvm.barrier0
    %first = llvm.load %rows : !llvm.ptr<3> -> f32
    %result = llvm.call @__nv_expf(%first) : (f32) -> f32
    %target = llvm.getelementptr %to[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %result, %target : f32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @zero(%to: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>,
      kern.kernel = "zero", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64, kern.bytes_moved = 4 : i64,
      kern.flops = 0 : i64} {
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    llvm.store %zero, %to : f32, !llvm.ptr<1>
    llvm.return
  }
}
