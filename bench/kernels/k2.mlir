// K2: h = silu(canon(gate)) * canon(up), gate and up side by side.
func.func @k2(%x: tensor<8x512x4096xf32>, %c: tensor<4x4096xf32>) {
  %h = kern.rowwise kernel "k2"(%x, %c) maps [row, shared] {
  ^bb0(%a: tensor<4096xf32>, %taps: tensor<4x4096xf32>):
    %flat = seq.reshape %taps : tensor<4x4096xf32> -> tensor<16384xf32>
    %c0 = seq.slice %flat at 0 : tensor<16384xf32> -> tensor<4096xf32>
    %c1 = seq.slice %flat at 4096 : tensor<16384xf32> -> tensor<4096xf32>
    %a1 = seq.tap %a by -1 : tensor<4096xf32>
    %c2 = seq.slice %flat at 8192 : tensor<16384xf32> -> tensor<4096xf32>
    %a2 = seq.tap %a by -2 : tensor<4096xf32>
    %c3 = seq.slice %flat at 12288 : tensor<16384xf32> -> tensor<4096xf32>
    %a3 = seq.tap %a by -3 : tensor<4096xf32>
    %p0 = arith.mulf %c0, %a : tensor<4096xf32>
    %y0 = arith.addf %a, %p0 : tensor<4096xf32>
    %p1 = arith.mulf %c1, %a1 : tensor<4096xf32>
    %y1 = arith.addf %y0, %p1 : tensor<4096xf32>
    %p2 = arith.mulf %c2, %a2 : tensor<4096xf32>
    %y2 = arith.addf %y1, %p2 : tensor<4096xf32>
    %p3 = arith.mulf %c3, %a3 : tensor<4096xf32>
    %y3 = arith.addf %y2, %p3 : tensor<4096xf32>
    %g = seq.slice %y3 at 0 : tensor<4096xf32> -> tensor<2048xf32>
    %u = seq.slice %y3 at 2048 : tensor<4096xf32> -> tensor<2048xf32>
    %s = seq.sigmoid %g : tensor<2048xf32>
    %gs = arith.mulf %g, %s : tensor<2048xf32>
    %h = arith.mulf %gs, %u : tensor<2048xf32>
    kern.yield %h : tensor<2048xf32>
  } : (tensor<8x512x4096xf32>, tensor<4x4096xf32>) -> tensor<8x512x2048xf32>
  return
}
