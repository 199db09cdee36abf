// Blocks of several rows ask for the next block: the first-level cache, unless more rows lie in one of its sets than it has
// room for. The hardware follows single rows.
// RUN: stretto-opt %s -kern-lower-kernels=cpu=x86-64-v4 | FileCheck %s

// CHECK-LABEL: llvm.func @near(
// CHECK: "llvm.intr.prefetch"({{.*}}) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
// CHECK-NOT: hint = 2
// CHECK-LABEL: llvm.func @far(
// CHECK: "llvm.intr.prefetch"({{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// CHECK-NOT: hint = 3
// CHECK-LABEL: llvm.func @single(
// CHECK-NOT: llvm.intr.prefetch
func.func @main(%x: tensor<4x64x1000xf32>, %y: tensor<4x64x4096xf32>) {
  %0 = kern.rowwise kernel "near"(%x) maps [row] schedule #kern.vector_schedule<rows 8, lanes 16, chunk 64> {
  ^bb0(%a: tensor<1000xf32>):
    kern.yield %a : tensor<1000xf32>
  } : (tensor<4x64x1000xf32>) -> tensor<4x64x1000xf32>
  %1 = kern.rowwise kernel "far"(%y) maps [row] schedule #kern.vector_schedule<rows 8, lanes 16, chunk 64> {
  ^bb0(%a: tensor<4096xf32>):
    kern.yield %a : tensor<4096xf32>
  } : (tensor<4x64x4096xf32>) -> tensor<4x64x4096xf32>
  %2 = kern.rowwise kernel "single"(%x) maps [row] schedule #kern.vector_schedule<rows 1, lanes 16, chunk 64> {
  ^bb0(%a: tensor<1000xf32>):
    kern.yield %a : tensor<1000xf32>
  } : (tensor<4x64x1000xf32>) -> tensor<4x64x1000xf32>
  return
}
