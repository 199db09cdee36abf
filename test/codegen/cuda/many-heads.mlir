// RUN: timeout 60 stretto-opt %s --kern-choose-cuda-schedule | FileCheck %s

// A norm of heads of two columns whose columns a rotation of wider heads brings together with others: the pieces of a row are as many as
// the pairs of heads, and each has values that could be computed ahead. Asking the whole row for each of them would take minutes.
// CHECK: kernel "pairs"{{.*}} schedule #kern.thread_schedule<rows

func.func @main(%x: tensor<2x64x768xf32>) -> tensor<2x64x3x256xf32> {
  %0 = kern.rowwise kernel "pairs"(%x) maps [row] {
  ^bb0(%row: tensor<768xf32>):
    %t1 = seq.tap %row by -1 : tensor<768xf32>
    %t2 = seq.tap %row by -2 : tensor<768xf32>
    %t3 = seq.tap %row by -3 : tensor<768xf32>
    %p = arith.mulf %row, %t1 : tensor<768xf32>
    %q = arith.mulf %t2, %t3 : tensor<768xf32>
    %canon = arith.addf %p, %q : tensor<768xf32>
    %heads = seq.reshape %canon : tensor<768xf32> -> tensor<384x2xf32>
    %squares = arith.mulf %heads, %heads : tensor<384x2xf32>
    %sums = seq.reduce add %squares : tensor<384x2xf32> -> tensor<384xf32>
    %factors = math.rsqrt %sums : tensor<384xf32>
    %wide = seq.broadcast %factors dims [0] : tensor<384xf32> -> tensor<384x2xf32>
    %norm = arith.mulf %heads, %wide : tensor<384x2xf32>
    %whole = seq.reshape %norm : tensor<384x2xf32> -> tensor<768xf32>
    %before = seq.tap %whole by -1 : tensor<768xf32>
    %sum = arith.addf %whole, %before : tensor<768xf32>
    %wider = seq.reshape %sum : tensor<768xf32> -> tensor<3x256xf32>
    %partner = seq.permute half_split %wider rotated 256 : tensor<3x256xf32>
    %rotated = arith.subf %wider, %partner : tensor<3x256xf32>
    kern.yield %rotated : tensor<3x256xf32>
  } : (tensor<2x64x768xf32>) -> tensor<2x64x3x256xf32>
  return %0 : tensor<2x64x3x256xf32>
}
