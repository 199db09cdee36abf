// RUN: stretto-opt %s --split-input-file --kern-plan-memory --kern-emit-host --verify-diagnostics

// All uses of a kernel give it buffers of the same sizes.
module attributes {kern.cpu = "generic", kern.target = "cpu"} {
llvm.func @k(%buffers: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) attributes {kern.chunks = 1 : i64} {
  llvm.return
}
seq.parameter @e parts [#seq.part<"e", 12, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<12x8xf64>
seq.parameter @f parts [#seq.part<"f", 6, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<6x8xf64>
func.func @gradients(%tokens: tensor<2x8xi32>) {
  %e = seq.get_parameter @e : tensor<12x8xf64>
  %f = seq.get_parameter @f : tensor<6x8xf64>
  // expected-note @+1 {{used here first}}
  %x = seq.embed %tokens, %e : tensor<2x8xi32>, tensor<12x8xf64> -> tensor<2x8x8xf64> {kern.kernel = "k"}
  // expected-error @+1 {{must give kernel 'k' buffers of the sizes that its other uses give it}}
  %y = seq.embed %tokens, %f : tensor<2x8xi32>, tensor<6x8xf64> -> tensor<2x8x8xf64> {kern.kernel = "k"}
  return
}
}

// -----

module attributes {kern.cpu = "generic", kern.target = "cpu"} {
llvm.func @k(%buffers: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) attributes {kern.chunks = 1 : i64} {
  llvm.return
}
seq.parameter @e parts [#seq.part<"e", 12, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<12x8xf64>
func.func @gradients(%tokens: tensor<2x8xi32>) {
  %e = seq.get_parameter @e : tensor<12x8xf64>
  // expected-note @+1 {{used here first}}
  %x = seq.embed %tokens, %e : tensor<2x8xi32>, tensor<12x8xf64> -> tensor<2x8x8xf64> {kern.kernel = "k"}
  %d = seq.embed_grad %tokens, %x : tensor<2x8xi32>, tensor<2x8x8xf64> -> tensor<12x8xf64>
  // expected-error @+1 {{must give kernel 'k' 3 buffers as its other uses do, but got 4}}
  %s = seq.embed_grad %tokens, %x accumulate %d : tensor<12x8xf64> : tensor<2x8xi32>, tensor<2x8x8xf64> -> tensor<12x8xf64> {kern.kernel = "k"}
  seq.gradient @e, %s : tensor<12x8xf64>
  return
}
}
