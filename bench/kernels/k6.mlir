// K6: the backward of K1 for its input, its gain and its taps.
func.func @k6(%dy: tensor<8x512x768xf32>, %x: tensor<8x512x768xf32>, %g: tensor<768xf32>, %c: tensor<4x768xf32>) {
  %r:3 = kern.rowwise kernel "k6"(%dy, %x, %g, %c) maps [row, row, shared, shared] {
  ^bb0(%d0: tensor<768xf32>, %a: tensor<768xf32>, %gain: tensor<768xf32>, %taps: tensor<4x768xf32>):
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
    %d1 = seq.tap %d0 by 1 : tensor<768xf32>
    %c2 = seq.slice %flat at 1536 : tensor<3072xf32> -> tensor<768xf32>
    %d2 = seq.tap %d0 by 2 : tensor<768xf32>
    %c3 = seq.slice %flat at 2304 : tensor<3072xf32> -> tensor<768xf32>
    %d3 = seq.tap %d0 by 3 : tensor<768xf32>
    %p0 = arith.mulf %c0, %d0 : tensor<768xf32>
    %e0 = arith.addf %d0, %p0 : tensor<768xf32>
    %p1 = arith.mulf %c1, %d1 : tensor<768xf32>
    %e1 = arith.addf %e0, %p1 : tensor<768xf32>
    %p2 = arith.mulf %c2, %d2 : tensor<768xf32>
    %e2 = arith.addf %e1, %p2 : tensor<768xf32>
    %p3 = arith.mulf %c3, %d3 : tensor<768xf32>
    %e3 = arith.addf %e2, %p3 : tensor<768xf32>
    %q0 = arith.mulf %d0, %z : tensor<768xf32>
    %q1 = arith.mulf %d1, %z : tensor<768xf32>
    %q2 = arith.mulf %d2, %z : tensor<768xf32>
    %q3 = arith.mulf %d3, %z : tensor<768xf32>
    %q = seq.concat %q0, %q1, %q2, %q3 : tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32> -> tensor<3072xf32>
    %dcf = seq.reshape %q : tensor<3072xf32> -> tensor<4x768xf32>
    %dc = seq.column_sum %dcf : tensor<4x768xf32> -> tensor<4x768xf32>
    %dgr = arith.mulf %e3, %xr : tensor<768xf32>
    %dg = seq.column_sum %dgr : tensor<768xf32> -> tensor<768xf32>
    %dzg = arith.mulf %e3, %gain : tensor<768xf32>
    %dzgx = arith.mulf %dzg, %a : tensor<768xf32>
    %p = seq.reduce add %dzgx : tensor<768xf32> -> tensor<f32>
    %rr = arith.mulf %r, %r : tensor<f32>
    %rrr = arith.mulf %rr, %r : tensor<f32>
    %pr = arith.mulf %p, %rrr : tensor<f32>
    %k = arith.divf %pr, %n : tensor<f32>
    %kb = seq.broadcast %k dims [] : tensor<f32> -> tensor<768xf32>
    %u = arith.mulf %dzg, %rb : tensor<768xf32>
    %v = arith.mulf %a, %kb : tensor<768xf32>
    %dx = arith.subf %u, %v : tensor<768xf32>
    kern.yield %dx, %dc, %dg : tensor<768xf32>, tensor<4x768xf32>, tensor<768xf32>
  } : (tensor<8x512x768xf32>, tensor<8x512x768xf32>, tensor<768xf32>, tensor<4x768xf32>)
    -> (tensor<8x512x768xf32>, tensor<4x768xf32>, tensor<768xf32>)
  return
}
