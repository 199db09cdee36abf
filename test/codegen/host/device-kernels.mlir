// RUN: stretto-opt %s --kern-plan-memory --kern-emit-host | FileCheck %s

// The table says how a kernel of the device code is launched.
module attributes {kern.cpu = "generic", kern.target = "cuda"} {
kern.device_kernel @gradients.embed0 symbol "gradients_embed0" grid [14, 3] block 96 cluster 7 shared 1001
  dynamic_shared 100002 registers 103 spills 4 local 8 bytes_moved 1005 flops 1006
seq.parameter @e parts [#seq.part<"embed.weight", 12, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<12x8xf64>
func.func @gradients(%tokens: tensor<2x8xi32>) {
  %e = seq.get_parameter @e : tensor<12x8xf64>
  %x = seq.embed %tokens, %e : tensor<2x8xi32>, tensor<12x8xf64> -> tensor<2x8x8xf64> {kern.kernel = "gradients.embed0"}
  return
}
}
// chunks; scratch; bytes and operations; symbol; grid; block; cluster; shared memory, static and dynamic; registers; spills
// CHECK-LABEL: llvm.mlir.global internal constant @stretto.kernels
// CHECK-DAG: %[[CHUNKS:.*]] = llvm.mlir.constant(42 : i64)
// CHECK-DAG: %[[MOVED:.*]] = llvm.mlir.constant(1005 : i64)
// CHECK-DAG: %[[FLOPS:.*]] = llvm.mlir.constant(1006 : i64)
// CHECK-DAG: %[[X:.*]] = llvm.mlir.constant(14 : i64)
// CHECK-DAG: %[[BLOCK:.*]] = llvm.mlir.constant(96 : i64)
// CHECK-DAG: %[[CLUSTER:.*]] = llvm.mlir.constant(7 : i64)
// CHECK-DAG: %[[STATIC:.*]] = llvm.mlir.constant(1001 : i64)
// CHECK-DAG: %[[DYNAMIC:.*]] = llvm.mlir.constant(100002 : i64)
// CHECK-DAG: %[[REGISTERS:.*]] = llvm.mlir.constant(103 : i64)
// CHECK: llvm.insertvalue %[[CHUNKS]]
// CHECK: llvm.insertvalue %[[MOVED]]
// CHECK: llvm.insertvalue %[[FLOPS]]
// CHECK: llvm.insertvalue %[[X]]
// CHECK: llvm.insertvalue %[[BLOCK]]
// CHECK-NEXT: llvm.insertvalue %[[CLUSTER]]
// CHECK-NEXT: llvm.insertvalue %[[STATIC]]
// CHECK-NEXT: llvm.insertvalue %[[DYNAMIC]]
// CHECK-NEXT: llvm.insertvalue %[[REGISTERS]]
