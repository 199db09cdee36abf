// REQUIRES: ptxas
// RUN: stretto-opt %s --split-input-file --verify-diagnostics --kern-embed-cuda-binaries | FileCheck %s --dump-input=never

// A kernel takes its tensor maps by value behind its buffers; the table says what they are made of.
// CHECK: kern.device_kernel @copy symbol "copy" {{.*}} tensor_maps [#kern.tensor_map<buffer 0, f32, sizes [64, 32], strides [128], box [8, 32], swizzle 128>]
gpu.module @kernels {
  llvm.mlir.global external @dynamic_shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  llvm.func @copy(%from: !llvm.ptr<1>, %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant})
      attributes {gpu.kernel, nvvm.kernel, kern.kernel = "copy", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64,
      kern.bytes_moved = 0 : i64, kern.flops = 0 : i64, kern.dynamic_shared_bytes = 2048 : i64,
      kern.tensor_maps = [#kern.tensor_map<buffer 0, f32, sizes [64, 32], strides [128], box [8, 32], swizzle 128>]} {
    %shared = llvm.mlir.addressof @dynamic_shared : !llvm.ptr<3>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %barrier = llvm.getelementptr %shared[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %cluster = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %cluster, %map, %barrier, box[%zero, %zero] : !llvm.ptr<7>, !llvm.ptr
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{kernel 'copy': must take each of its 1 kern.tensor_maps by value behind its buffers, 128 bytes with nvvm.grid_constant, but 0 parameters are such}}
  llvm.func @copy(%from: !llvm.ptr<1>, %map: !llvm.ptr)
      attributes {gpu.kernel, nvvm.kernel, kern.kernel = "copy", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64,
      kern.bytes_moved = 0 : i64, kern.flops = 0 : i64,
      kern.tensor_maps = [#kern.tensor_map<buffer 0, f32, sizes [64, 32], strides [128], box [8, 32], swizzle 128>]} {
    llvm.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{kernel 'copy': a tensor map must be of one of the 1 buffers, but got #kern.tensor_map<buffer 1, }}
  llvm.func @copy(%from: !llvm.ptr<1>, %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant})
      attributes {gpu.kernel, nvvm.kernel, kern.kernel = "copy", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64,
      kern.bytes_moved = 0 : i64, kern.flops = 0 : i64,
      kern.tensor_maps = [#kern.tensor_map<buffer 1, f32, sizes [64, 32], strides [128], box [8, 32], swizzle 128>]} {
    llvm.return
  }
}
