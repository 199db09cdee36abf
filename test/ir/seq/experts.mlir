// Matmuls of experts: those of a model in f32, and of one in bf16 whose gates and sums are f32.
// RUN: stretto-opt %s --verify-roundtrip | FileCheck %s

func.func private @experts(%x: tensor<2x8x16xf32>, %u: tensor<2x8x64xf32>, %g: tensor<2x8x4xf32>, %w: tensor<128x16xf32>, %v: tensor<64x32xf32>) {
  // CHECK: seq.expert_linear %{{.*}}, %{{.*}}, %{{.*}} chosen 2 : tensor<2x8x16xf32>, tensor<2x8x4xf32>, tensor<128x16xf32> -> tensor<2x8x64xf32>
  %0 = seq.expert_linear %x, %g, %w chosen 2 : tensor<2x8x16xf32>, tensor<2x8x4xf32>, tensor<128x16xf32> -> tensor<2x8x64xf32>
  // CHECK: seq.expert_sum %{{.*}}, %{{.*}}, %{{.*}} chosen 2 : tensor<2x8x64xf32>, tensor<2x8x4xf32>, tensor<64x32xf32> -> tensor<2x8x16xf32>
  %1 = seq.expert_sum %u, %g, %v chosen 2 : tensor<2x8x64xf32>, tensor<2x8x4xf32>, tensor<64x32xf32> -> tensor<2x8x16xf32>
  // CHECK: seq.expert_linear_weight_grad %{{.*}}, %{{.*}}, %{{.*}} chosen 2 :
  %2 = seq.expert_linear_weight_grad %u, %g, %x chosen 2 : tensor<2x8x64xf32>, tensor<2x8x4xf32>, tensor<2x8x16xf32> -> tensor<128x16xf32>
  // CHECK: seq.expert_sum_weight_grad %{{.*}}, %{{.*}}, %{{.*}} accumulate %{{.*}} : tensor<64x32xf32> chosen 2 :
  %3 = seq.expert_sum_weight_grad %x, %g, %u accumulate %v : tensor<64x32xf32> chosen 2 : tensor<2x8x16xf32>, tensor<2x8x4xf32>, tensor<2x8x64xf32> -> tensor<64x32xf32>
  return
}

func.func private @rounded(%x: tensor<2x8x16xbf16>, %u: tensor<2x8x64xbf16>, %g: tensor<2x8x4xf32>, %w: tensor<128x16xbf16>, %v: tensor<64x32xbf16>, %dw: tensor<128x16xf32>) {
  // CHECK: seq.expert_linear_input_grad %{{.*}}, %{{.*}}, %{{.*}} chosen 2 : tensor<2x8x64xbf16>, tensor<2x8x4xf32>, tensor<128x16xbf16> -> tensor<2x8x16xf32>
  %0 = seq.expert_linear_input_grad %u, %g, %w chosen 2 : tensor<2x8x64xbf16>, tensor<2x8x4xf32>, tensor<128x16xbf16> -> tensor<2x8x16xf32>
  // CHECK: %{{.*}}, %{{.*}} = seq.expert_sum_input_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} chosen 2 :
  %1, %2 = seq.expert_sum_input_grad %x, %u, %g, %v chosen 2 : tensor<2x8x16xbf16>, tensor<2x8x64xbf16>, tensor<2x8x4xf32>, tensor<64x32xbf16>
  // CHECK: seq.expert_linear_weight_grad %{{.*}}, %{{.*}}, %{{.*}} accumulate %{{.*}} : tensor<128x16xf32> chosen 2 :
  %3 = seq.expert_linear_weight_grad %u, %g, %x accumulate %dw : tensor<128x16xf32> chosen 2 : tensor<2x8x64xbf16>, tensor<2x8x4xf32>, tensor<2x8x16xbf16> -> tensor<128x16xf32>
  return
}
