// RUN: stretto-opt %s --split-input-file --kern-plan-memory --kern-emit-host | FileCheck %s

// Embeddings that name a kernel are launches of it: operands, then results; the others are calls.
module attributes {kern.cpu = "generic", kern.target = "cpu"} {
llvm.func @gradients.embed0(%buffers: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) attributes {kern.chunks = 1 : i64} {
  llvm.return
}
llvm.func @gradients.embed1(%buffers: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) attributes {kern.chunks = 1 : i64} {
  llvm.return
}
seq.parameter @e parts [#seq.part<"embed.weight", 12, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<12x8xf64>
func.func @gradients(%tokens: tensor<2x8xi32>) {
  %e = seq.get_parameter @e : tensor<12x8xf64>
  %x = seq.embed %tokens, %e : tensor<2x8xi32>, tensor<12x8xf64> -> tensor<2x8x8xf64> {kern.kernel = "gradients.embed0"}
  %y = seq.embed %tokens, %e : tensor<2x8xi32>, tensor<12x8xf64> -> tensor<2x8x8xf64>
  %d = seq.embed_grad %tokens, %y : tensor<2x8xi32>, tensor<2x8x8xf64> -> tensor<12x8xf64>
  %s = seq.embed_grad %tokens, %x accumulate %d : tensor<12x8xf64> : tensor<2x8xi32>, tensor<2x8x8xf64> -> tensor<12x8xf64> {kern.kernel = "gradients.embed1"}
  seq.gradient @e, %s : tensor<12x8xf64>
  return
}
}
// CHECK-LABEL: llvm.func internal @host.gradients
// CHECK: llvm.mlir.addressof @stretto.kernels
// CHECK: llvm.call @stretto_launch
// CHECK: llvm.call @stretto_embed(
// CHECK: llvm.call @stretto_embed_grad(
// CHECK: llvm.call @stretto_launch
