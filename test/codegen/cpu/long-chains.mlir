// Long chains of all rows of a block stand in front of what is made of them. With 16 registers these are all functions
// but exp, with 32 the sigmoid alone.
// RUN: stretto-opt %s -kern-lower-kernels=cpu=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,MANY
// RUN: stretto-opt %s -kern-lower-kernels=cpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,FEW

// CHECK-LABEL: llvm.func @sigmoid(
// CHECK: llvm.fdiv
// CHECK-NOT: llvm.store
// CHECK: llvm.fdiv
// CHECK: llvm.store
// CHECK-LABEL: llvm.func @log(
// CHECK: llvm.sitofp
// FEW-NOT: llvm.store
// MANY: llvm.store
// CHECK: llvm.sitofp
// CHECK: llvm.store
func.func @f(%x: tensor<1x16x8xf32>) {
  %0 = kern.rowwise kernel "sigmoid"(%x) maps [row] schedule #kern.vector_schedule<rows 2, lanes 8, chunk 16> {
  ^bb0(%a: tensor<8xf32>):
    %y = seq.sigmoid %a : tensor<8xf32>
    kern.yield %y : tensor<8xf32>
  } : (tensor<1x16x8xf32>) -> tensor<1x16x8xf32>
  %1 = kern.rowwise kernel "log"(%x) maps [row] schedule #kern.vector_schedule<rows 2, lanes 8, chunk 16> {
  ^bb0(%a: tensor<8xf32>):
    %y = math.log %a : tensor<8xf32>
    kern.yield %y : tensor<8xf32>
  } : (tensor<1x16x8xf32>) -> tensor<1x16x8xf32>
  return
}
