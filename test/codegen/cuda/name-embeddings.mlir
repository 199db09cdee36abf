// RUN: stretto-opt %s --kern-choose-cuda-schedule | FileCheck %s

// Each embedding has a kernel of its own, numbered within its function.
// CHECK: seq.embed {{.*}} {kern.kernel = "gradients.embed0"}
// CHECK: seq.embed_grad {{.*}} {kern.kernel = "gradients.embed1"}
func.func @gradients(%t: tensor<2x8xi32>, %e: tensor<12x8xf32>, %d: tensor<2x8x8xf32>) -> (tensor<2x8x8xf32>, tensor<12x8xf32>) {
  %x = seq.embed %t, %e : tensor<2x8xi32>, tensor<12x8xf32> -> tensor<2x8x8xf32>
  %g = seq.embed_grad %t, %d : tensor<2x8xi32>, tensor<2x8x8xf32> -> tensor<12x8xf32>
  return %x, %g : tensor<2x8x8xf32>, tensor<12x8xf32>
}
