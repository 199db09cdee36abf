// RUN: stretto-opt %s --split-input-file --seq-add-loss | FileCheck %s

// What scans carry for nothing is gone, also where one such value makes another; what a value that is read needs stays.

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

func.func private @layers(%a: tensor<2x8x1xf32>, %x: tensor<2x8x16xf32>, %b: tensor<2x8x1xf32>, %y: tensor<2x8x16xf32>) -> (tensor<2x8x1xf32>, tensor<2x8x16xf32>, tensor<2x8x1xf32>, tensor<2x8x16xf32>) {
  %0 = arith.addf %x, %y : tensor<2x8x16xf32>
  %1 = seq.sum %0 : tensor<2x8x16xf32> -> tensor<2x8x1xf32>
  %2 = arith.addf %a, %1 : tensor<2x8x1xf32>
  %3 = math.tanh %a : tensor<2x8x1xf32>
  %4 = math.tanh %y : tensor<2x8x16xf32>
  return %2, %0, %3, %4 : tensor<2x8x1xf32>, tensor<2x8x16xf32>, tensor<2x8x1xf32>, tensor<2x8x16xf32>
}
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x64xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %zero = arith.constant dense<0.0> : tensor<2x8x1xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %1:4 = seq.scan @layers trips 3 carry(%zero, %0, %zero, %0) slices() invariants() : (tensor<2x8x1xf32>, tensor<2x8x16xf32>, tensor<2x8x1xf32>, tensor<2x8x16xf32>) -> (tensor<2x8x1xf32>, tensor<2x8x16xf32>, tensor<2x8x1xf32>, tensor<2x8x16xf32>)
  %2 = seq.linear %1#1, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  return %2 : tensor<2x8x64xf32>
}

// CHECK-LABEL: func private @layers(%{{.*}}: tensor<2x8x16xf32>, %{{.*}}: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
// CHECK-NEXT: arith.addf
// CHECK-NEXT: math.tanh
// CHECK-NEXT: return
// CHECK-LABEL: func @gradients(
// CHECK: seq.scan @layers trips 3 carry(%[[X:.*]], %[[X]]) slices()

// -----

// A body with two callers stays as it is.

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

func.func private @layers(%a: tensor<2x8x16xf32>, %x: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %0 = math.tanh %a : tensor<2x8x16xf32>
  %1 = math.exp %x : tensor<2x8x16xf32>
  return %0, %1 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x64xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %1:2 = seq.scan @layers trips 3 carry(%0, %0) slices() invariants() : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>)
  %2:2 = seq.scan @layers trips 2 carry(%1#0, %1#1) slices() invariants() : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>)
  %3 = seq.linear %2#1, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  return %3 : tensor<2x8x64xf32>
}

// CHECK-LABEL: func private @layers(
// CHECK-NEXT: math.tanh
// CHECK-NEXT: math.exp

// -----

// A scan that only what is added to the loss needs is none of the evaluation.

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

func.func private @layers(%a: tensor<2x8x1xf32>) -> tensor<2x8x1xf32> {
  %0 = math.tanh %a : tensor<2x8x1xf32>
  return %0 : tensor<2x8x1xf32>
}
func.func @main(%t: tensor<2x8xi32>) -> (tensor<2x8x64xf32>, tensor<2x8x1xf32>) {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.sum %0 : tensor<2x8x16xf32> -> tensor<2x8x1xf32>
  %2 = seq.scan @layers trips 3 carry(%1) slices() invariants() : (tensor<2x8x1xf32>) -> tensor<2x8x1xf32>
  %3 = seq.linear %0, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  return %3, %2 : tensor<2x8x64xf32>, tensor<2x8x1xf32>
}

// CHECK-LABEL: func private @layers(
// CHECK-NOT: func private @layers.evaluate
// CHECK: func @gradients(
