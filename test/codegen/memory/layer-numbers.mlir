// RUN: stretto-opt %s --kern-plan-memory --kern-verify-memory | FileCheck %s

// Numbers of layers lie apart, as a loop reads them. What reads them together gets a copy. Equal ones are there once.

// CHECK: kern.arenas
module {
// CHECK-LABEL: func private @layer(
// CHECK-SAME: tensor<1xf32> {kern.slot = #kern.slot<tables, 0, stride 64, parity 0>}
func.func private @layer(%x: tensor<2x8x3xf32>, %n: tensor<1xf32>) -> tensor<2x8x3xf32> {
  %0 = kern.rowwise kernel "k"(%x, %n) maps [row, shared] {
  ^bb0(%row: tensor<3xf32>, %one: tensor<1xf32>):
    %1 = seq.broadcast %one dims [0] : tensor<1xf32> -> tensor<1x3xf32>
    %2 = seq.reshape %1 : tensor<1x3xf32> -> tensor<3xf32>
    %3 = arith.mulf %row, %2 : tensor<3xf32>
    kern.yield %3 : tensor<3xf32>
  } : (tensor<2x8x3xf32>, tensor<1xf32>) -> tensor<2x8x3xf32>
  return %0 : tensor<2x8x3xf32>
}

// CHECK-LABEL: func @gradients(
func.func @gradients(%x: tensor<2x8x3xf32>) -> (tensor<2x8x3xf32>, tensor<3x1xf32>) {
  // CHECK: seq.layer_numbers {{.*}}#kern.slot<tables, 0, stride 64, parity 0>
  %n = seq.layer_numbers [1.0, 0.5, 0.25] : tensor<3x1xf32>
  // CHECK: seq.layer_numbers {{.*}}#kern.slot<tables, 0, stride 64, parity 0>
  %again = seq.layer_numbers [1.0, 0.5, 0.25] : tensor<3x1xf32>
  // CHECK: seq.layer_numbers {{.*}}#kern.slot<tables, 192, stride 64, parity 0>
  %others = seq.layer_numbers [1.0, 0.5, 0.75] : tensor<3x1xf32>
  // CHECK: kern.copy %{{.*}} : tensor<3x1xf32>
  %a = seq.reshape %again : tensor<3x1xf32> -> tensor<1x3x1xf32>
  // CHECK: kern.copy %{{.*}} : tensor<3x1xf32>
  %b = seq.reshape %others : tensor<3x1xf32> -> tensor<1x3x1xf32>
  %sum = kern.rowwise kernel "sum"(%a, %b) maps [row, row] {
  ^bb0(%one: tensor<1xf32>, %other: tensor<1xf32>):
    %0 = arith.addf %one, %other : tensor<1xf32>
    kern.yield %0 : tensor<1xf32>
  } : (tensor<1x3x1xf32>, tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
  %sums = seq.reshape %sum : tensor<1x3x1xf32> -> tensor<3x1xf32>
  %y = seq.scan @layer trips 3 carry(%x) slices(%n) invariants() : (tensor<2x8x3xf32>, tensor<3x1xf32>) -> tensor<2x8x3xf32>
  return %y, %sums : tensor<2x8x3xf32>, tensor<3x1xf32>
}
}
