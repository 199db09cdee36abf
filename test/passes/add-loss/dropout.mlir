// RUN: stretto-opt %s --seq-add-loss | FileCheck %s --implicit-check-not=seq.dropout
// RUN: stretto-opt %s --seq-add-decode=chunk=4 | FileCheck %s --check-prefix=DECODE --implicit-check-not=seq.dropout

// Training alone drops out; an evaluation, and what writes text, read the number itself and no places.

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

// CHECK-LABEL: func private @layers(
// CHECK: seq.dropout
// DECODE-LABEL: func private @layers(
// DECODE: seq.dropout
func.func private @layers(%x: tensor<2x8x16xf32>, %number: tensor<1xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.broadcast %number dims [2] : tensor<1xf32> -> tensor<2x8x1xf32>
  %1 = seq.reshape %0 : tensor<2x8x1xf32> -> tensor<2x8xf32>
  %place = seq.broadcast %1 dims [0, 1] : tensor<2x8xf32> -> tensor<2x8x16xf32>
  %2 = math.tanh %x : tensor<2x8x16xf32>
  %3 = seq.dropout %2 at %place rate 0.1 : tensor<2x8x16xf32>
  %4 = arith.addf %x, %3 : tensor<2x8x16xf32>
  return %4 : tensor<2x8x16xf32>
}
// DECODE-LABEL: func @main(
// DECODE: seq.dropout
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x64xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %place = arith.constant dense<0.0> : tensor<2x8x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.dropout %0 at %place rate 0.1 : tensor<2x8x16xf32>
  %numbers = seq.layer_numbers [1.0, 2.0, 3.0] : tensor<3x1xf32>
  %2 = seq.scan @layers trips 3 carry(%1) slices(%numbers) invariants() : (tensor<2x8x16xf32>, tensor<3x1xf32>) -> tensor<2x8x16xf32>
  %3 = seq.linear %2, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  return %3 : tensor<2x8x64xf32>
}
// CHECK-LABEL: func @evaluate(
// CHECK: %[[X:.*]] = seq.embed
// CHECK: seq.scan @[[BODY:.*]] trips 3 carry(%[[X]]) slices() invariants() :
// CHECK: func private @[[BODY]](%[[X:[a-z0-9]+]]: tensor<2x8x16xf32>) ->
// CHECK: %[[T:.*]] = math.tanh %[[X]]
// CHECK-NEXT: arith.addf %[[X]], %[[T]]
// CHECK-LABEL: func @gradients(
// CHECK: seq.dropout
// CHECK: seq.scan @layers trips 3
