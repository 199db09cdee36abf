// What the backward recomputes is not computed beside its original for others, who would find it in memory from the
// forward on; for readers of the same kernel it is.
// RUN: stretto-opt %s --kern-form-groups --remarks-filter=fusion 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: stretto-opt %s --kern-form-groups --mlir-print-local-scope | FileCheck %s

// REMARK: the backward computes one of them again, so that it is not held until then

// CHECK-LABEL: @read_by_others
func.func @read_by_others(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  // CHECK: arith.mulf {{.*}}kern.group = 0
  %0 = arith.mulf %q, %k : tensor<2x8x16xf32>
  // CHECK: arith.mulf {{.*}}kern.group = 1
  %1 = arith.mulf %q, %k {seq.recomputed} : tensor<2x8x16xf32>
  return %0, %1 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}

// Copies of copies have originals as well.
// CHECK-LABEL: @through_copies
func.func @through_copies(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  // CHECK: arith.mulf {{.*}}kern.group = 0
  %0 = arith.mulf %q, %k : tensor<2x8x16xf32>
  // CHECK: math.tanh {{.*}}kern.group = 0
  %1 = math.tanh %0 : tensor<2x8x16xf32>
  // CHECK: arith.mulf {{.*}}kern.group = 1
  %2 = arith.mulf %q, %k {seq.recomputed} : tensor<2x8x16xf32>
  // CHECK: math.tanh {{.*}}kern.group = 1
  %3 = math.tanh %2 {seq.recomputed} : tensor<2x8x16xf32>
  return %1, %3 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
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
// CHECK-LABEL: @of_others
func.func @of_others(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  // CHECK: arith.mulf {{.*}}kern.group = 0
  %0 = arith.mulf %q, %q : tensor<2x8x16xf32>
  // CHECK: arith.mulf {{.*}}kern.group = 0
  %1 = arith.mulf %q, %k {seq.recomputed} : tensor<2x8x16xf32>
  return %0, %1 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}
