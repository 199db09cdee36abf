// RUN: stretto-opt %s --kern-choose-cuda-schedule | FileCheck %s

// Rows of a step: eight where threads meet and few of them have registers, as memory would wait for four; four where that would leave
// chunks of a step or two.
// CHECK-LABEL: @many
// CHECK: "norm"{{.*}}<rows 8,
// CHECK-LABEL: @few
// CHECK: "norm"{{.*}}<rows 4,

func.func @many(%x: tensor<16x2048x768xbf16>, %a: tensor<768xf32>, %b: tensor<768xf32>, %c: tensor<768xf32>, %d: tensor<768xf32>) {
  %0 = kern.rowwise kernel "norm"(%x, %a, %b, %c, %d) maps [row, shared, shared, shared, shared] {
  ^bb0(%row: tensor<768xbf16>, %w: tensor<768xf32>, %w1: tensor<768xf32>, %w2: tensor<768xf32>, %w3: tensor<768xf32>):
    %1 = arith.extf %row : tensor<768xbf16> to tensor<768xf32>
    %2 = arith.mulf %1, %1 : tensor<768xf32>
    %3 = seq.reduce add %2 : tensor<768xf32> -> tensor<f32>
    %4 = math.rsqrt %3 : tensor<f32>
    %5 = seq.broadcast %4 dims [] : tensor<f32> -> tensor<768xf32>
    %6 = arith.mulf %1, %5 : tensor<768xf32>
    %7 = arith.mulf %6, %w : tensor<768xf32>
    %8 = seq.tap %7 by -1 : tensor<768xf32>
    %9 = seq.tap %7 by -2 : tensor<768xf32>
    %10 = seq.tap %7 by -3 : tensor<768xf32>
    %11 = arith.mulf %8, %w1 : tensor<768xf32>
    %12 = arith.mulf %9, %w2 : tensor<768xf32>
    %13 = arith.mulf %10, %w3 : tensor<768xf32>
    %14 = arith.addf %7, %11 : tensor<768xf32>
    %15 = arith.addf %14, %12 : tensor<768xf32>
    %16 = arith.addf %15, %13 : tensor<768xf32>
    %17 = arith.truncf %16 : tensor<768xf32> to tensor<768xbf16>
    kern.yield %17 : tensor<768xbf16>
  } : (tensor<16x2048x768xbf16>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<16x2048x768xbf16>
  return
}

func.func @few(%x: tensor<1x2048x768xbf16>, %a: tensor<768xf32>, %b: tensor<768xf32>, %c: tensor<768xf32>, %d: tensor<768xf32>) {
  %0 = kern.rowwise kernel "norm"(%x, %a, %b, %c, %d) maps [row, shared, shared, shared, shared] {
  ^bb0(%row: tensor<768xbf16>, %w: tensor<768xf32>, %w1: tensor<768xf32>, %w2: tensor<768xf32>, %w3: tensor<768xf32>):
    %1 = arith.extf %row : tensor<768xbf16> to tensor<768xf32>
    %2 = arith.mulf %1, %1 : tensor<768xf32>
    %3 = seq.reduce add %2 : tensor<768xf32> -> tensor<f32>
    %4 = math.rsqrt %3 : tensor<f32>
    %5 = seq.broadcast %4 dims [] : tensor<f32> -> tensor<768xf32>
    %6 = arith.mulf %1, %5 : tensor<768xf32>
    %7 = arith.mulf %6, %w : tensor<768xf32>
    %8 = seq.tap %7 by -1 : tensor<768xf32>
    %9 = seq.tap %7 by -2 : tensor<768xf32>
    %10 = seq.tap %7 by -3 : tensor<768xf32>
    %11 = arith.mulf %8, %w1 : tensor<768xf32>
    %12 = arith.mulf %9, %w2 : tensor<768xf32>
    %13 = arith.mulf %10, %w3 : tensor<768xf32>
    %14 = arith.addf %7, %11 : tensor<768xf32>
    %15 = arith.addf %14, %12 : tensor<768xf32>
    %16 = arith.addf %15, %13 : tensor<768xf32>
    %17 = arith.truncf %16 : tensor<768xf32> to tensor<768xbf16>
    kern.yield %17 : tensor<768xbf16>
  } : (tensor<1x2048x768xbf16>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<1x2048x768xbf16>
  return
}
