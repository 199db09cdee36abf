// RUN: stretto-opt %s --seq-add-decode=chunk=4 | FileCheck %s

// A mixer generates from its state, a matrix of key columns by value columns for each head: there are no rows to keep.

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x12xf32>

func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x64xf32> {
  %e = seq.get_parameter @e : tensor<64x12xf32>
  %x = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x12xf32> -> tensor<2x8x12xf32>
  %q = seq.slice %x at 0 : tensor<2x8x12xf32> -> tensor<2x8x6xf32>
  %g = seq.slice %x at 6 : tensor<2x8x12xf32> -> tensor<2x8x3xf32>
  %y, %s = seq.mixer %q, %q, %x decay %g : tensor<2x8x3xf32> heads 3 key_heads 3 scale 0.5 segment 64 : tensor<2x8x6xf32>, tensor<2x8x12xf32> -> tensor<2x3x1x8xf32>
  %logits = seq.linear %y, %e : tensor<2x8x12xf32>, tensor<64x12xf32> -> tensor<2x8x64xf32>
  return %logits : tensor<2x8x64xf32>
}

// CHECK-LABEL: func @decode_one(
// CHECK-SAME: %{{.*}}: tensor<2x1xi32>, %[[AT:.*]]: tensor<2x1xi32>, %[[COUNT:.*]]: tensor<2xi32>)
// CHECK: %[[STATE:.*]] = seq.get_cache @main.cache0 : tensor<2x6x4xf32>
// CHECK: seq.mixer_step %[[Q:.*]], %[[Q]], %{{.*}} decay %{{.*}} : tensor<2x1x3xf32> state %[[STATE]] at %[[AT]] valid %[[COUNT]] heads 3 key_heads 3 scale 5.000000e-01
// CHECK: seq.cache @main.cache0 : tensor<2x6x4xf32>
// CHECK-NOT: seq.cache
// CHECK-LABEL: func @decode_chunk(
// CHECK-SAME: %{{.*}}: tensor<2x4xi32>, %[[AT:.*]]: tensor<2x4xi32>, %[[COUNT:.*]]: tensor<2xi32>)
// CHECK: %[[STATE:.*]] = seq.get_cache @main.cache0 : tensor<2x6x4xf32>
// CHECK: seq.mixer_step %{{.*}} decay %{{.*}} : tensor<2x4x3xf32> state %[[STATE]] at %[[AT]] valid %[[COUNT]]
