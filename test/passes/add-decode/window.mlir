// RUN: stretto-opt %s --seq-add-decode=chunk=4 | FileCheck %s

// Caches of a window hold what the rows of the longest call see; a window that hides nothing of a sequence is none.

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>

// CHECK-DAG: seq.cache @main.cache0 : tensor<2x6x16xf32>
// CHECK-DAG: seq.cache @main.cache1 : tensor<2x6x16xf32>
// CHECK-DAG: seq.cache @main.cache2 : tensor<2x8x16xf32>
// CHECK-DAG: seq.cache @main.cache3 : tensor<2x8x16xf32>
// CHECK-NOT: seq.cache
// CHECK-LABEL: func @decode_chunk(
// CHECK: %[[K:.*]] = seq.write_cache
// CHECK: %[[V:.*]] = seq.write_cache
// CHECK: seq.attention_step %{{.*}}, %[[K]], %[[V]] {{.*}} scale 5.000000e-01 window 3 :
// CHECK: seq.attention_step {{.*}} scale 5.000000e-01 :
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x64xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
  %1, %lse1 = seq.attention %0, %0, %0 heads 2 kv_heads 2 scale 0.5 causal window 3 : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x2x8xf32>
  %2, %lse2 = seq.attention %1, %1, %1 heads 2 kv_heads 2 scale 0.5 causal window 8 : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16xf32>, tensor<2x2x8xf32>
  %3 = seq.linear %2, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
  return %3 : tensor<2x8x64xf32>
}
