// What the backward recomputes is not computed beside its original for others to read, but for readers of the same
// kernel it may be.
// RUN: stretto-opt %s --kern-form-groups --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @read_by_others
func.func @read_by_others(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<2x8x16xf32>, tensor<16x16xf32>) {
  // CHECK: arith.mulf {{.*}}kern.group = 0
  %0 = arith.mulf %q, %k : tensor<2x8x16xf32>
  // CHECK: math.tanh {{.*}}kern.group = 0
  %1 = math.tanh %0 : tensor<2x8x16xf32>
  %2 = seq.linear %1, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  // CHECK: arith.mulf {{.*}}kern.group = 1
  %3 = arith.mulf %q, %k {seq.recomputed} : tensor<2x8x16xf32>
  // CHECK: math.tanh {{.*}}kern.group = 1
  %4 = math.tanh %3 {seq.recomputed} : tensor<2x8x16xf32>
  %5 = seq.linear_weight_grad %2, %4 : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
  // CHECK: arith.mulf {{.*}}kern.group = 1
  %6 = arith.mulf %2, %4 : tensor<2x8x16xf32>
  return %6, %5 : tensor<2x8x16xf32>, tensor<16x16xf32>
}

// CHECK-LABEL: @read_within
func.func @read_within(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  // CHECK: arith.mulf {{.*}}kern.group = 0
  %0 = arith.mulf %q, %k : tensor<2x8x16xf32>
  // CHECK: arith.mulf {{.*}}kern.group = 0
  %1 = arith.mulf %q, %k {seq.recomputed} : tensor<2x8x16xf32>
  // CHECK: math.tanh {{.*}}kern.group = 0
  %2 = math.tanh %1 : tensor<2x8x16xf32>
  return %0, %2 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}

// An operation on other values is no original.
// CHECK-LABEL: @another
func.func @another(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  // CHECK: arith.mulf {{.*}}kern.group = 0
  %0 = arith.mulf %q, %q : tensor<2x8x16xf32>
  // CHECK: arith.mulf {{.*}}kern.group = 0
  %1 = arith.mulf %q, %k {seq.recomputed} : tensor<2x8x16xf32>
  return %0, %1 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}
