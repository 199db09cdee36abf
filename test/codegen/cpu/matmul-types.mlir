// RUN: stretto-opt %s -kern-choose-schedule -verify-diagnostics
// RUN: stretto-opt %s -kern-lower-kernels -verify-diagnostics

func.func @rounded(%x: tensor<1x64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<1x64x64xbf16> {
  // expected-error@+1 {{must have operands of f32 or f64 on a CPU, but got 'bf16'}}
  %y = kern.matmul kernel "k" %x by %w as rows epilogue() maps [] {
  ^bb0(%row: tensor<64xf32>):
    %0 = arith.truncf %row : tensor<64xf32> to tensor<64xbf16>
    kern.yield %0 : tensor<64xbf16>
  } : (tensor<1x64x64xbf16>, tensor<64x64xbf16>) -> tensor<1x64x64xbf16>
  return %y : tensor<1x64x64xbf16>
}
