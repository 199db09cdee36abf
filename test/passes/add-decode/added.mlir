// RUN: stretto-opt %s --seq-add-decode=chunk=4 | FileCheck %s

// What is added to the loss is no part of generation, though it looks at all tokens; the model stays as it is.

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

func.func private @layers(%x: tensor<2x8x16xf32>, %added: tensor<2x8x1xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x1xf32>) {
  %0 = math.tanh %x : tensor<2x8x16xf32>
  %sum = seq.column_sum %0 : tensor<2x8x16xf32> -> tensor<16xf32>
  %sums = seq.broadcast %sum dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  %1 = arith.mulf %0, %sums : tensor<2x8x16xf32>
  %2 = seq.reduce add %1 : tensor<2x8x16xf32> -> tensor<2x8xf32>
  %3 = seq.reshape %2 : tensor<2x8xf32> -> tensor<2x8x1xf32>
  %4 = arith.addf %added, %3 : tensor<2x8x1xf32>
  return %0, %4 : tensor<2x8x16xf32>, tensor<2x8x1xf32>
}
func.func @main(%t: tensor<2x8xi32>) -> (tensor<2x8x64xf32>, tensor<2x8x1xf32>) {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %zero = arith.constant dense<0.0> : tensor<2x8x1xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %1:2 = seq.scan @layers trips 3 carry(%0, %zero) slices() invariants() : (tensor<2x8x16xf32>, tensor<2x8x1xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x1xf32>)
  %2 = seq.linear %1#0, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  return %2, %1#1 : tensor<2x8x64xf32>, tensor<2x8x1xf32>
}

// CHECK-LABEL: func private @layers(
// CHECK: seq.column_sum
// CHECK-LABEL: func @main(
// CHECK: return %{{.*}}, %{{.*}} : tensor<2x8x64xf32>, tensor<2x8x1xf32>
// CHECK-LABEL: func @decode_one(
// CHECK-NOT: seq.column_sum
// CHECK: seq.scan @[[BODY:.*]] trips 3 carry(%{{[0-9]+}}) slices()
// CHECK: return %{{.*}} : tensor<2x1x64xf32>
// CHECK: func private @[[BODY]](%{{.*}}: tensor<2x1x16xf32>) -> tensor<2x1x16xf32>
// CHECK-NOT: seq.column_sum
