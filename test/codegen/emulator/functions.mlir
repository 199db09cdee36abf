// RUN: stretto-opt %s -kern-emulate-cuda-kernels | FileCheck %s

// Functions of libdevice are those of libm, approximations the exact ones; functions of the kernels get the thread.
gpu.module @kernels {
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @__nv_exp(f64) -> f64
  llvm.func @__nv_fast_logf(f32) -> f32
  llvm.func @__nv_rsqrtf(f32) -> f32
  llvm.func @twice(%x: f32) -> f32 {
    %0 = llvm.fadd %x, %x : f32
    llvm.return %0 : f32
  }
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    %f = llvm.mlir.constant(1.0 : f32) : f32
    %d = llvm.mlir.constant(1.0 : f64) : f64
    %0 = llvm.call @__nv_expf(%f) : (f32) -> f32
    %1 = llvm.call @__nv_exp(%d) : (f64) -> f64
    %2 = llvm.call @__nv_fast_logf(%f) : (f32) -> f32
    %3 = llvm.call @__nv_rsqrtf(%f) : (f32) -> f32
    %4 = llvm.call @twice(%f) : (f32) -> f32
    %5 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%f) : (f32) -> f32
    %6 = nvvm.rcp.approx.ftz.f %f : f32
    llvm.return
  }
}
// CHECK: llvm.func internal @k.thread(%[[SELF:.*]]: !llvm.ptr, %
// CHECK: %[[F:.*]] = llvm.mlir.constant(1.000000e+00 : f32)
// CHECK: %[[D:.*]] = llvm.mlir.constant(1.000000e+00 : f64)
// CHECK: llvm.call @expf(%[[F]]) : (f32) -> f32
// CHECK: llvm.call @exp(%[[D]]) : (f64) -> f64
// CHECK: llvm.call @logf(%[[F]]) : (f32) -> f32
// CHECK: %[[ROOT:.*]] = llvm.intr.sqrt(%[[F]])
// CHECK: llvm.fdiv %{{.*}}, %[[ROOT]]
// CHECK: llvm.call @twice.device(%[[SELF]], %[[F]])
// CHECK: llvm.intr.exp2(%[[F]])
// CHECK: llvm.fdiv %{{.*}}, %[[F]]
// CHECK: llvm.func internal @twice.device(%{{.*}}: !llvm.ptr, %{{.*}}: f32) -> f32
