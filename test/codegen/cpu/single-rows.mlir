// RUN: stretto-opt %s -kern-lower-kernels=cpu=x86-64-v4 | FileCheck %s

// Blocks of one row that reads no other fit everywhere: their code exists once. A tap reaches over an end of the
// sequence, where it is masked.
// CHECK-LABEL: llvm.func @alone(
// CHECK-COUNT-1: llvm.fmul %{{[0-9]+}}, %{{[0-9]+}} : vector<16xf32>
// CHECK-NOT: llvm.fmul %{{[0-9]+}}, %{{[0-9]+}} : vector<16xf32>
// CHECK-LABEL: llvm.func @tapped(
// CHECK-COUNT-2: llvm.fmul %{{[0-9]+}}, %{{[0-9]+}} : vector<16xf32>
// CHECK-NOT: llvm.fmul %{{[0-9]+}}, %{{[0-9]+}} : vector<16xf32>
func.func @f(%x: tensor<1x16x16xf32>) {
  %y = kern.rowwise kernel "alone"(%x) maps [row] schedule #kern.vector_schedule<rows 1, lanes 16, chunk 16> {
  ^bb0(%a: tensor<16xf32>):
    %0 = arith.mulf %a, %a : tensor<16xf32>
    kern.yield %0 : tensor<16xf32>
  } : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
  %z = kern.rowwise kernel "tapped"(%x) maps [row] schedule #kern.vector_schedule<rows 1, lanes 16, chunk 16> {
  ^bb0(%a: tensor<16xf32>):
    %0 = seq.tap %a by -1 : tensor<16xf32>
    %1 = arith.mulf %0, %0 : tensor<16xf32>
    kern.yield %1 : tensor<16xf32>
  } : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
  return
}
