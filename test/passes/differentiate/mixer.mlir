// Of heads that share keys, what is left to be added up of the gradients of q and k: two parts of 16 heads of few columns.
// RUN: stretto-opt %s --seq-differentiate | FileCheck %s

seq.parameter @w parts [#seq.part<"w", 4, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<4x4xf32>

// CHECK-LABEL: func @gradients
// CHECK: %[[D:.*]], %{{.*}}, %{{.*}} = seq.mixer_grad {{.*}} -> tensor<1x64x8xf32>
// CHECK: %[[P:.*]] = seq.reshape %[[D]] : tensor<1x64x8xf32> -> tensor<1x64x1x8xf32>
// CHECK: %[[A:.*]] = seq.slice %[[P]] at 0 : {{.*}} -> tensor<1x64x1x4xf32>
// CHECK: %[[B:.*]] = seq.slice %[[P]] at 4 : {{.*}} -> tensor<1x64x1x4xf32>
// CHECK: arith.addf %[[A]], %[[B]]
func.func @gradients(%x: tensor<1x64x4xf32>, %v: tensor<1x64x32xf32>, %dy: tensor<1x64x32xf32>) {
  %w = seq.get_parameter @w : tensor<4x4xf32>
  %q = seq.linear %x, %w : tensor<1x64x4xf32>, tensor<4x4xf32> -> tensor<1x64x4xf32>
  %y = seq.mixer %q, %x, %v heads 32 key_heads 1 scale 1.0 segment 64 : tensor<1x64x4xf32>, tensor<1x64x32xf32>
  seq.backward of(%y) from(%dy) : tensor<1x64x32xf32>
  return
}
