// RUN: stretto-opt %s --kern-choose-cuda-schedule | FileCheck %s

// Chunks of a kernel with sums over rows: long ones where rows are many, as each chunk stores sums and reads rows of the next one;
// short ones where few chunks would leave multiprocessors without work.
// CHECK-LABEL: @long
// CHECK: "taps"{{.*}} chunk 128,
// CHECK-LABEL: @short
// CHECK: "taps"{{.*}} chunk 8,

func.func @long(%x: tensor<16x2048x768xf32>, %d: tensor<16x2048x768xf32>) {
  %0:2 = kern.rowwise kernel "taps"(%x, %d) maps [row, row] {
  ^bb0(%row: tensor<768xf32>, %out: tensor<768xf32>):
    %1 = seq.tap %out by 3 : tensor<768xf32>
    %2 = arith.mulf %1, %row : tensor<768xf32>
    %3 = arith.mulf %out, %row : tensor<768xf32>
    %4 = seq.concat %2, %3 : tensor<768xf32>, tensor<768xf32> -> tensor<1536xf32>
    %5 = seq.column_sum %4 : tensor<1536xf32> -> tensor<1536xf32>
    %6 = arith.addf %1, %out : tensor<768xf32>
    kern.yield %6, %5 : tensor<768xf32>, tensor<1536xf32>
  } : (tensor<16x2048x768xf32>, tensor<16x2048x768xf32>) -> (tensor<16x2048x768xf32>, tensor<1536xf32>)
  return
}

func.func @short(%x: tensor<1x2048x768xf32>, %d: tensor<1x2048x768xf32>) {
  %0:2 = kern.rowwise kernel "taps"(%x, %d) maps [row, row] {
  ^bb0(%row: tensor<768xf32>, %out: tensor<768xf32>):
    %1 = seq.tap %out by 3 : tensor<768xf32>
    %2 = arith.mulf %1, %row : tensor<768xf32>
    %3 = arith.mulf %out, %row : tensor<768xf32>
    %4 = seq.concat %2, %3 : tensor<768xf32>, tensor<768xf32> -> tensor<1536xf32>
    %5 = seq.column_sum %4 : tensor<1536xf32> -> tensor<1536xf32>
    %6 = arith.addf %1, %out : tensor<768xf32>
    kern.yield %6, %5 : tensor<768xf32>, tensor<1536xf32>
  } : (tensor<1x2048x768xf32>, tensor<1x2048x768xf32>) -> (tensor<1x2048x768xf32>, tensor<1536xf32>)
  return
}
