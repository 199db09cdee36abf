// RUN: stretto-opt %s | stretto-opt | FileCheck %s

// CHECK: seq.cache @keys stacked : tensor<3x2x8x16xf32>
seq.cache @keys stacked : tensor<3x2x8x16xf32>
// CHECK: seq.cache @rows : tensor<2x7x16xf32>
seq.cache @rows : tensor<2x7x16xf32>

// CHECK-LABEL: func @step
func.func @step(%x: tensor<2x4x16xf32>, %k: tensor<2x8x16xf32>, %p: tensor<2x4xi32>, %n: tensor<2xi32>, %s: tensor<2xf32>, %d: tensor<2x8x2xf32>, %b: tensor<2x6xf32>) -> tensor<2x1x16xf32> {
  // CHECK: seq.get_cache @rows : tensor<2x7x16xf32>
  %0 = seq.get_cache @rows : tensor<2x7x16xf32>
  // CHECK: seq.write_cache %{{.*}}, %{{.*}} at %{{.*}} valid %{{.*}} : (tensor<2x7x16xf32>, tensor<2x4x16xf32>, tensor<2x4xi32>, tensor<2xi32>) -> tensor<2x7x16xf32>
  %1 = seq.write_cache %0, %x at %p valid %n : (tensor<2x7x16xf32>, tensor<2x4x16xf32>, tensor<2x4xi32>, tensor<2xi32>) -> tensor<2x7x16xf32>
  // CHECK: seq.read_cache %{{.*}} at %{{.*}} back 3
  %2 = seq.read_cache %1 at %p back 3 : (tensor<2x7x16xf32>, tensor<2x4xi32>) -> tensor<2x4x16xf32>
  // CHECK: seq.attention_step %{{.*}}, %{{.*}}, %{{.*}} at %{{.*}} valid %{{.*}} heads 2 kv_heads 2 scale 5.000000e-01 window 5 alibi cap 3.000000e+01 :
  %3 = seq.attention_step %2, %k, %k at %p valid %n heads 2 kv_heads 2 scale 0.5 window 5 alibi cap 30.0 : (tensor<2x4x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x4xi32>, tensor<2xi32>) -> tensor<2x4x16xf32>
  // CHECK: seq.last_row %{{.*}} valid %{{.*}} : (tensor<2x4x16xf32>, tensor<2xi32>) -> tensor<2x1x16xf32>
  %4 = seq.last_row %3 valid %n : (tensor<2x4x16xf32>, tensor<2xi32>) -> tensor<2x1x16xf32>
  // CHECK: seq.attention_step %{{.*}} valid %{{.*}} sinks %{{.*}} heads 2 kv_heads 2
  %5 = seq.attention_step %2, %k, %k at %p valid %n sinks %s heads 2 kv_heads 2 scale 0.5 : (tensor<2x4x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x4xi32>, tensor<2xi32>, tensor<2xf32>) -> tensor<2x4x16xf32>
  // CHECK: seq.attention_step %{{.*}} valid %{{.*}} decay %{{.*}} heads 2 kv_heads 2
  %6 = seq.attention_step %2, %k, %k at %p valid %n decay %d heads 2 kv_heads 2 scale 0.5 : (tensor<2x4x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x4xi32>, tensor<2xi32>, tensor<2x8x2xf32>) -> tensor<2x4x16xf32>
  // CHECK: seq.attention_step %{{.*}} valid %{{.*}} bias %{{.*}} heads 2 kv_heads 2
  %7 = seq.attention_step %2, %k, %k at %p valid %n bias %b heads 2 kv_heads 2 scale 0.5 : (tensor<2x4x16xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x4xi32>, tensor<2xi32>, tensor<2x6xf32>) -> tensor<2x4x16xf32>
  return %4 : tensor<2x1x16xf32>
}
