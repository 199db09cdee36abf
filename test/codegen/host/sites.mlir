// RUN: stretto-opt %s --kern-plan-memory --kern-emit-host -o %t.host.mlir
// RUN: mlir-translate --mlir-to-llvmir %t.host.mlir | llc -O1 -relocation-model=pic -filetype=obj -o %t.o
// RUN: %cxx -O1 -std=c++20 -I%root %root/test/support/plain_runtime.cpp %t.o -o %t.exe
// RUN: %t.exe sites | FileCheck %s

// Which buffer of its call a result is, and which the weight: in the order of the argument struct, or of the launch.

// CHECK: embed writes buffer 2, weight 1
// CHECK-NEXT: embed writes buffer 2, weight 1
// CHECK-NEXT: linear writes buffer 2, weight 1
// CHECK-NEXT: linear writes buffer 2, weight 1
// CHECK-NEXT: attention writes buffer 3, weight -1
// CHECK-NEXT: attention writes buffer 4, weight -1
// CHECK-NEXT: attention writes buffer 3, weight -1
// CHECK-NEXT: attention writes buffer 4, weight -1
// CHECK-NEXT: attention_grad writes buffer 12, weight -1
// CHECK-NEXT: attention_grad writes buffer 13, weight -1
// CHECK-NEXT: attention_grad writes buffer 14, weight -1
// CHECK-NEXT: linear_input_grad writes buffer 2, weight 1
// CHECK-NEXT: linear_weight_grad writes buffer 2, weight -1
// CHECK-NEXT: linear_weight_grad writes buffer 2, weight -1
// CHECK-NEXT: embed_grad writes buffer 2, weight -1
// CHECK-NEXT: embed_grad writes buffer 3, weight -1
// CHECK-NEXT: writes buffer 1, weight -1
// CHECK-NOT: writes

module attributes {seq.batch = 2 : i64, seq.length = 8 : i64, seq.vocabulary = 12 : i64, kern.cpu = "generic", kern.target = "cpu"} {
llvm.func @embed(%buffers: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) attributes {kern.chunks = 1 : i64} {
  llvm.return
}
llvm.func @embed_grad(%buffers: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) attributes {kern.chunks = 1 : i64} {
  llvm.return
}
llvm.func @sum(%buffers: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) attributes {kern.chunks = 1 : i64} {
  llvm.return
}
seq.parameter @e parts [#seq.part<"e", 12, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<12x8xf64>
seq.parameter @w parts [#seq.part<"w", 8, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<8x8xf64>
func.func @gradients(%tokens: tensor<2x8xi32>, %positions: tensor<2x8xi32>) -> tensor<8xf64> {
  %e = seq.get_parameter @e : tensor<12x8xf64>
  %w = seq.get_parameter @w : tensor<8x8xf64>
  %x = seq.embed %tokens, %e : tensor<2x8xi32>, tensor<12x8xf64> -> tensor<2x8x8xf64>
  %y = seq.embed %tokens, %e : tensor<2x8xi32>, tensor<12x8xf64> -> tensor<2x8x8xf64> {kern.kernel = "embed"}
  %q = seq.linear %x, %w : tensor<2x8x8xf64>, tensor<8x8xf64> -> tensor<2x8x8xf64>
  %k = seq.linear %y, %w add %q : tensor<2x8x8xf64>, tensor<8x8xf64> -> tensor<2x8x8xf64>
  %o, %lse = seq.attention %q, %k, %k heads 2 kv_heads 2 scale 0.5 causal : tensor<2x8x8xf64>, tensor<2x8x8xf64>, tensor<2x8x8xf64> -> tensor<2x8x8xf64>, tensor<2x2x8xf64>
  %p, %sums = seq.attention %o, %k, %k positions %positions : tensor<2x8xi32> heads 2 kv_heads 2 scale 0.5 causal : tensor<2x8x8xf64>, tensor<2x8x8xf64>, tensor<2x8x8xf64> -> tensor<2x8x8xf64>, tensor<2x2x8xf64>
  %dq, %dk, %dv = seq.attention_grad %o, %q, %k, %k, %p, %sums heads 2 kv_heads 2 scale 0.5 causal : tensor<2x8x8xf64>, tensor<2x8x8xf64>, tensor<2x8x8xf64>, tensor<2x8x8xf64>, tensor<2x2x8xf64>
  %dx = seq.linear_input_grad %dq, %w : tensor<2x8x8xf64>, tensor<8x8xf64> -> tensor<2x8x8xf64>
  %d0 = seq.linear_weight_grad %dk, %x : tensor<2x8x8xf64>, tensor<2x8x8xf64> -> tensor<8x8xf64>
  %d1 = seq.linear_weight_grad %dv, %x accumulate %d0 : tensor<8x8xf64> : tensor<2x8x8xf64>, tensor<2x8x8xf64> -> tensor<8x8xf64>
  seq.gradient @w, %d1 : tensor<8x8xf64>
  %e0 = seq.embed_grad %tokens, %dx : tensor<2x8xi32>, tensor<2x8x8xf64> -> tensor<12x8xf64>
  %e1 = seq.embed_grad %tokens, %y accumulate %e0 : tensor<12x8xf64> : tensor<2x8xi32>, tensor<2x8x8xf64> -> tensor<12x8xf64> {kern.kernel = "embed_grad"}
  seq.gradient @e, %e1 : tensor<12x8xf64>
  %flat = seq.reshape %lse : tensor<2x2x8xf64> -> tensor<4x8xf64>
  %s = kern.sum_partials kernel "sum" %flat : tensor<4x8xf64> -> tensor<8xf64>
  return %s : tensor<8xf64>
}
}
