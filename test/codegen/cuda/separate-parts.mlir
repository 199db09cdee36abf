// RUN: stretto-compile %models/gdn.stretto --vocab 1000 --batch 16 --length 2048 --set dim=768 --set layers=2 --target=cuda --dtype=bf16 --emit=fused -o %t.mlir
// RUN: stretto-opt %t.mlir --kern-choose-cuda-schedule | FileCheck %s --check-prefix=APART
// RUN: stretto-opt %s --kern-choose-cuda-schedule | FileCheck %s

// Parts of a row that share nothing have thread blocks of their own where a thread has no registers for all of them: queries, keys,
// values (two tiles), and decays with strengths. What reads a sum along a row is one part with it.

// APART: kernel "layers.forward.rowwise1"{{.*}} tiles 5>

func.func @main(%x: tensor<16x2048x128xbf16>) -> (tensor<16x2048x64xf32>, tensor<16x2048x64xf32>) {
  // CHECK: kernel "together"{{.*}} tiles 1>
  %0:2 = kern.rowwise kernel "together"(%x) maps [row] {
  ^bb0(%a: tensor<128xbf16>):
    %w = arith.extf %a : tensor<128xbf16> to tensor<128xf32>
    %q = seq.slice %w at 0 : tensor<128xf32> -> tensor<64xf32>
    %k = seq.slice %w at 64 : tensor<128xf32> -> tensor<64xf32>
    %s = seq.reduce add %q : tensor<64xf32> -> tensor<f32>
    %b = seq.broadcast %s dims [] : tensor<f32> -> tensor<64xf32>
    %y = arith.mulf %k, %b : tensor<64xf32>
    kern.yield %y, %k : tensor<64xf32>, tensor<64xf32>
  } : (tensor<16x2048x128xbf16>) -> (tensor<16x2048x64xf32>, tensor<16x2048x64xf32>)
  return %0#0, %0#1 : tensor<16x2048x64xf32>, tensor<16x2048x64xf32>
}
