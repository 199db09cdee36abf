// RUN: stretto-opt %s --kern-name-cuda-kernels | FileCheck %s

// Each embedding and each operation on caches has a kernel of its own, numbered by its kind within its function. A walk
// may have a name before.
// CHECK: seq.embed {{.*}} {kern.kernel = "gradients.embed0"}
// CHECK: seq.embed_grad {{.*}} {kern.kernel = "gradients.embed1"}
// CHECK: kern.walk kernel "gradients.walk0"(
// CHECK: kern.walk kernel "mine"(
// CHECK: seq.embed {{.*}} {kern.kernel = "decode_one.embed0"}
// CHECK: seq.write_cache {{.*}}kern.kernel = "decode_one.decode0"
// CHECK: seq.read_cache {{.*}}kern.kernel = "decode_one.decode1"
func.func @gradients(%t: tensor<2x8xi32>, %e: tensor<12x8xf32>, %d: tensor<2x8x8xf32>) -> (tensor<2x8x8xf32>, tensor<12x8xf32>) {
  %x = seq.embed %t, %e : tensor<2x8xi32>, tensor<12x8xf32> -> tensor<2x8x8xf32>
  %g = seq.embed_grad %t, %d : tensor<2x8xi32>, tensor<2x8x8xf32> -> tensor<12x8xf32>
  %a = kern.walk (%x) windows [<rows 1>] -> [<rows 1>] programs 1 chunk 8 span 1 {
  ^bb0(%tile: tensor<8x8xf32>):
    kern.yield %tile : tensor<8x8xf32>
  } : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %b = kern.walk kernel "mine" (%a) windows [<rows 1>] -> [<rows 1>] programs 1 chunk 8 span 1 {
  ^bb0(%tile: tensor<8x8xf32>):
    kern.yield %tile : tensor<8x8xf32>
  } : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  return %b, %g : tensor<2x8x8xf32>, tensor<12x8xf32>
}
func.func @decode_one(%t: tensor<2x1xi32>, %p: tensor<2x1xi32>, %n: tensor<2xi32>, %e: tensor<12x8xf32>, %c: tensor<2x4x8xf32>) -> tensor<2x1x8xf32> {
  %x = seq.embed %t, %e : tensor<2x1xi32>, tensor<12x8xf32> -> tensor<2x1x8xf32>
  %w = seq.write_cache %c, %x at %p valid %n : (tensor<2x4x8xf32>, tensor<2x1x8xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4x8xf32>
  %r = seq.read_cache %w at %p back 1 : (tensor<2x4x8xf32>, tensor<2x1xi32>) -> tensor<2x1x8xf32>
  return %r : tensor<2x1x8xf32>
}
