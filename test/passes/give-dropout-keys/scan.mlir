// RUN: stretto-opt %s --seq-give-dropout-keys | FileCheck %s

// Training takes keys of tokens once, behind all other inputs, for itself and for the bodies that it scans; a dropout that
// has some keeps them. What evaluates takes none.

// CHECK-LABEL: func private @layer
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<2x8x16xf32>, %[[AT:[a-z0-9]+]]: tensor<1xf32>, %[[K:[a-z0-9]+]]: tensor<2x8xi32>)
func.func private @layer(%x: tensor<2x8x16xf32>, %number: tensor<1xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.spread %number : tensor<1xf32> -> tensor<16xf32>
  %place = seq.broadcast %0 dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  // CHECK: %[[KEYS:.*]] = seq.broadcast %[[K]] dims [0, 1] : tensor<2x8xi32> -> tensor<2x8x16xi32>
  // CHECK: seq.dropout %[[X]] at %{{.*}} keys %[[KEYS]] rate 5.000000e-01 : tensor<2x8x16xf32>, tensor<2x8x16xi32>
  %y = seq.dropout %x at %place rate 0.5 : tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}
// CHECK-LABEL: func @gradients
// CHECK-SAME: %[[T:[a-z0-9]+]]: tensor<2x8xi32>, %[[X:[a-z0-9]+]]: tensor<2x8x16xf32>, %[[OWN:[a-z0-9]+]]: tensor<2x8x16xi32>, %[[K:[a-z0-9]+]]: tensor<2x8xi32> {seq.input = "dropout_keys"}
func.func @gradients(%tokens: tensor<2x8xi32>, %x: tensor<2x8x16xf32>, %own: tensor<2x8x16xi32>) -> tensor<2x8x16xf32>
    attributes {seq.entry = #seq<entry_kind training>} {
  %place = arith.constant dense<0.0> : tensor<2x8x16xf32>
  // CHECK: %[[KEYS:.*]] = seq.broadcast %[[K]] dims [0, 1]
  // CHECK: %[[Y:.*]] = seq.dropout %[[X]] at %{{.*}} keys %[[KEYS]] rate
  %y = seq.dropout %x at %place rate 0.25 : tensor<2x8x16xf32>
  // CHECK: %[[Z:.*]] = seq.dropout %[[Y]] at %{{.*}} keys %[[OWN]] rate
  %z = seq.dropout %y at %place keys %own rate 0.25 : tensor<2x8x16xf32>, tensor<2x8x16xi32>
  %numbers = seq.layer_numbers [1.0, 2.0, 3.0] : tensor<3x1xf32>
  // CHECK: seq.scan @layer trips 3 carry(%[[Z]]) slices(%{{.*}}) invariants(%[[K]])
  %0 = seq.scan @layer trips 3 carry(%z) slices(%numbers) invariants() : (tensor<2x8x16xf32>, tensor<3x1xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
// CHECK-LABEL: func @evaluate
// CHECK-SAME: (%{{[a-z0-9]+}}: tensor<2x8xi32>) -> tensor<2x8xi32>
func.func @evaluate(%tokens: tensor<2x8xi32>) -> tensor<2x8xi32> attributes {seq.entry = #seq<entry_kind evaluation>} {
  return %tokens : tensor<2x8xi32>
}
