// RUN: stretto-opt %s --seq-mask-documents --canonicalize --cse --seq-differentiate --canonicalize --cse --seq-simplify-taps --canonicalize --cse | FileCheck %s

// The gradients of a value that is tapped and of the factor it meets there read one and the same masked value.

module attributes {seq.documents = 0 : i64} {
  seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16xf32>
  seq.parameter @u parts [#seq.part<"u", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16xf32>
  // CHECK-LABEL: func @gradients
  // CHECK-SAME: %[[DY:[a-z0-9]*]]: tensor<2x8x16xf32>)
  func.func @gradients(%tokens: tensor<2x8xi32>, %x: tensor<2x8x16xf32>, %dy: tensor<2x8x16xf32>)
      attributes {seq.entry = #seq<entry_kind training>} {
    %w = seq.get_parameter @w : tensor<16xf32>
    %u = seq.get_parameter @u : tensor<16xf32>
    %ub = seq.broadcast %u dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
    %wb = seq.broadcast %w dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
    %z = arith.mulf %x, %ub : tensor<2x8x16xf32>
    %t = seq.tap %z by -1 : tensor<2x8x16xf32>
    %y = arith.mulf %t, %wb : tensor<2x8x16xf32>
    // CHECK: %[[M:.*]] = arith.select %{{.*}}, %[[DY]], %{{.*}} : tensor<2x8x16xi1>, tensor<2x8x16xf32>
    // CHECK-NEXT: %[[T:.*]] = seq.tap %[[M]] by 1
    // CHECK-NOT: seq.tap
    // CHECK-DAG: arith.mulf %[[T]], %{{.*}}
    // CHECK-DAG: seq.gradient @w
    // CHECK-DAG: seq.gradient @u
    seq.backward of(%y) from(%dy) : tensor<2x8x16xf32>
    return
  }
}
