// K5: the backward of K2 for gate and up and its taps, and h once more for the gradient of a weight.
func.func @k5(%x: tensor<8x512x4096xf32>, %c: tensor<4x4096xf32>, %dh: tensor<8x512x2048xf32>) {
  %r:3 = kern.rowwise kernel "k5"(%x, %c, %dh) maps [row, shared, row] {
  ^bb0(%a: tensor<4096xf32>, %taps: tensor<4x4096xf32>, %d: tensor<2048xf32>):
    %one = arith.constant dense<1.0> : tensor<2048xf32>
    %flat = seq.reshape %taps : tensor<4x4096xf32> -> tensor<16384xf32>
    %c0 = seq.slice %flat at 0 : tensor<16384xf32> -> tensor<4096xf32>
    %c1 = seq.slice %flat at 4096 : tensor<16384xf32> -> tensor<4096xf32>
    %c2 = seq.slice %flat at 8192 : tensor<16384xf32> -> tensor<4096xf32>
    %c3 = seq.slice %flat at 12288 : tensor<16384xf32> -> tensor<4096xf32>
    %a1 = seq.tap %a by -1 : tensor<4096xf32>
    %a2 = seq.tap %a by -2 : tensor<4096xf32>
    %a3 = seq.tap %a by -3 : tensor<4096xf32>
    %p0 = arith.mulf %a, %c0 : tensor<4096xf32>
    %p1 = arith.mulf %a1, %c1 : tensor<4096xf32>
    %p2 = arith.mulf %a2, %c2 : tensor<4096xf32>
    %p3 = arith.mulf %a3, %c3 : tensor<4096xf32>
    %y0 = arith.addf %a, %p0 : tensor<4096xf32>
    %y1 = arith.addf %y0, %p1 : tensor<4096xf32>
    %y2 = arith.addf %y1, %p2 : tensor<4096xf32>
    %y = arith.addf %y2, %p3 : tensor<4096xf32>
    %g = seq.slice %y at 0 : tensor<4096xf32> -> tensor<2048xf32>
    %u = seq.slice %y at 2048 : tensor<4096xf32> -> tensor<2048xf32>
    %s = seq.sigmoid %g : tensor<2048xf32>
    %gs = arith.mulf %g, %s : tensor<2048xf32>
    %h = arith.mulf %gs, %u : tensor<2048xf32>
    %dgs = arith.mulf %d, %u : tensor<2048xf32>
    %du = arith.mulf %d, %gs : tensor<2048xf32>
    %m0 = arith.mulf %dgs, %s : tensor<2048xf32>
    %m1 = arith.mulf %dgs, %g : tensor<2048xf32>
    %s1 = arith.subf %one, %s : tensor<2048xf32>
    %ds = arith.mulf %s, %s1 : tensor<2048xf32>
    %m2 = arith.mulf %m1, %ds : tensor<2048xf32>
    %dg = arith.addf %m0, %m2 : tensor<2048xf32>
    %e0 = seq.concat %dg, %du : tensor<2048xf32>, tensor<2048xf32> -> tensor<4096xf32>
    %e1 = seq.tap %e0 by 1 : tensor<4096xf32>
    %e2 = seq.tap %e0 by 2 : tensor<4096xf32>
    %e3 = seq.tap %e0 by 3 : tensor<4096xf32>
    %t0 = arith.mulf %e0, %c0 : tensor<4096xf32>
    %t1 = arith.mulf %e1, %c1 : tensor<4096xf32>
    %t2 = arith.mulf %e2, %c2 : tensor<4096xf32>
    %t3 = arith.mulf %e3, %c3 : tensor<4096xf32>
    %x3 = arith.addf %t3, %t2 : tensor<4096xf32>
    %x2 = arith.addf %x3, %t1 : tensor<4096xf32>
    %x1 = arith.addf %x2, %e0 : tensor<4096xf32>
    %dx = arith.addf %x1, %t0 : tensor<4096xf32>
    %q0 = arith.mulf %e0, %a : tensor<4096xf32>
    %q1 = arith.mulf %e1, %a : tensor<4096xf32>
    %q2 = arith.mulf %e2, %a : tensor<4096xf32>
    %q3 = arith.mulf %e3, %a : tensor<4096xf32>
    %q = seq.concat %q0, %q1, %q2, %q3 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32> -> tensor<16384xf32>
    %dc = seq.column_sum %q : tensor<16384xf32> -> tensor<16384xf32>
    kern.yield %h, %dx, %dc : tensor<2048xf32>, tensor<4096xf32>, tensor<16384xf32>
  } : (tensor<8x512x4096xf32>, tensor<4x4096xf32>, tensor<8x512x2048xf32>)
    -> (tensor<8x512x2048xf32>, tensor<8x512x4096xf32>, tensor<16384xf32>)
  return
}
