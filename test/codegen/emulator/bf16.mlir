// RUN: stretto-opt %s -kern-emulate-cuda-kernels | FileCheck %s

// bf16 is 16 bits on the CPU; whatever looks at it is arithmetic on integers and on f32.
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    %0 = llvm.load %x {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
    %1 = llvm.mlir.constant(dense<2.0> : vector<8xbf16>) : vector<8xbf16>
    %2 = llvm.fadd %0, %1 : vector<8xbf16>
    %3 = llvm.mlir.constant(7 : i32) : i32
    %4 = llvm.extractelement %2[%3 : i32] : vector<8xbf16>
    %5 = llvm.getelementptr %x[9] : (!llvm.ptr<1>) -> !llvm.ptr<1>, bf16
    llvm.store %4, %5 : bf16, !llvm.ptr<1>
    llvm.return
  }
}
// CHECK: llvm.func internal @k.thread
// CHECK-NOT: bf16
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<8xi16>
// CHECK: llvm.mlir.constant(dense<16384> : vector<8xi16>) : vector<8xi16>
// CHECK: llvm.zext %{{.*}} : vector<8xi16> to vector<8xi32>
// CHECK: llvm.shl
// CHECK: llvm.bitcast %{{.*}} : vector<8xi32> to vector<8xf32>
// CHECK: %[[SUM:.*]] = llvm.fadd %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK: llvm.bitcast %[[SUM]] : vector<8xf32> to vector<8xi32>
// CHECK: %[[NAN:.*]] = llvm.fcmp "uno" %[[SUM]], %[[SUM]]
// CHECK: llvm.select %[[NAN]]
// CHECK: llvm.trunc %{{.*}} : vector<8xi32> to vector<8xi16>
// CHECK: %[[P:.*]] = llvm.getelementptr %{{.*}}[9] : (!llvm.ptr) -> !llvm.ptr, i16
// CHECK: llvm.store %{{.*}}, %[[P]] : i16, !llvm.ptr
// CHECK: llvm.return
