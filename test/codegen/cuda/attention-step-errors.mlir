// RUN: not stretto-opt %s --kern-name-cuda-kernels --kern-lower-cuda-kernels 2>&1 | FileCheck %s

// Each of four warps keeps two numbers and a head: 3070 columns would fit.
// CHECK: error: 'seq.attention_step' op has heads that take 49168 bytes of shared memory, but a block has 49152 for them at most
func.func @step(%q: tensor<1x1x3071xf32>, %k: tensor<1x8x3071xf32>, %p: tensor<1x1xi32>, %n: tensor<1xi32>) -> tensor<1x1x3071xf32> {
  %0 = seq.attention_step %q, %k, %k at %p valid %n heads 1 kv_heads 1 scale 0.5 : (tensor<1x1x3071xf32>, tensor<1x8x3071xf32>, tensor<1x8x3071xf32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<1x1x3071xf32>
  return %0 : tensor<1x1x3071xf32>
}
