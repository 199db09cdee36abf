// RUN: stretto-opt %s -kern-lower-kernels=cpu=x86-64-v4 | FileCheck %s
// RUN: stretto-opt %s -kern-lower-kernels=cpu=x86-64-v3 | FileCheck %s --check-prefix=APART

// Two vectors and a half are one loop under a mask where masks cost nothing, else a loop and the rest behind it.
// CHECK-LABEL: llvm.func @short(
// CHECK-NOT: llvm.load %{{.*}} -> vector<16xf32>
// CHECK: %[[MASK:[0-9]+]] = llvm.icmp "{{sgt|slt}}" %{{[0-9]+}}, %{{[0-9]+}} : vector<16xi32>
// CHECK: llvm.intr.masked.load %{{[0-9]+}}, %[[MASK]]
// CHECK: llvm.intr.masked.store %{{[0-9]+}}, %{{[0-9]+}}, %[[MASK]]
// CHECK-NOT: llvm.load %{{.*}} -> vector<16xf32>
// CHECK: llvm.func @long(
// CHECK: llvm.load %{{.*}} -> vector<16xf32>
// CHECK: llvm.intr.masked.load
// APART-LABEL: llvm.func @short(
// APART: llvm.load %{{.*}} -> vector<16xf32>
// APART: llvm.intr.masked.load
func.func @f(%x: tensor<1x16x40xf32>, %z: tensor<1x16x72xf32>) {
  %y = kern.rowwise kernel "short"(%x) maps [row] schedule #kern.vector_schedule<rows 1, lanes 16, chunk 16> {
  ^bb0(%a: tensor<40xf32>):
    %0 = arith.mulf %a, %a : tensor<40xf32>
    kern.yield %0 : tensor<40xf32>
  } : (tensor<1x16x40xf32>) -> tensor<1x16x40xf32>
  %w = kern.rowwise kernel "long"(%z) maps [row] schedule #kern.vector_schedule<rows 1, lanes 16, chunk 16> {
  ^bb0(%a: tensor<72xf32>):
    %0 = arith.mulf %a, %a : tensor<72xf32>
    kern.yield %0 : tensor<72xf32>
  } : (tensor<1x16x72xf32>) -> tensor<1x16x72xf32>
  return
}
