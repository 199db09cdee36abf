// RUN: stretto-opt %s --seq-add-decode=chunk=4 | FileCheck %s

// A decay is kept beside keys and values, as far as a window reaches.

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

// CHECK-DAG: seq.cache @main.cache0 : tensor<2x6x16xf32>
// CHECK-DAG: seq.cache @main.cache1 : tensor<2x6x16xf32>
// CHECK-DAG: seq.cache @main.cache2 : tensor<2x6x4xf32>
// CHECK-NOT: seq.cache
// CHECK-LABEL: func @decode_chunk(
// CHECK: %[[DECAY:.*]] = seq.reduce
// CHECK: %[[D:.*]] = seq.write_cache %{{.*}}, %[[DECAY]]
// CHECK: seq.attention_step {{.*}} decay %[[D]] heads 4 {{.*}} window 3 :
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x64xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %heads = seq.reshape %0 : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
  %decay = seq.reduce min %heads : tensor<2x8x4x4xf32> -> tensor<2x8x4xf32>
  %1, %lse = seq.attention %0, %0, %0 decay %decay : tensor<2x8x4xf32> heads 4 kv_heads 4 scale 0.5 causal window 3 : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
  %2 = seq.linear %1, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  return %2 : tensor<2x8x64xf32>
}
