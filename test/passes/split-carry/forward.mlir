// RUN: stretto-opt %s --seq-split-carry --remarks-filter=fusion 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// REMARK: [Passed] SplitCarry {{.*}} Function=layer | BytesNotMoved=1024,
// REMARK: [Missed] SplitCarry {{.*}} Function=matmuls | Reason="no row operation reads it at the head of the body"
// REMARK-NOT: Function=rows |
// REMARK: [Missed] SplitCarry {{.*}}Function=norms |{{.*}}Reason="only a sum of two stored values is carried as its parts"

// The stack of inputs becomes the stack of sums.
// CHECK-LABEL: func.func private @layer
// CHECK-SAME: (%[[X:[^:]*]]: tensor<2x8x16xf32>, %[[F:[^:]*]]: tensor<2x8x16xf32>, %[[W:[^:]*]]: tensor<16x16xf32>)
// CHECK: %[[S:.*]] = arith.addf %[[X]], %[[F]]
// CHECK: math.tanh %[[S]]
// CHECK: %[[G:.*]] = seq.linear
// CHECK-NOT: addf
// CHECK: return %[[S]], %[[G]], %[[S]]
func.func private @layer(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %0 = math.tanh %x : tensor<2x8x16xf32>
  %1 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = arith.addf %x, %1 : tensor<2x8x16xf32>
  return %2, %x : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}

// Only matmuls read the carried value: the addition would not be saved.
// CHECK-LABEL: func.func private @matmuls
// CHECK: %[[R:.*]] = arith.addf
// CHECK: return %[[R]]
func.func private @matmuls(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %1 = arith.addf %x, %0 : tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}

// The addition is in the kernel of the tanh already.
// CHECK-LABEL: func.func private @rows
// CHECK: %[[R:.*]] = arith.addf
// CHECK: return %[[R]]
func.func private @rows(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %1 = math.tanh %0 : tensor<2x8x16xf32>
  %2 = arith.addf %x, %1 : tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}

// The kernel that ends one iteration would be one with that which begins the next, had it the weights of both.
func.func private @norms(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = math.exp %x : tensor<2x8x16xf32>
  %1 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = math.exp %1 : tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}

// CHECK-LABEL: func @main
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<2x8x16xf32>
// CHECK: %[[Y:.*]]:3 = seq.scan @layer trips 3 reverse carry(%{{.*}}, %[[ZERO]]) slices(%{{.*}})
// CHECK: %[[SUM:.*]] = arith.addf %[[Y]]#0, %[[Y]]#1
// CHECK: seq.scan @matmuls trips 3 carry(%[[SUM]])
// CHECK: return %{{.*}}, %[[Y]]#2
func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<3x16x16xf32>) -> (tensor<2x8x16xf32>, tensor<3x2x8x16xf32>) {
  %0, %s = seq.scan @layer trips 3 reverse carry(%x) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<3x16x16xf32>) -> (tensor<2x8x16xf32>, tensor<3x2x8x16xf32>)
  %1 = seq.scan @matmuls trips 3 carry(%0) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<3x16x16xf32>) -> tensor<2x8x16xf32>
  %2 = seq.scan @rows trips 3 carry(%1) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<3x16x16xf32>) -> tensor<2x8x16xf32>
  %3 = seq.scan @norms trips 3 carry(%2) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<3x16x16xf32>) -> tensor<2x8x16xf32>
  return %3, %s : tensor<2x8x16xf32>, tensor<3x2x8x16xf32>
}
