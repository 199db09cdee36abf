// RUN: stretto-opt %s --seq-differentiate | FileCheck %s

// What each of two operands gets.

seq.parameter @a parts [#seq.part<"a", 4, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<4xf32>
seq.parameter @b parts [#seq.part<"b", 4, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<4xf32>

// CHECK-LABEL: func @difference
// CHECK: %[[DB:.*]] = arith.negf %arg0
// CHECK: seq.gradient @a, %arg0
// CHECK: seq.gradient @b, %[[DB]]
func.func @difference(%dy: tensor<4xf32>) {
  %a = seq.get_parameter @a : tensor<4xf32>
  %b = seq.get_parameter @b : tensor<4xf32>
  %y = arith.subf %a, %b : tensor<4xf32>
  seq.backward of(%y) from(%dy) : tensor<4xf32>
  return
}

// dy / b, and -dy / b * y.
// CHECK-LABEL: func @quotient
// CHECK: arith.divf
// CHECK: %[[B:.*]] = seq.get_parameter @b
// CHECK: %[[Y:.*]] = arith.divf %{{.*}}, %[[B]] {{{.*}}seq.recomputed}
// CHECK: %[[DA:.*]] = arith.divf %arg0, %[[B]]
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[DA]], %[[Y]]
// CHECK: %[[DB:.*]] = arith.negf %[[PRODUCT]]
// CHECK: seq.gradient @a, %[[DA]]
// CHECK: seq.gradient @b, %[[DB]]
func.func @quotient(%dy: tensor<4xf32>) {
  %a = seq.get_parameter @a : tensor<4xf32>
  %b = seq.get_parameter @b : tensor<4xf32>
  %y = arith.divf %a, %b : tensor<4xf32>
  seq.backward of(%y) from(%dy) : tensor<4xf32>
  return
}

// CHECK-LABEL: func @product
// CHECK: arith.mulf
// CHECK: %[[B:.*]] = seq.get_parameter @b
// CHECK: %[[A:.*]] = seq.get_parameter @a
// CHECK: %[[DA:.*]] = arith.mulf %arg0, %[[B]]
// CHECK: %[[DB:.*]] = arith.mulf %arg0, %[[A]]
// CHECK: seq.gradient @a, %[[DA]]
// CHECK: seq.gradient @b, %[[DB]]
func.func @product(%dy: tensor<4xf32>) {
  %a = seq.get_parameter @a : tensor<4xf32>
  %b = seq.get_parameter @b : tensor<4xf32>
  %y = arith.mulf %a, %b : tensor<4xf32>
  seq.backward of(%y) from(%dy) : tensor<4xf32>
  return
}

// The second operand on a tie.
// CHECK-LABEL: func @greater
// CHECK: arith.maximumf
// CHECK: %[[A:.*]] = seq.get_parameter @a
// CHECK: %[[B:.*]] = seq.get_parameter @b
// CHECK: %[[FIRST:.*]] = arith.cmpf ogt, %[[A]], %[[B]]
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK: %[[DA:.*]] = arith.select %[[FIRST]], %arg0, %[[ZERO]]
// CHECK: %[[DB:.*]] = arith.select %[[FIRST]], %[[ZERO]], %arg0
// CHECK: seq.gradient @a, %[[DA]]
// CHECK: seq.gradient @b, %[[DB]]
func.func @greater(%dy: tensor<4xf32>) {
  %a = seq.get_parameter @a : tensor<4xf32>
  %b = seq.get_parameter @b : tensor<4xf32>
  %y = arith.maximumf %a, %b : tensor<4xf32>
  seq.backward of(%y) from(%dy) : tensor<4xf32>
  return
}

// CHECK-LABEL: func @less
// CHECK: arith.minimumf
// CHECK: %[[A:.*]] = seq.get_parameter @a
// CHECK: %[[B:.*]] = seq.get_parameter @b
// CHECK: %[[FIRST:.*]] = arith.cmpf olt, %[[A]], %[[B]]
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK: %[[DA:.*]] = arith.select %[[FIRST]], %arg0, %[[ZERO]]
// CHECK: %[[DB:.*]] = arith.select %[[FIRST]], %[[ZERO]], %arg0
// CHECK: seq.gradient @a, %[[DA]]
// CHECK: seq.gradient @b, %[[DB]]
func.func @less(%dy: tensor<4xf32>) {
  %a = seq.get_parameter @a : tensor<4xf32>
  %b = seq.get_parameter @b : tensor<4xf32>
  %y = arith.minimumf %a, %b : tensor<4xf32>
  seq.backward of(%y) from(%dy) : tensor<4xf32>
  return
}
