// Remarks say which rows the library multiplies by the weights of experts.
// RUN: stretto-opt %s --kern-name-cuda-kernels -remarks-filter=kernels -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// CHECK: {{\[}}Missed] Experts | {{.*}}Function=exact{{.*}} all rows by the weights of all experts; by those of their own alone in bf16, with columns that are a multiple of 8 and fewer than 1024 experts
func.func @exact(%x: tensor<2x8x16xf32>, %g: tensor<2x8x4xf32>, %w: tensor<128x16xf32>) -> tensor<2x8x64xf32> {
  %y = seq.expert_linear %x, %g, %w chosen 2 : tensor<2x8x16xf32>, tensor<2x8x4xf32>, tensor<128x16xf32> -> tensor<2x8x64xf32>
  return %y : tensor<2x8x64xf32>
}

// CHECK: {{\[}}Passed] Experts | {{.*}}Function=rounded{{.*}} rows by the weights of their own experts
func.func @rounded(%x: tensor<2x8x16xbf16>, %u: tensor<2x8x64xbf16>, %g: tensor<2x8x4xf32>) -> tensor<128x16xf32> {
  %dw = seq.expert_linear_weight_grad %u, %g, %x chosen 2 : tensor<2x8x64xbf16>, tensor<2x8x4xf32>, tensor<2x8x16xbf16> -> tensor<128x16xf32>
  return %dw : tensor<128x16xf32>
}

// CHECK: {{\[}}Missed] Experts | {{.*}}Function=odd
func.func @odd(%x: tensor<2x8x16xbf16>, %u: tensor<2x8x24xbf16>, %g: tensor<2x8x4xf32>, %v: tensor<64x12xbf16>) -> tensor<2x8x24xbf16> {
  %du, %dg = seq.expert_sum_input_grad %x, %u, %g, %v chosen 2 : tensor<2x8x16xbf16>, tensor<2x8x24xbf16>, tensor<2x8x4xf32>, tensor<64x12xbf16>
  return %du : tensor<2x8x24xbf16>
}
