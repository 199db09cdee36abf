// RUN: stretto-opt %s --kern-lower-cuda-kernels | FileCheck %s

// What a step reads behind its barrier is on its way to the thread before it: the second operand of two rows, which the result may
// take the place of.
// CHECK-LABEL: llvm.func @few(
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: nvvm.barrier0
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1>
// CHECK: llvm.return

// 16 registers hold four of eight such rows.
// CHECK-LABEL: llvm.func @many(
// CHECK-COUNT-12: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: nvvm.barrier0
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1>
// CHECK: llvm.return

func.func @main(%x: tensor<2x16x512xf32>, %y: tensor<2x16x512xf32>) {
  %a = kern.rowwise kernel "few"(%x, %y) maps [row, row] schedule #kern.thread_schedule<rows 2, lanes 4, chunk 8, threads 128, groups 1, tiles 1> {
  ^bb0(%row: tensor<512xf32>, %other: tensor<512xf32>):
    %sum = seq.reduce add %row : tensor<512xf32> -> tensor<f32>
    %sums = seq.broadcast %sum dims [] : tensor<f32> -> tensor<512xf32>
    %r = arith.addf %other, %sums : tensor<512xf32>
    kern.yield %r : tensor<512xf32>
  } : (tensor<2x16x512xf32>, tensor<2x16x512xf32>) -> tensor<2x16x512xf32>
  %b = kern.rowwise kernel "many"(%x, %y) maps [row, row] schedule #kern.thread_schedule<rows 8, lanes 4, chunk 8, threads 128, groups 1, tiles 1> {
  ^bb0(%row: tensor<512xf32>, %other: tensor<512xf32>):
    %sum = seq.reduce add %row : tensor<512xf32> -> tensor<f32>
    %sums = seq.broadcast %sum dims [] : tensor<f32> -> tensor<512xf32>
    %r = arith.addf %other, %sums : tensor<512xf32>
    kern.yield %r : tensor<512xf32>
  } : (tensor<2x16x512xf32>, tensor<2x16x512xf32>) -> tensor<2x16x512xf32>
  return
}
