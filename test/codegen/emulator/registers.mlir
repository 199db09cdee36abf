// RUN: stretto-opt %s -kern-emulate-cuda-kernels | FileCheck %s

// Special registers are fields of the thread, or sizes that the kernel states.
gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 6, 2>,
      kern.block = 64 : i64, kern.buffer_bytes = array<i64: 1024>} {
    %0 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 64> : i32
    %1 = nvvm.read.ptx.sreg.ctaid.x : i32
    %2 = nvvm.read.ptx.sreg.ctaid.y range <i32, 0, 2> : i32
    %3 = nvvm.read.ptx.sreg.ntid.x : i32
    %4 = nvvm.read.ptx.sreg.nctaid.x : i32
    %5 = nvvm.read.ptx.sreg.laneid : i32
    %6 = llvm.add %0, %1 : i32
    %7 = llvm.add %2, %3 : i32
    %8 = llvm.add %4, %5 : i32
    llvm.return
  }
}
// CHECK: llvm.func internal @k.thread(%[[SELF:.*]]: !llvm.ptr, %[[BUFFERS:.*]]: !llvm.ptr)
// CHECK-NEXT: llvm.getelementptr %[[BUFFERS]][0]
// CHECK-NEXT: llvm.load
// CHECK-NEXT: %[[P0:.*]] = llvm.getelementptr %[[SELF]][0]
// CHECK-NEXT: %[[TID:.*]] = llvm.load %[[P0]]
// CHECK-NEXT: %[[P1:.*]] = llvm.getelementptr %[[SELF]][4]
// CHECK-NEXT: %[[X:.*]] = llvm.load %[[P1]]
// CHECK-NEXT: %[[P2:.*]] = llvm.getelementptr %[[SELF]][8]
// CHECK-NEXT: %[[Y:.*]] = llvm.load %[[P2]]
// CHECK-NEXT: %[[N:.*]] = llvm.mlir.constant(64 : i32)
// CHECK-NEXT: %[[GRID:.*]] = llvm.mlir.constant(6 : i32)
// CHECK: %[[LANE:.*]] = llvm.and
// CHECK-NEXT: llvm.add %[[TID]], %[[X]]
// CHECK-NEXT: llvm.add %[[Y]], %[[N]]
// CHECK-NEXT: llvm.add %[[GRID]], %[[LANE]]
// CHECK: llvm.func @k(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr) attributes {kern.chunks = 12 : i64
