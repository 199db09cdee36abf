// REQUIRES: ptxas
// RUN: stretto-opt %s --kern-embed-cuda-binaries --remarks-filter=registers 2>&1 | FileCheck %s --dump-input=never

// Kernels of one place that spill are one warning, of the one that spills most, and a remark each.

// CHECK: layers:4:2: warning: kernel 'most' spills {{[1-9][0-9]*}} bytes of registers to local memory, and 1 more of this place spill no more than that
// CHECK-NOT: warning
// CHECK-DAG: remark: [Missed] Registers | Category:registers | Function=crowded
// CHECK-DAG: remark: [Missed] Registers | Category:registers | Function=most
gpu.module @kernels {
  llvm.func @crowded(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.maxnreg = 32 : i32,
      nvvm.reqntid = array<i32: 32, 1, 1>, kern.kernel = "crowded", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64,
      kern.bytes_moved = 512 : i64, kern.flops = 0 : i64} {
    %values = llvm.load volatile %from : !llvm.ptr<1> -> vector<64xf32>
    %negated = llvm.fneg %values : vector<64xf32>
    nvvm.barrier0
    llvm.store volatile %negated, %to : vector<64xf32>, !llvm.ptr<1>
    llvm.return
  } loc("layers":4:2)
  llvm.func @most(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.maxnreg = 32 : i32,
      nvvm.reqntid = array<i32: 32, 1, 1>, kern.kernel = "most", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64,
      kern.bytes_moved = 512 : i64, kern.flops = 0 : i64} {
    %values = llvm.load volatile %from : !llvm.ptr<1> -> vector<80xf32>
    %negated = llvm.fneg %values : vector<80xf32>
    nvvm.barrier0
    llvm.store volatile %negated, %to : vector<80xf32>, !llvm.ptr<1>
    llvm.return
  } loc("layers":4:2)
}
