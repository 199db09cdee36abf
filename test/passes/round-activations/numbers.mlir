// RUN: stretto-opt %s --seq-set-activation-type --kern-round-activations | FileCheck %s

// A row of one column is a number for each token, which stays exact, also where a loop carries it from a constant on.

// CHECK-LABEL: func private @layer(
// CHECK-SAME: %{{[^:]*}}: tensor<2x8x16xbf16>, %{{[^:]*}}: tensor<2x8x1xf32>) -> (tensor<2x8x16xbf16>, tensor<2x8x1xf32>)
func.func private @layer(%x: tensor<2x8x16xf32>, %loss: tensor<2x8x1xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x1xf32>) {
  %0:2 = kern.rowwise kernel "k"(%x, %loss) maps [row, row] {
  ^bb0(%row: tensor<16xf32>, %number: tensor<1xf32>):
    %1 = math.tanh %row : tensor<16xf32>
    %2 = seq.reduce add %1 : tensor<16xf32> -> tensor<f32>
    %3 = seq.reshape %2 : tensor<f32> -> tensor<1xf32>
    %4 = arith.addf %number, %3 : tensor<1xf32>
    kern.yield %1, %4 : tensor<16xf32>, tensor<1xf32>
  } : (tensor<2x8x16xf32>, tensor<2x8x1xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x1xf32>)
  return %0#0, %0#1 : tensor<2x8x16xf32>, tensor<2x8x1xf32>
}

// CHECK-LABEL: func @gradients(
// CHECK: seq.scan @layer trips 3 carry(%{{.*}}, %{{.*}}) {{.*}} -> (tensor<2x8x16xbf16>, tensor<2x8x1xf32>)
func.func @gradients(%x: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x1xf32>) {
  %zero = arith.constant dense<0.0> : tensor<2x8x1xf32>
  %0:2 = seq.scan @layer trips 3 carry(%x, %zero) slices() invariants() : (tensor<2x8x16xf32>, tensor<2x8x1xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x1xf32>)
  return %0#0, %0#1 : tensor<2x8x16xf32>, tensor<2x8x1xf32>
}
