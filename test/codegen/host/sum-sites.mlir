// RUN: stretto-opt %s --kern-plan-memory --kern-emit-host -o %t.host.mlir
// RUN: mlir-translate --mlir-to-llvmir %t.host.mlir | llc -O1 -relocation-model=pic -filetype=obj -o %t.o
// RUN: %cxx -O1 -std=c++20 -I%root %root/test/support/plain_runtime.cpp %t.o -o %t.exe
// RUN: %t.exe sites | FileCheck %s

// What a launch of several sums writes is what the parts are that each adds up.

// CHECK: canon writes buffer 1, weight -1
// CHECK-NEXT: rms_norm writes buffer 2, weight -1
// CHECK-NEXT: rms_norm writes buffer 2, weight -1
// CHECK-NEXT: canon writes buffer 3, weight -1

module attributes {seq.batch = 2 : i64, seq.length = 8 : i64, seq.vocabulary = 12 : i64, kern.cpu = "generic", kern.target = "cpu"} {
llvm.func @rows(%buffers: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) attributes {kern.chunks = 1 : i64} {
  llvm.return
}
llvm.func @sums(%buffers: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) attributes {kern.chunks = 1 : i64} {
  llvm.return
}
seq.parameter @e parts [#seq.part<"e", 12, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<12x8xf64>
func.func @gradients(%tokens: tensor<2x8xi32>) -> (tensor<8xf64>, tensor<8xf64>) {
  %e = seq.get_parameter @e : tensor<12x8xf64>
  %x = seq.embed %tokens, %e : tensor<2x8xi32>, tensor<12x8xf64> -> tensor<2x8x8xf64>
  %p:2 = kern.rowwise kernel "rows"(%x) maps [row] schedule #kern.vector_schedule<rows 8, lanes 8, chunk 8> partial_sums {
  ^bb0(%a: tensor<8xf64>):
    %0 = seq.column_sum %a : tensor<8xf64> -> tensor<8xf64> loc(fused<"canon">["model.stretto":4:1])
    %1 = seq.column_sum %a : tensor<8xf64> -> tensor<8xf64> loc(fused<"rms_norm">["model.stretto":3:1])
    kern.yield %0, %1 : tensor<8xf64>, tensor<8xf64>
  } : (tensor<2x8x8xf64>) -> (tensor<2x8xf64>, tensor<2x8xf64>)
  %s:2 = kern.sum_partials kernel "sums" %p#1, %p#0 : tensor<2x8xf64>, tensor<2x8xf64> -> tensor<8xf64>, tensor<8xf64>
  return %s#0, %s#1 : tensor<8xf64>, tensor<8xf64>
}
}
