// Where sums along rows take more shared memory than any tile leaves, the kernel stays apart, even where all are asked for.
// RUN: stretto-opt %s -remarks-filter=fusion -remark-format=emitRemark -o /dev/null -kern-choose-cuda-epilogues=where-possible 2>&1 | FileCheck %s
// CHECK: NotInEpilogue{{.*}} Function=crowded | Reason="no tile of the matmul leaves shared memory enough for the sums along rows"
func.func @crowded(%x: tensor<16x2048x768xbf16>, %w: tensor<2304x768xbf16>) -> tensor<16x2048x2304xf32> {
  %0 = seq.linear %x, %w : tensor<16x2048x768xbf16>, tensor<2304x768xbf16> -> tensor<16x2048x2304xbf16>
  %1 = kern.rowwise kernel "k"(%0) maps [row] {
  ^bb0(%row: tensor<2304xbf16>):
    %e = arith.extf %row : tensor<2304xbf16> to tensor<2304xf32>
    %y0 = seq.reshape %e : tensor<2304xf32> -> tensor<1152x2xf32>
    %s0 = seq.reduce add %y0 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b0 = seq.broadcast %s0 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y1 = arith.mulf %y0, %b0 : tensor<1152x2xf32>
    %s1 = seq.reduce add %y1 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b1 = seq.broadcast %s1 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y2 = arith.mulf %y1, %b1 : tensor<1152x2xf32>
    %s2 = seq.reduce add %y2 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b2 = seq.broadcast %s2 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y3 = arith.mulf %y2, %b2 : tensor<1152x2xf32>
    %s3 = seq.reduce add %y3 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b3 = seq.broadcast %s3 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y4 = arith.mulf %y3, %b3 : tensor<1152x2xf32>
    %s4 = seq.reduce add %y4 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b4 = seq.broadcast %s4 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y5 = arith.mulf %y4, %b4 : tensor<1152x2xf32>
    %s5 = seq.reduce add %y5 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b5 = seq.broadcast %s5 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y6 = arith.mulf %y5, %b5 : tensor<1152x2xf32>
    %s6 = seq.reduce add %y6 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b6 = seq.broadcast %s6 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y7 = arith.mulf %y6, %b6 : tensor<1152x2xf32>
    %s7 = seq.reduce add %y7 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b7 = seq.broadcast %s7 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y8 = arith.mulf %y7, %b7 : tensor<1152x2xf32>
    %s8 = seq.reduce add %y8 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b8 = seq.broadcast %s8 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y9 = arith.mulf %y8, %b8 : tensor<1152x2xf32>
    %s9 = seq.reduce add %y9 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b9 = seq.broadcast %s9 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y10 = arith.mulf %y9, %b9 : tensor<1152x2xf32>
    %s10 = seq.reduce add %y10 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b10 = seq.broadcast %s10 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y11 = arith.mulf %y10, %b10 : tensor<1152x2xf32>
    %s11 = seq.reduce add %y11 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b11 = seq.broadcast %s11 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y12 = arith.mulf %y11, %b11 : tensor<1152x2xf32>
    %s12 = seq.reduce add %y12 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b12 = seq.broadcast %s12 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y13 = arith.mulf %y12, %b12 : tensor<1152x2xf32>
    %s13 = seq.reduce add %y13 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b13 = seq.broadcast %s13 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y14 = arith.mulf %y13, %b13 : tensor<1152x2xf32>
    %s14 = seq.reduce add %y14 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b14 = seq.broadcast %s14 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y15 = arith.mulf %y14, %b14 : tensor<1152x2xf32>
    %s15 = seq.reduce add %y15 : tensor<1152x2xf32> -> tensor<1152xf32>
    %b15 = seq.broadcast %s15 dims [0] : tensor<1152xf32> -> tensor<1152x2xf32>
    %y16 = arith.mulf %y15, %b15 : tensor<1152x2xf32>
    %y = seq.reshape %y16 : tensor<1152x2xf32> -> tensor<2304xf32>
    kern.yield %y : tensor<2304xf32>
  } : (tensor<16x2048x2304xbf16>) -> tensor<16x2048x2304xf32>
  return %1 : tensor<16x2048x2304xf32>
}
