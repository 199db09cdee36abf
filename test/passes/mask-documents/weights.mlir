// RUN: stretto-opt %s --seq-mask-documents | FileCheck %s

// Repeating a row of a weight over its other rows is nothing along the batch.

module attributes {seq.documents = 5 : i64} {
  // CHECK-LABEL: func @gradients
  func.func @gradients(%t: tensor<2x16xi32>, %row: tensor<16xf32>, %w: tensor<2x16xf32>) -> tensor<2x16x16xf32> attributes {seq.entry = #seq<entry_kind training>} {
    // CHECK: seq.broadcast %{{.*}} dims [1] : tensor<16xf32> -> tensor<2x16xf32>
    %rows = seq.broadcast %row dims [1] : tensor<16xf32> -> tensor<2x16xf32>
    %table = arith.mulf %w, %rows : tensor<2x16xf32>
    %x = seq.embed %t, %table : tensor<2x16xi32>, tensor<2x16xf32> -> tensor<2x16x16xf32>
    return %x : tensor<2x16x16xf32>
  }
}
