// RUN: stretto-opt %s --seq-mask-documents | FileCheck %s

// What is read some tokens back, or ahead, lies in the same document, or is zero. Training and evaluation take the
// positions right behind the tokens.

module attributes {seq.documents = 0 : i64} {
  // CHECK-LABEL: func @evaluate
  // CHECK-SAME: (%{{.*}}: tensor<2x8xi32>, %[[P:.*]]: tensor<2x8xi32> {seq.input = "positions"}, %[[X:.*]]: tensor<2x8x16xf32>)
  func.func @evaluate(%tokens: tensor<2x8xi32>, %x: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>)
      attributes {seq.entry = #seq<entry_kind evaluation>} {
    // CHECK: %[[REAL:.*]] = arith.sitofp %[[P]] : tensor<2x8xi32> to tensor<2x8xf32>
    // CHECK: %[[T:.*]] = seq.tap %[[X]] by -2
    // CHECK: %[[K:.*]] = arith.constant dense<1.000000e+00> : tensor<2x8xf32>
    // CHECK: %[[C:.*]] = arith.cmpf ogt, %[[REAL]], %[[K]]
    // CHECK: %[[B:.*]] = seq.broadcast %[[C]] dims [0, 1] : tensor<2x8xi1> -> tensor<2x8x16xi1>
    // CHECK: %[[PAST:.*]] = arith.select %[[B]], %[[T]], %{{.*}}
    %0 = seq.tap %x by -2 : tensor<2x8x16xf32>
    // CHECK: %[[U:.*]] = seq.tap %[[X]] by 1
    // CHECK: %[[AHEAD:.*]] = seq.tap %[[REAL]] by 1 : tensor<2x8xf32>
    // CHECK: arith.cmpf ogt, %[[AHEAD]], %{{.*}}
    // CHECK: %[[FUTURE:.*]] = arith.select %{{.*}}, %[[U]], %{{.*}}
    %1 = seq.tap %x by 1 : tensor<2x8x16xf32>
    // CHECK: return %[[PAST]], %[[FUTURE]]
    return %0, %1 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
  }

  // CHECK-LABEL: func @update
  // CHECK-NOT: seq.input
  func.func @update(%x: tensor<2x8x16xf32>) {
    return
  }
}
