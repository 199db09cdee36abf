// RUN: stretto-opt %s --seq-mask-documents --seq-give-positions | FileCheck %s --implicit-check-not=seq.positions

// Positions are those in documents, and the one input that a program with masked documents takes anyway.

module attributes {seq.documents = 0 : i64} {
  // CHECK-LABEL: func @evaluate
  // CHECK-SAME: (%[[T:[a-z0-9]+]]: tensor<2x8xi32>, %[[P:[a-z0-9]+]]: tensor<2x8xi32> {seq.input = "positions"}, %[[W:[a-z0-9]+]]: tensor<8x16xf32>) ->
  func.func @evaluate(%tokens: tensor<2x8xi32>, %table: tensor<8x16xf32>) -> tensor<2x8x16xf32>
      attributes {seq.entry = #seq<entry_kind evaluation>} {
    // CHECK: seq.embed %[[P]], %[[W]]
    %at = seq.positions : tensor<2x8xi32>
    %0 = seq.embed %at, %table : tensor<2x8xi32>, tensor<8x16xf32> -> tensor<2x8x16xf32>
    return %0 : tensor<2x8x16xf32>
  }
}
