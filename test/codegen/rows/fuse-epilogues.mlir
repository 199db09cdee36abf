// RUN: stretto-opt %s -kern-fuse-epilogues | FileCheck %s

// The body moves as it is, the row of the matmul in front; other readers move behind and read what is yielded of it.
// CHECK-LABEL: @main
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x16xf32>, %[[W:.*]]: tensor<32x16xf32>, %[[G:.*]]: tensor<32xf32>, %[[V:.*]]: tensor<8x32xf32>)
func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<32x16xf32>, %g: tensor<32xf32>, %v: tensor<8x32xf32>) -> (tensor<2x8x32xf32>, tensor<2x8x8xf32>) {
  // CHECK-NEXT: %[[M:.*]]:2 = kern.matmul kernel "main.matmul0" %[[X]] by %[[W]] as transposed epilogue(%[[G]]) maps [shared] {
  // CHECK-NEXT: ^bb0(%[[ROW:.*]]: tensor<32xf32>, %[[GAIN:.*]]: tensor<32xf32>):
  // CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[GAIN]], %[[ROW]]
  // CHECK-NEXT: kern.yield %[[Y]], %[[ROW]]
  // CHECK-NEXT: } : (tensor<2x8x16xf32>, tensor<32x16xf32>, tensor<32xf32>) -> (tensor<2x8x32xf32>, tensor<2x8x32xf32>)
  // CHECK-NEXT: %[[R:.*]] = seq.linear %[[M]]#1, %[[V]]
  // CHECK-NEXT: return %[[M]]#0, %[[R]]
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32> {kern.epilogue = 0 : i64}
  %r = seq.linear %0, %v : tensor<2x8x32xf32>, tensor<8x32xf32> -> tensor<2x8x8xf32>
  %1 = kern.rowwise kernel "main.rowwise0"(%g, %0) maps [shared, row] {
  ^bb0(%gain: tensor<32xf32>, %row: tensor<32xf32>):
    %a = arith.mulf %gain, %row : tensor<32xf32>
    kern.yield %a : tensor<32xf32>
  } {kern.epilogue = 0 : i64} : (tensor<32xf32>, tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
  return %1, %r : tensor<2x8x32xf32>, tensor<2x8x8xf32>
}

// Sums of bf16 are f32: the body rounds them, and what else reads the matmul reads what was rounded.
// CHECK-LABEL: @rounded
// CHECK: %[[M:.*]]:2 = kern.matmul {{.*}} as rows epilogue() maps [] gradient {
// CHECK-NEXT: ^bb0(%[[ROW:.*]]: tensor<32xf32>):
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[ROW]] : tensor<32xf32> to tensor<32xbf16>
// CHECK-NEXT: %[[Y:.*]] = arith.extf %[[ROUNDED]]
// CHECK-NEXT: kern.yield %[[Y]], %[[ROUNDED]]
// CHECK: return %[[M]]#0, %[[M]]#1
func.func @rounded(%x: tensor<2x8x16xbf16>, %w: tensor<16x32xbf16>) -> (tensor<2x8x32xf32>, tensor<2x8x32xbf16>) {
  %0 = seq.linear_input_grad %x, %w : tensor<2x8x16xbf16>, tensor<16x32xbf16> -> tensor<2x8x32xbf16> {kern.epilogue = 0 : i64}
  %1 = kern.rowwise kernel "rounded.rowwise0"(%0) maps [row] {
  ^bb0(%row: tensor<32xbf16>):
    %a = arith.extf %row : tensor<32xbf16> to tensor<32xf32>
    kern.yield %a : tensor<32xf32>
  } {kern.epilogue = 0 : i64} : (tensor<2x8x32xbf16>) -> tensor<2x8x32xf32>
  return %1, %0 : tensor<2x8x32xf32>, tensor<2x8x32xbf16>
}
