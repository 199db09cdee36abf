// RUN: stretto-opt %s --kern-plan-memory --kern-verify-memory --kern-emit-host -o %t.host.mlir
// RUN: mlir-translate --mlir-to-llvmir %t.host.mlir | llc -O1 -relocation-model=pic -filetype=obj -o %t.o
// RUN: %cxx -O1 -std=c++20 -I%root %root/test/support/plain_runtime.cpp %t.o -o %t.exe
// RUN: %t.exe check-gradients | FileCheck %s --check-prefix=GRADIENTS
// RUN: %t.exe table | FileCheck %s --check-prefix=TABLE

// GRADIENTS: gradients agree

// TABLE: model tiny cpu generic dtype 1 batch 2 length 8 vocabulary 12 hash 32
// TABLE-NEXT: embed.weight at 0 rank 2 [12, 8] init 1 0 0.02 trainable 1
// TABLE-NEXT: layers.0.a.weight at 96 rank 2 [8, 8] init 1 0 0.02
// TABLE-NEXT: layers.0.q.weight at 160 rank 2 [8, 8]
// TABLE-NEXT: layers.0.k.weight at 224 rank 2 [4, 8]
// TABLE-NEXT: layers.0.v.weight at 256 rank 2 [4, 8]
// TABLE-NEXT: layers.1.a.weight at 288
// TABLE: kernel half_square group rowwise chunks 1 buffers 2
// TABLE-NEXT: kernel add group rowwise chunks 2 buffers 3

module attributes {seq.model = "tiny", seq.batch = 2 : i64, seq.length = 8 : i64, seq.vocabulary = 12 : i64, kern.cpu = "generic", kern.target = "cpu"} {

// out = a + b, 8 rows of 8 columns for each chunk.
llvm.func @add(%buffers: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) attributes {kern.chunks = 2 : i64} {
  %0 = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %1 = llvm.getelementptr %buffers[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %a = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %b = llvm.load %0 : !llvm.ptr -> !llvm.ptr
  %out = llvm.load %1 : !llvm.ptr -> !llvm.ptr
  %size = llvm.mlir.constant(64 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %first = llvm.mul %begin, %size : i64
  %last = llvm.mul %end, %size : i64
  llvm.br ^loop(%first : i64)
^loop(%i: i64):
  %pa = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %pb = llvm.getelementptr %b[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %pc = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %va = llvm.load %pa : !llvm.ptr -> f64
  %vb = llvm.load %pb : !llvm.ptr -> f64
  %vc = llvm.fadd %va, %vb : f64
  llvm.store %vc, %pc : f64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %last : i64
  llvm.cond_br %more, ^loop(%next : i64), ^done
^done:
  llvm.return
}

// out[0] = sum of x^2 / 2 over 128 numbers.
llvm.func @half_square(%buffers: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) attributes {kern.chunks = 1 : i64} {
  %0 = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %x = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %out = llvm.load %0 : !llvm.ptr -> !llvm.ptr
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %size = llvm.mlir.constant(128 : i64) : i64
  %half = llvm.mlir.constant(0.5 : f64) : f64
  %none = llvm.mlir.constant(0.0 : f64) : f64
  llvm.br ^loop(%zero, %none : i64, f64)
^loop(%i: i64, %sum: f64):
  %px = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %vx = llvm.load %px : !llvm.ptr -> f64
  %sq = llvm.fmul %vx, %vx : f64
  %hs = llvm.fmul %sq, %half : f64
  %new = llvm.fadd %sum, %hs : f64
  %next = llvm.add %i, %one : i64
  %more = llvm.icmp "slt" %next, %size : i64
  llvm.cond_br %more, ^loop(%next, %new : i64, f64), ^done
^done:
  llvm.store %new, %out : f64, !llvm.ptr
  llvm.return
}

seq.parameter @e parts [#seq.part<"embed.weight", 12, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<12x8xf64>
seq.parameter @a parts [#seq.part<"layers.{}.a.weight", 8, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x8x8xf64>
seq.parameter @qkv parts [#seq.part<"layers.{}.q.weight", 8, <normal, 0.0 : f64, 0.02 : f64>>, #seq.part<"layers.{}.k.weight", 4, <normal, 0.0 : f64, 0.02 : f64>>, #seq.part<"layers.{}.v.weight", 4, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x16x8xf64>

func.func private @layer(%x: tensor<2x8x8xf64>, %w: tensor<8x8xf64>, %wqkv: tensor<16x8xf64>) -> (tensor<2x8x8xf64>, tensor<2x8x8xf64>, tensor<2x8x16xf64>, tensor<2x8x8xf64>, tensor<2x2x8xf64>) {
  %qkv = seq.linear %x, %wqkv : tensor<2x8x8xf64>, tensor<16x8xf64> -> tensor<2x8x16xf64>
  %q = seq.slice %qkv at 0 : tensor<2x8x16xf64> -> tensor<2x8x8xf64>
  %k = seq.slice %qkv at 8 : tensor<2x8x16xf64> -> tensor<2x8x4xf64>
  %v = seq.slice %qkv at 12 : tensor<2x8x16xf64> -> tensor<2x8x4xf64>
  %o, %lse = seq.attention %q, %k, %v heads 2 kv_heads 1 scale 0.5 causal : tensor<2x8x8xf64>, tensor<2x8x4xf64>, tensor<2x8x4xf64> -> tensor<2x8x8xf64>, tensor<2x2x8xf64>
  %y = seq.linear %o, %w : tensor<2x8x8xf64>, tensor<8x8xf64> -> tensor<2x8x8xf64>
  %z = kern.rowwise kernel "add"(%x, %y) maps [row, row] {
  ^bb0(%r: tensor<8xf64>, %s: tensor<8xf64>):
    %0 = arith.addf %r, %s : tensor<8xf64>
    kern.yield %0 : tensor<8xf64>
  } : (tensor<2x8x8xf64>, tensor<2x8x8xf64>) -> tensor<2x8x8xf64>
  return %z, %x, %qkv, %o, %lse : tensor<2x8x8xf64>, tensor<2x8x8xf64>, tensor<2x8x16xf64>, tensor<2x8x8xf64>, tensor<2x2x8xf64>
}

func.func private @layer.backward(%dx: tensor<2x8x8xf64>, %x: tensor<2x8x8xf64>, %qkv: tensor<2x8x16xf64>, %o: tensor<2x8x8xf64>, %lse: tensor<2x2x8xf64>, %w: tensor<8x8xf64>, %wqkv: tensor<16x8xf64>) -> (tensor<2x8x8xf64>, tensor<8x8xf64>, tensor<16x8xf64>) {
  %dw = seq.linear_weight_grad %dx, %o : tensor<2x8x8xf64>, tensor<2x8x8xf64> -> tensor<8x8xf64>
  %do = seq.linear_input_grad %dx, %w : tensor<2x8x8xf64>, tensor<8x8xf64> -> tensor<2x8x8xf64>
  %q = seq.slice %qkv at 0 : tensor<2x8x16xf64> -> tensor<2x8x8xf64>
  %k = seq.slice %qkv at 8 : tensor<2x8x16xf64> -> tensor<2x8x4xf64>
  %v = seq.slice %qkv at 12 : tensor<2x8x16xf64> -> tensor<2x8x4xf64>
  %dq, %dk, %dv = seq.attention_grad %do, %q, %k, %v, %o, %lse heads 2 kv_heads 1 scale 0.5 causal : tensor<2x8x8xf64>, tensor<2x8x4xf64>, tensor<2x8x4xf64>, tensor<2x8x8xf64>, tensor<2x2x8xf64>
  %dqkv = seq.concat %dq, %dk, %dv : tensor<2x8x8xf64>, tensor<2x8x4xf64>, tensor<2x8x4xf64> -> tensor<2x8x16xf64>
  %dwqkv = seq.linear_weight_grad %dqkv, %x : tensor<2x8x16xf64>, tensor<2x8x8xf64> -> tensor<16x8xf64>
  %d = seq.linear_input_grad %dqkv, %wqkv : tensor<2x8x16xf64>, tensor<16x8xf64> -> tensor<2x8x8xf64>
  %z = kern.rowwise kernel "add"(%dx, %d) maps [row, row] {
  ^bb0(%r: tensor<8xf64>, %s: tensor<8xf64>):
    %0 = arith.addf %r, %s : tensor<8xf64>
    kern.yield %0 : tensor<8xf64>
  } : (tensor<2x8x8xf64>, tensor<2x8x8xf64>) -> tensor<2x8x8xf64>
  return %z, %dw, %dwqkv : tensor<2x8x8xf64>, tensor<8x8xf64>, tensor<16x8xf64>
}

// The loss is half the sum of squares of what the layers return: its gradient is that value itself.
func.func @gradients(%tokens: tensor<2x8xi32>, %targets: tensor<2x8xi32>, %weights: tensor<2x8xf64>) -> tensor<1xf64> {
  %e = seq.get_parameter @e : tensor<12x8xf64>
  %w = seq.get_parameter @a : tensor<3x8x8xf64>
  %wqkv = seq.get_parameter @qkv : tensor<3x16x8xf64>
  %x0 = seq.embed %tokens, %e : tensor<2x8xi32>, tensor<12x8xf64> -> tensor<2x8x8xf64>
  %x:5 = seq.scan @layer trips 3 carry(%x0) slices(%w, %wqkv) invariants() : (tensor<2x8x8xf64>, tensor<3x8x8xf64>, tensor<3x16x8xf64>) -> (tensor<2x8x8xf64>, tensor<3x2x8x8xf64>, tensor<3x2x8x16xf64>, tensor<3x2x8x8xf64>, tensor<3x2x2x8xf64>)
  %loss = kern.rowwise kernel "half_square"(%x#0) maps [row] {
  ^bb0(%r: tensor<8xf64>):
    %half = arith.constant dense<0.5> : tensor<8xf64>
    %0 = arith.mulf %r, %r : tensor<8xf64>
    %1 = arith.mulf %0, %half : tensor<8xf64>
    %2 = seq.reduce add %1 : tensor<8xf64> -> tensor<f64>
    %3 = seq.reshape %2 : tensor<f64> -> tensor<1xf64>
    %4 = seq.column_sum %3 : tensor<1xf64> -> tensor<1xf64>
    kern.yield %4 : tensor<1xf64>
  } : (tensor<2x8x8xf64>) -> tensor<1xf64>
  %d:3 = seq.scan @layer.backward trips 3 reverse carry(%x#0) slices(%x#1, %x#2, %x#3, %x#4, %w, %wqkv) invariants() : (tensor<2x8x8xf64>, tensor<3x2x8x8xf64>, tensor<3x2x8x16xf64>, tensor<3x2x8x8xf64>, tensor<3x2x2x8xf64>, tensor<3x8x8xf64>, tensor<3x16x8xf64>) -> (tensor<2x8x8xf64>, tensor<3x8x8xf64>, tensor<3x16x8xf64>)
  seq.gradient @a, %d#1 : tensor<3x8x8xf64>
  seq.gradient @qkv, %d#2 : tensor<3x16x8xf64>
  %de = seq.embed_grad %tokens, %d#0 : tensor<2x8xi32>, tensor<2x8x8xf64> -> tensor<12x8xf64>
  seq.gradient @e, %de : tensor<12x8xf64>
  return %loss : tensor<1xf64>
}
}
