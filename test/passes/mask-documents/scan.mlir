// RUN: stretto-opt %s --seq-mask-documents | FileCheck %s

// The rows of tables are taken once for all layers; bodies get them, the positions and the starts of documents as
// invariants. The body of another loop, which looks at no other rows, stays as it is.

module attributes {seq.documents = 5 : i64} {
  // CHECK-LABEL: func private @layer
  // CHECK-SAME: (%[[X:.*]]: tensor<2x8x16xf32>, %[[ROWS:.*]]: tensor<2x8x4xf32>, %[[P:.*]]: tensor<2x8xi32>, %[[S:.*]]: tensor<6xi32>)
  func.func private @layer(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
    %h = seq.reshape %x : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
    // CHECK-NOT: seq.table
    %t = seq.table rotary_cos half_split rotated 4 theta 1.0e4 : tensor<8x4xf32>
    // CHECK: %[[HALF:.*]] = seq.slice %[[ROWS]] at 0 : tensor<2x8x4xf32> -> tensor<2x8x2xf32>
    // CHECK: %[[WHOLE:.*]] = seq.concat %[[HALF]], %[[HALF]] :
    // CHECK: %[[WIDE:.*]] = seq.broadcast %[[WHOLE]] dims [0, 1, 3] : tensor<2x8x4xf32> -> tensor<2x8x4x4xf32>
    %b = seq.broadcast %t dims [1, 3] : tensor<8x4xf32> -> tensor<2x8x4x4xf32>
    // CHECK: arith.mulf %{{.*}}, %[[WIDE]]
    %y = arith.mulf %h, %b : tensor<2x8x4x4xf32>
    %q = seq.reshape %y : tensor<2x8x4x4xf32> -> tensor<2x8x16xf32>
    // CHECK: seq.attention %{{.*}}, %[[X]], %[[X]] positions %[[P]] : tensor<2x8xi32> starts %[[S]] : tensor<6xi32> heads 4
    %o, %lse = seq.attention %q, %x, %x heads 4 kv_heads 4 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
    return %o : tensor<2x8x16xf32>
  }
  // CHECK: func private @pointwise(%{{.*}}: tensor<2x8x16xf32>) ->
  func.func private @pointwise(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
    %0 = math.tanh %x : tensor<2x8x16xf32>
    return %0 : tensor<2x8x16xf32>
  }
  // CHECK-LABEL: func @gradients
  // CHECK-SAME: %[[AT:[a-z0-9]+]]: tensor<2x8xi32> {seq.input = "positions"}, %[[BEGIN:[a-z0-9]+]]: tensor<6xi32> {seq.input = "starts"}
  func.func @gradients(%tokens: tensor<2x8xi32>, %x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
      attributes {seq.entry = #seq<entry_kind training>} {
    // CHECK: %[[T:.*]] = seq.table rotary_cos
    // CHECK: %[[R:.*]] = seq.embed %[[AT]], %[[T]] : tensor<2x8xi32>, tensor<8x4xf32> -> tensor<2x8x4xf32>
    // CHECK: seq.scan @layer trips 3 carry(%{{.*}}) slices() invariants(%[[R]], %[[AT]], %[[BEGIN]])
    %0 = seq.scan @layer trips 3 carry(%x) slices() invariants() : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    // CHECK: seq.scan @pointwise trips 2 carry(%{{.*}}) slices() invariants() :
    %1 = seq.scan @pointwise trips 2 carry(%0) slices() invariants() : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    return %1 : tensor<2x8x16xf32>
  }
}
