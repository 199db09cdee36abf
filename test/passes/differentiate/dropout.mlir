// RUN: stretto-opt %s --seq-differentiate --canonicalize --cse | FileCheck %s

// The gradient is dropped out where the number was, by the same key and place: the backward reads nothing else of the
// forward. Another place is another question.

// CHECK-LABEL: func @gradients
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x8x4xf32>, %[[K:[a-z0-9]+]]: tensor<2x8x4xi32>, %[[SEED:[a-z0-9]+]]: tensor<2x8x4xf32>
seq.parameter @w parts [#seq.part<"w", 4, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<4xf32>
func.func @gradients(%x: tensor<2x8x4xf32>, %keys: tensor<2x8x4xi32>, %seed: tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    attributes {seq.entry = #seq<entry_kind training>} {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00>
  // CHECK-DAG: %[[TWO:.*]] = arith.constant dense<2.000000e+00>
  %one = arith.constant dense<1.0> : tensor<2x8x4xf32>
  %two = arith.constant dense<2.0> : tensor<2x8x4xf32>
  %w = seq.get_parameter @w : tensor<4xf32>
  %wide = seq.broadcast %w dims [2] : tensor<4xf32> -> tensor<2x8x4xf32>
  // CHECK-DAG: %[[A:.*]] = seq.dropout %{{.*}} at %[[ONE]] keys %[[K]] rate 1.000000e-01
  // CHECK-DAG: %[[B:.*]] = seq.dropout %[[A]] at %[[TWO]] keys %[[K]] rate 1.000000e-01
  %a = seq.dropout %wide at %one keys %keys rate 0.1 : tensor<2x8x4xf32>, tensor<2x8x4xi32>
  %b = seq.dropout %a at %two keys %keys rate 0.1 : tensor<2x8x4xf32>, tensor<2x8x4xi32>
  %y = arith.addf %b, %x : tensor<2x8x4xf32>
  seq.backward of(%y) from(%seed) : tensor<2x8x4xf32>
  // CHECK: %[[DA:.*]] = seq.dropout %[[SEED]] at %[[TWO]] keys %[[K]] rate 1.000000e-01
  // CHECK: %[[DW:.*]] = seq.dropout %[[DA]] at %[[ONE]] keys %[[K]] rate 1.000000e-01
  // CHECK: seq.column_sum %[[DW]]
  return %y : tensor<2x8x4xf32>
}
