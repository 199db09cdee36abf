// RUN: stretto-opt %s --seq-simplify-taps | FileCheck %s
// RUN: stretto-opt %s --seq-simplify-arithmetic | FileCheck %s

// An operation of the spec and its copy are paired by a number, so neither is folded away.
// CHECK-LABEL: func @pair
// CHECK: arith.subf %arg0, %{{.*}} {seq.id = 0 : i64}
// CHECK: arith.subf %arg0, %{{.*}} {seq.id = 0 : i64, seq.recomputed}
func.func @pair(%x: tensor<2x8x16xf32>, %g: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> attributes {seq.forward = @f} {
  %zero = arith.constant dense<0.0> : tensor<2x8x16xf32>
  %0 = arith.subf %x, %zero {seq.id = 0 : i64} : tensor<2x8x16xf32>
  %1 = arith.subf %x, %zero {seq.id = 0 : i64, seq.recomputed} : tensor<2x8x16xf32>
  %2 = arith.mulf %0, %g : tensor<2x8x16xf32>
  %3 = arith.mulf %1, %2 : tensor<2x8x16xf32>
  return %3 : tensor<2x8x16xf32>
}
