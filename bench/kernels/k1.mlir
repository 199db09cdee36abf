// K1: y = canon(rms_norm(x)), Canon of width 4 with its residual.
func.func @k1(%x: tensor<8x512x768xf32>, %g: tensor<768xf32>, %c: tensor<4x768xf32>) {
  %y = kern.rowwise kernel "k1"(%x, %g, %c) maps [row, shared, shared] {
  ^bb0(%a: tensor<768xf32>, %gain: tensor<768xf32>, %taps: tensor<4x768xf32>):
    %n = arith.constant dense<768.0> : tensor<f32>
    %eps = arith.constant dense<1.0e-5> : tensor<f32>
    %sq = arith.mulf %a, %a : tensor<768xf32>
    %s = seq.reduce add %sq : tensor<768xf32> -> tensor<f32>
    %m = arith.divf %s, %n : tensor<f32>
    %me = arith.addf %m, %eps : tensor<f32>
    %r = math.rsqrt %me : tensor<f32>
    %rb = seq.broadcast %r dims [] : tensor<f32> -> tensor<768xf32>
    %xr = arith.mulf %a, %rb : tensor<768xf32>
    %z = arith.mulf %xr, %gain : tensor<768xf32>
    %flat = seq.reshape %taps : tensor<4x768xf32> -> tensor<3072xf32>
    %c0 = seq.slice %flat at 0 : tensor<3072xf32> -> tensor<768xf32>
    %c1 = seq.slice %flat at 768 : tensor<3072xf32> -> tensor<768xf32>
    %z1 = seq.tap %z by -1 : tensor<768xf32>
    %c2 = seq.slice %flat at 1536 : tensor<3072xf32> -> tensor<768xf32>
    %z2 = seq.tap %z by -2 : tensor<768xf32>
    %c3 = seq.slice %flat at 2304 : tensor<3072xf32> -> tensor<768xf32>
    %z3 = seq.tap %z by -3 : tensor<768xf32>
    %p0 = arith.mulf %c0, %z : tensor<768xf32>
    %y0 = arith.addf %z, %p0 : tensor<768xf32>
    %p1 = arith.mulf %c1, %z1 : tensor<768xf32>
    %y1 = arith.addf %y0, %p1 : tensor<768xf32>
    %p2 = arith.mulf %c2, %z2 : tensor<768xf32>
    %y2 = arith.addf %y1, %p2 : tensor<768xf32>
    %p3 = arith.mulf %c3, %z3 : tensor<768xf32>
    %y3 = arith.addf %y2, %p3 : tensor<768xf32>
    kern.yield %y3 : tensor<768xf32>
  } : (tensor<8x512x768xf32>, tensor<768xf32>, tensor<4x768xf32>) -> tensor<8x512x768xf32>
  return
}
