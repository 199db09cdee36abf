// RUN: stretto-opt %s --split-input-file --seq-add-decode=chunk=4 | FileCheck %s

// A constant with rows has as many as a call.

// CHECK-LABEL: func @decode_one
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<2x1x16xf32>
// CHECK: seq.scan @layer.decode_one trips 3 carry(%{{.*}}, %[[ONE]]) slices() invariants(%{{.*}})
// CHECK-LABEL: func private @layer.decode_one(
// CHECK: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<2x1x16xf32>
// CHECK: return %{{.*}}, %[[TWO]] : tensor<2x1x16xf32>, tensor<2x1x16xf32>
seq.parameter @e parts [#seq.part<"e", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>
func.func private @layer(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %z: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %two = arith.constant dense<2.0> : tensor<2x8x16xf32>
  %0 = arith.mulf %x, %y : tensor<2x8x16xf32>
  %1 = arith.mulf %0, %z : tensor<2x8x16xf32>
  return %1, %two : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x16xf32> {
  %one = arith.constant dense<1.0> : tensor<2x8x16xf32>
  %three = arith.constant dense<3.0> : tensor<2x8x16xf32>
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %1, %2 = seq.scan @layer trips 3 carry(%0, %one) slices() invariants(%three) : (tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>)
  %3 = arith.addf %1, %2 : tensor<2x8x16xf32>
  return %3 : tensor<2x8x16xf32>
}

// -----

// Taps of a constant, and of the row itself.
// CHECK-LABEL: func @decode_one
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<2x1x16xf32>
// CHECK: %[[NEW:.*]] = seq.write_cache %{{.*}}, %[[ONE]]
// CHECK: %[[BEFORE:.*]] = seq.read_cache %[[NEW]] at %{{.*}} back 1
// CHECK: %[[ROWS:.*]] = seq.embed
// CHECK: arith.addf %[[BEFORE]], %[[ROWS]] : tensor<2x1x16xf32>
seq.parameter @e parts [#seq.part<"e", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x16xf32> {
  %one = arith.constant dense<1.0> : tensor<2x8x16xf32>
  %before = seq.tap %one by -1 : tensor<2x8x16xf32>
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %now = seq.tap %0 by 0 : tensor<2x8x16xf32>
  %1 = arith.addf %before, %now : tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}

// -----

// The logits of a model that is a constant.
// CHECK-LABEL: func @decode_one
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<2x1x16xf32>
// CHECK: seq.last_row %[[ONE]]
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x16xf32> {
  %one = arith.constant dense<1.0> : tensor<2x8x16xf32>
  return %one : tensor<2x8x16xf32>
}

// -----

// The rows of a table of one number are all the same; of any other table those at the positions are taken.
// CHECK-LABEL: func @decode_one
// CHECK: %[[TABLE:.*]] = arith.constant dense<{{\[\[}}1.0{{.*}} : tensor<4x2xf32>
// CHECK: %[[ROWS:.*]] = seq.embed %{{.*}}, %{{.*}} : tensor<2x1xi32>, tensor<64x2xf32>
// CHECK: %[[FOUR:.*]] = arith.constant dense<4.000000e+00> : tensor<2x1x2xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[ROWS]], %[[FOUR]]
// CHECK: %[[AT:.*]] = seq.embed %{{.*}}, %[[TABLE]] : tensor<2x1xi32>, tensor<4x2xf32> -> tensor<2x1x2xf32>
// CHECK: arith.addf %[[SUM]], %[[AT]]
seq.parameter @e parts [#seq.part<"e", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x2xf32>
func.func @main(%t: tensor<2x4xi32>) -> tensor<2x4x2xf32> {
  %four = arith.constant dense<4.0> : tensor<4x2xf32>
  %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %e = seq.get_parameter @e : tensor<64x2xf32>
  %0 = seq.embed %t, %e : tensor<2x4xi32>, tensor<64x2xf32> -> tensor<2x4x2xf32>
  %1 = seq.broadcast %four dims [1, 2] : tensor<4x2xf32> -> tensor<2x4x2xf32>
  %2 = arith.addf %0, %1 : tensor<2x4x2xf32>
  %3 = seq.broadcast %table dims [1, 2] : tensor<4x2xf32> -> tensor<2x4x2xf32>
  %4 = arith.addf %2, %3 : tensor<2x4x2xf32>
  return %4 : tensor<2x4x2xf32>
}
