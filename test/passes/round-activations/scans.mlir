// RUN: stretto-opt %s --seq-set-activation-type --kern-round-activations | FileCheck %s

seq.parameter @w parts [#seq.part<"l.{}.w", 16, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<3x16x16xf32>
seq.parameter @v parts [#seq.part<"v", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>

// A weight that a matmul reads comes rounded; one that a kernel reads too comes in both forms. Sums of gradients
// are carried in f32.
// CHECK-LABEL: func private @layer(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x8x16xbf16>, %[[SUM:[^:]*]]: tensor<16x16xf32>, %[[W:[^:]*]]: tensor<16x16xbf16>, %[[V:[^:]*]]: tensor<16x16xf32>, %[[R:[^:]*]]: tensor<16x16xbf16>)
// CHECK-SAME: -> (tensor<2x8x16xbf16>, tensor<16x16xf32>, tensor<2x8x16xbf16>, tensor<2x8xf32>)
func.func private @layer(%x: tensor<2x8x16xf32>, %sum: tensor<16x16xf32>, %w: tensor<16x16xf32>, %v: tensor<16x16xf32>)
    -> (tensor<2x8x16xf32>, tensor<16x16xf32>, tensor<2x8x16xf32>, tensor<2x8xf32>) {
  // CHECK: seq.linear %[[X]], %[[W]]
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  // CHECK: seq.linear %{{.*}}, %[[R]]
  %1 = seq.linear %0, %v : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  // CHECK: kern.rowwise kernel "k"(%{{.*}}, %[[V]]) maps [row, shared]
  %2:2 = kern.rowwise kernel "k"(%1, %v) maps [row, shared] {
  ^bb0(%row: tensor<16xf32>, %all: tensor<16x16xf32>):
    %3 = seq.reduce add %all : tensor<16x16xf32> -> tensor<16xf32>
    %4 = arith.addf %row, %3 : tensor<16xf32>
    %5 = seq.reduce add %4 : tensor<16xf32> -> tensor<f32>
    kern.yield %4, %5 : tensor<16xf32>, tensor<f32>
  } : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8xf32>)
  // CHECK: seq.linear_weight_grad %{{.*}} accumulate %[[SUM]] : tensor<16x16xf32> : tensor<2x8x16xbf16>, tensor<2x8x16xbf16> -> tensor<16x16xf32>
  %6 = seq.linear_weight_grad %1, %x accumulate %sum : tensor<16x16xf32> : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
  return %2#0, %6, %0, %2#1 : tensor<2x8x16xf32>, tensor<16x16xf32>, tensor<2x8x16xf32>, tensor<2x8xf32>
}

// CHECK-LABEL: func @gradients(
// CHECK-SAME: -> (tensor<2x8x16xbf16>, tensor<3x2x8x16xbf16>, tensor<3x2x8xf32>)
func.func @gradients(%tokens: tensor<2x8xi32>) -> (tensor<2x8x16xf32>, tensor<3x2x8x16xf32>, tensor<3x2x8xf32>) {
  // CHECK-DAG: %[[ALL:.*]] = seq.get_parameter @w rounded : tensor<3x16x16xbf16>
  // CHECK-DAG: %[[WIDE:.*]] = seq.get_parameter @v : tensor<16x16xf32>
  // CHECK-DAG: %[[NARROW:.*]] = seq.get_parameter @v rounded : tensor<16x16xbf16>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
  // CHECK-DAG: %[[START:.*]] = arith.constant dense<0.000000e+00> : tensor<2x8x16xbf16>
  %w = seq.get_parameter @w : tensor<3x16x16xf32>
  %v = seq.get_parameter @v : tensor<16x16xf32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %start = arith.constant dense<0.0> : tensor<2x8x16xf32>
  // CHECK: seq.scan @layer trips 3 carry(%[[START]], %[[ZERO]]) slices(%[[ALL]]) invariants(%[[WIDE]], %[[NARROW]])
  %r:4 = seq.scan @layer trips 3 carry(%start, %zero) slices(%w) invariants(%v)
    : (tensor<2x8x16xf32>, tensor<16x16xf32>, tensor<3x16x16xf32>, tensor<16x16xf32>)
    -> (tensor<2x8x16xf32>, tensor<16x16xf32>, tensor<3x2x8x16xf32>, tensor<3x2x8xf32>)
  seq.gradient @v, %r#1 : tensor<16x16xf32>
  return %r#0, %r#2, %r#3 : tensor<2x8x16xf32>, tensor<3x2x8x16xf32>, tensor<3x2x8xf32>
}

// A carried value that a body returns as a constant has the type of the others.
// CHECK-LABEL: func private @reset(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x8x16xbf16>, %[[V:[^:]*]]: tensor<16x16xbf16>) -> (tensor<2x8x16xbf16>, tensor<2x8x16xbf16>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<2x8x16xbf16>
// CHECK: return %[[ZERO]], %{{.*}} : tensor<2x8x16xbf16>, tensor<2x8x16xbf16>
func.func private @reset(%x: tensor<2x8x16xf32>, %v: tensor<16x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<2x8x16xf32>
  %0 = seq.linear %x, %v : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  return %zero, %0 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}
func.func @other(%x: tensor<2x8x16xf32>) -> tensor<3x2x8x16xf32> {
  %v = seq.get_parameter @v : tensor<16x16xf32>
  %r:2 = seq.scan @reset trips 3 carry(%x) slices() invariants(%v)
    : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> (tensor<2x8x16xf32>, tensor<3x2x8x16xf32>)
  return %r#1 : tensor<3x2x8x16xf32>
}
