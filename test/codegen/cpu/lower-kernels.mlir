// RUN: stretto-opt %s -kern-lower-kernels=cpu=x86-64-v4 | FileCheck %s

func.func @f(%x: tensor<1x16x32xf32>, %p: tensor<4x32xf32>) {
  // The operation stays; its function is in the LLVM dialect alone, with the interface of the ABI.
  // CHECK: kern.rowwise kernel "scale"
  %y = kern.rowwise kernel "scale"(%x) maps [row] schedule #kern.vector_schedule<rows 2, lanes 16, chunk 8> {
  ^bb0(%a: tensor<32xf32>):
    %0 = arith.mulf %a, %a : tensor<32xf32>
    kern.yield %0 : tensor<32xf32>
  } : (tensor<1x16x32xf32>) -> tensor<1x16x32xf32>
  %s = kern.sum_partials kernel "sum" %p : tensor<4x32xf32> -> tensor<32xf32>
  return
}
// CHECK: llvm.func @scale(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK-NOT: scf.
// CHECK-NOT: vector.
// CHECK: llvm.fmul %{{.*}} : vector<16xf32>
// CHECK: llvm.func @sum(
// CHECK: llvm.fadd %{{.*}} : vector<16xf32>
