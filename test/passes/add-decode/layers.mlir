// RUN: stretto-opt %s --seq-add-decode=chunk=4 | FileCheck %s

// A loop over layers with a tap, attention and rows of a table: caches are stacked, one of each kind for both entries, and
// the rows of the table are fetched once.

seq.parameter @w parts [#seq.part<"layers.{}.w.weight", 16, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x16x16xf32>
seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

func.func private @layers(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x8x16xf32>
  %1 = seq.tap %x by -2 : tensor<2x8x16xf32>
  %2 = seq.tap %x by -1 : tensor<2x8x16xf32>
  %3 = arith.addf %1, %2 : tensor<2x8x16xf32>
  %q = seq.linear %3, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %table = seq.table rotary_cos half_split rotated 8 theta 1.0e4 : tensor<8x8xf32>
  %cos = seq.broadcast %table dims [1, 3] : tensor<8x8xf32> -> tensor<2x8x2x8xf32>
  %heads = seq.reshape %q : tensor<2x8x16xf32> -> tensor<2x8x2x8xf32>
  %4 = arith.mulf %heads, %cos : tensor<2x8x2x8xf32>
  %5 = seq.reshape %4 : tensor<2x8x2x8xf32> -> tensor<2x8x16xf32>
  %o, %lse = seq.attention %5, %5, %q heads 2 kv_heads 2 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x2x8xf32>
  %6 = arith.maximumf %o, %zero : tensor<2x8x16xf32>
  return %6 : tensor<2x8x16xf32>
}
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x64xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %w = seq.get_parameter @w : tensor<3x16x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.scan @layers trips 3 carry(%0) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<3x16x16xf32>) -> tensor<2x8x16xf32>
  %2 = seq.linear %1, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  return %2 : tensor<2x8x64xf32>
}

// CHECK: func @main
// CHECK-LABEL: func @decode_one(%{{.*}}: tensor<2x1xi32>, %{{.*}}: tensor<2x1xi32>, %{{.*}}: tensor<2xi32>) -> tensor<2x1x64xf32>
// CHECK: seq.scan @layers.decode_one
// CHECK-LABEL: func private @layers.decode_one(
// Two rows back and four of the longest call.
// CHECK-DAG: seq.cache @layers.cache0 stacked : tensor<3x2x6x16xf32>
// CHECK-DAG: seq.cache @layers.cache1 stacked : tensor<3x2x8x16xf32>
// CHECK-DAG: seq.cache @layers.cache2 stacked : tensor<3x2x8x16xf32>
// CHECK-NOT: seq.cache
// CHECK-LABEL: func @decode_chunk(
// CHECK-SAME: %[[T:.*]]: tensor<2x4xi32>, %[[P:.*]]: tensor<2x4xi32>, %[[N:.*]]: tensor<2xi32>) -> tensor<2x1x64xf32>
// CHECK: %[[X:.*]] = seq.embed %[[T]], %{{.*}} -> tensor<2x4x16xf32>
// CHECK: %[[ROWS:.*]] = seq.embed %[[P]], %{{.*}} : tensor<2x4xi32>, tensor<8x8xf32> -> tensor<2x4x8xf32>
// CHECK: %[[C0:.*]] = seq.get_cache @layers.cache0
// CHECK: %[[C1:.*]] = seq.get_cache @layers.cache1
// CHECK: %[[C2:.*]] = seq.get_cache @layers.cache2
// CHECK: %[[Y:.*]] = seq.scan @layers.decode_chunk trips 3 carry(%[[X]]) slices(%{{.*}}, %[[C0]], %[[C1]], %[[C2]]) invariants(
// CHECK: %[[LAST:.*]] = seq.last_row %[[Y]] valid %[[N]]
// CHECK: seq.linear %[[LAST]], %{{.*}} : tensor<2x1x16xf32>, tensor<64x16xf32> -> tensor<2x1x64xf32>
// CHECK-LABEL: func private @layers.decode_chunk(
// CHECK-SAME: %[[X:.*]]: tensor<2x4x16xf32>, %{{.*}}: tensor<16x16xf32>, %[[C0:.*]]: tensor<2x6x16xf32>, %[[C1:.*]]: tensor<2x8x16xf32>, %[[C2:.*]]: tensor<2x8x16xf32>
// CHECK: %[[NEW:.*]] = seq.write_cache %[[C0]], %[[X]]
// CHECK: seq.read_cache %[[NEW]] at %{{.*}} back 2
// CHECK-NOT: seq.write_cache
// CHECK: seq.read_cache %[[NEW]] at %{{.*}} back 1
// CHECK: seq.broadcast %{{.*}} dims [0, 1, 3] : tensor<2x4x8xf32> -> tensor<2x4x2x8xf32>
// CHECK: %[[K:.*]] = seq.write_cache %[[C1]], %[[ROTATED:.*]] at
// CHECK: %[[V:.*]] = seq.write_cache %[[C2]],
// CHECK: seq.attention_step %[[ROTATED]], %[[K]], %[[V]] at
// CHECK: arith.constant dense<0.000000e+00> : tensor<2x4x16xf32>
