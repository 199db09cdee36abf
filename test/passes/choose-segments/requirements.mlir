// RUN: stretto-opt %s --seq-choose-segments=memory-budget=100000 --verify-diagnostics

// expected-error @+1 {{'func.func' op needs the attribute seq.saved_bytes, which seq-choose-saved gives}}
func.func @gradients(%x: tensor<1x64x8xf32>) -> tensor<1x64x8xf32> {
  %y, %s = seq.mixer %x, %x, %x heads 1 key_heads 1 scale 1.0 segment 64 : tensor<1x64x8xf32>, tensor<1x64x8xf32> -> tensor<1x1x1x64xf32>
  %dq, %dk, %dv = seq.mixer_grad %y, %x, %x, %x states %s heads 1 key_heads 1 scale 1.0 segment 64 : tensor<1x64x8xf32>, tensor<1x64x8xf32>, tensor<1x1x1x64xf32> -> tensor<1x64x8xf32>
  return %dv : tensor<1x64x8xf32>
}
