// Where rows come through shared memory, a thread may have 240 registers: for vectors of 16 bytes and eleven sums of each column, not for thirteen.
// RUN: stretto-opt %s --kern-choose-cuda-schedule | FileCheck %s
// CHECK: "eleven"{{.*}} lanes 8, {{.*}} places 4>
// CHECK: "thirteen"{{.*}} lanes 4, {{.*}} places 4>
func.func @main(%x: tensor<16x2048x2304xbf16>, %d: tensor<16x2048x2304xbf16>) {
  %eleven:2 = kern.rowwise kernel "eleven"(%x, %d) maps [row, row] {
  ^bb0(%xs: tensor<2304xbf16>, %ds: tensor<2304xbf16>):
    %row = arith.extf %xs : tensor<2304xbf16> to tensor<2304xf32>
    %out = arith.extf %ds : tensor<2304xbf16> to tensor<2304xf32>
    %t1 = seq.tap %out by 1 : tensor<2304xf32>
    %p1 = arith.mulf %t1, %row : tensor<2304xf32>
    %t2 = seq.tap %out by 2 : tensor<2304xf32>
    %p2 = arith.mulf %t2, %row : tensor<2304xf32>
    %t3 = seq.tap %out by 3 : tensor<2304xf32>
    %p3 = arith.mulf %t3, %row : tensor<2304xf32>
    %t4 = seq.tap %out by 4 : tensor<2304xf32>
    %p4 = arith.mulf %t4, %row : tensor<2304xf32>
    %t5 = seq.tap %out by 5 : tensor<2304xf32>
    %p5 = arith.mulf %t5, %row : tensor<2304xf32>
    %t6 = seq.tap %out by 6 : tensor<2304xf32>
    %p6 = arith.mulf %t6, %row : tensor<2304xf32>
    %t7 = seq.tap %out by 7 : tensor<2304xf32>
    %p7 = arith.mulf %t7, %row : tensor<2304xf32>
    %t8 = seq.tap %out by 8 : tensor<2304xf32>
    %p8 = arith.mulf %t8, %row : tensor<2304xf32>
    %t9 = seq.tap %out by 9 : tensor<2304xf32>
    %p9 = arith.mulf %t9, %row : tensor<2304xf32>
    %t10 = seq.tap %out by 10 : tensor<2304xf32>
    %p10 = arith.mulf %t10, %row : tensor<2304xf32>
    %t11 = seq.tap %out by 11 : tensor<2304xf32>
    %p11 = arith.mulf %t11, %row : tensor<2304xf32>
    %c = seq.concat %p1, %p2, %p3, %p4, %p5, %p6, %p7, %p8, %p9, %p10, %p11 :
      tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32> -> tensor<25344xf32>
    %s = seq.column_sum %c : tensor<25344xf32> -> tensor<25344xf32>
    %a = arith.addf %t1, %t11 : tensor<2304xf32>
    %r = arith.truncf %a : tensor<2304xf32> to tensor<2304xbf16>
    kern.yield %r, %s : tensor<2304xbf16>, tensor<25344xf32>
  } : (tensor<16x2048x2304xbf16>, tensor<16x2048x2304xbf16>) -> (tensor<16x2048x2304xbf16>, tensor<25344xf32>)
  %thirteen:2 = kern.rowwise kernel "thirteen"(%x, %d) maps [row, row] {
  ^bb0(%xs: tensor<2304xbf16>, %ds: tensor<2304xbf16>):
    %row = arith.extf %xs : tensor<2304xbf16> to tensor<2304xf32>
    %out = arith.extf %ds : tensor<2304xbf16> to tensor<2304xf32>
    %t1 = seq.tap %out by 1 : tensor<2304xf32>
    %p1 = arith.mulf %t1, %row : tensor<2304xf32>
    %t2 = seq.tap %out by 2 : tensor<2304xf32>
    %p2 = arith.mulf %t2, %row : tensor<2304xf32>
    %t3 = seq.tap %out by 3 : tensor<2304xf32>
    %p3 = arith.mulf %t3, %row : tensor<2304xf32>
    %t4 = seq.tap %out by 4 : tensor<2304xf32>
    %p4 = arith.mulf %t4, %row : tensor<2304xf32>
    %t5 = seq.tap %out by 5 : tensor<2304xf32>
    %p5 = arith.mulf %t5, %row : tensor<2304xf32>
    %t6 = seq.tap %out by 6 : tensor<2304xf32>
    %p6 = arith.mulf %t6, %row : tensor<2304xf32>
    %t7 = seq.tap %out by 7 : tensor<2304xf32>
    %p7 = arith.mulf %t7, %row : tensor<2304xf32>
    %t8 = seq.tap %out by 8 : tensor<2304xf32>
    %p8 = arith.mulf %t8, %row : tensor<2304xf32>
    %t9 = seq.tap %out by 9 : tensor<2304xf32>
    %p9 = arith.mulf %t9, %row : tensor<2304xf32>
    %t10 = seq.tap %out by 10 : tensor<2304xf32>
    %p10 = arith.mulf %t10, %row : tensor<2304xf32>
    %t11 = seq.tap %out by 11 : tensor<2304xf32>
    %p11 = arith.mulf %t11, %row : tensor<2304xf32>
    %t12 = seq.tap %out by 12 : tensor<2304xf32>
    %p12 = arith.mulf %t12, %row : tensor<2304xf32>
    %t13 = seq.tap %out by 13 : tensor<2304xf32>
    %p13 = arith.mulf %t13, %row : tensor<2304xf32>
    %c = seq.concat %p1, %p2, %p3, %p4, %p5, %p6, %p7, %p8, %p9, %p10, %p11, %p12, %p13 :
      tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32>, tensor<2304xf32> -> tensor<29952xf32>
    %s = seq.column_sum %c : tensor<29952xf32> -> tensor<29952xf32>
    %a = arith.addf %t1, %t13 : tensor<2304xf32>
    %r = arith.truncf %a : tensor<2304xf32> to tensor<2304xbf16>
    kern.yield %r, %s : tensor<2304xbf16>, tensor<29952xf32>
  } : (tensor<16x2048x2304xbf16>, tensor<16x2048x2304xbf16>) -> (tensor<16x2048x2304xbf16>, tensor<29952xf32>)
  return
}
