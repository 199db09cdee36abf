// RUN: stretto-opt %s --seq-give-positions | FileCheck %s --implicit-check-not=seq.positions

// An entry takes positions once, for itself and for the bodies that it scans, which get them as an invariant. Where one
// asks, both entries take them; functions that are no entries stay as they are.

// CHECK-LABEL: func private @layer
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<2x8x16xf32>, %[[TABLE:[a-z0-9]+]]: tensor<8x16xf32>, %[[P:[a-z0-9]+]]: tensor<2x8xi32>)
func.func private @layer(%x: tensor<2x8x16xf32>, %table: tensor<8x16xf32>) -> tensor<2x8x16xf32> {
  %at = seq.positions : tensor<2x8xi32>
  // CHECK: seq.embed %[[P]], %[[TABLE]]
  %e = seq.embed %at, %table : tensor<2x8xi32>, tensor<8x16xf32> -> tensor<2x8x16xf32>
  %y = arith.addf %x, %e : tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}
// CHECK-LABEL: func @gradients
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<2x8xi32>, %[[AT:[a-z0-9]+]]: tensor<2x8xi32> {seq.input = "positions"}, %[[W:[a-z0-9]+]]: tensor<8x16xf32>
func.func @gradients(%tokens: tensor<2x8xi32>, %table: tensor<8x16xf32>) -> tensor<2x8x16xf32>
    attributes {seq.entry = #seq<entry_kind training>} {
  %at = seq.positions : tensor<2x8xi32>
  // CHECK: %[[E:.*]] = seq.embed %[[AT]], %[[W]]
  %e = seq.embed %at, %table : tensor<2x8xi32>, tensor<8x16xf32> -> tensor<2x8x16xf32>
  // CHECK: seq.scan @layer trips 3 carry(%[[E]]) slices() invariants(%[[W]], %[[AT]])
  %0 = seq.scan @layer trips 3 carry(%e) slices() invariants(%table) : (tensor<2x8x16xf32>, tensor<8x16xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
// CHECK-LABEL: func @evaluate
// CHECK-SAME: (%{{[a-z0-9]+}}: tensor<2x8xi32>, %{{[a-z0-9]+}}: tensor<2x8xi32> {seq.input = "positions"}) ->
func.func @evaluate(%tokens: tensor<2x8xi32>) -> tensor<2x8xi32> attributes {seq.entry = #seq<entry_kind evaluation>} {
  return %tokens : tensor<2x8xi32>
}
