// RUN: stretto-opt %s --kern-pad-logits --remarks-filter=memory --remark-format=emitRemark 2>&1 | \
// RUN:   FileCheck %s --implicit-check-not="PadLogits |" --implicit-check-not=kern.pad

func.func @read_twice(%h: tensor<2x8x16xf32>, %w: tensor<13x16xf32>) -> (tensor<2x8xf32>, tensor<2x8x13xf32>) {
  // CHECK: [[#@LINE+1]]:8: {{.*}}[Missed] PadLogits | {{.*}}Reason="something else reads the logits", Remark="rows of logits begin at multiples of 4 bytes"
  %0 = seq.linear %h, %w : tensor<2x8x16xf32>, tensor<13x16xf32> -> tensor<2x8x13xf32>
  %1 = kern.rowwise kernel "loss"(%0) maps [row] {
  ^bb0(%row: tensor<13xf32>):
    %a = seq.reduce max %row : tensor<13xf32> -> tensor<f32>
    kern.yield %a : tensor<f32>
  } {seq.loss} : (tensor<2x8x13xf32>) -> tensor<2x8xf32>
  return %1, %0 : tensor<2x8xf32>, tensor<2x8x13xf32>
}

// A parameter of as many columns has nothing behind them that may be read.
func.func @bias(%h: tensor<2x8x16xf32>, %w: tensor<13x16xf32>, %bias: tensor<13xf32>) -> tensor<2x8xf32> {
  // CHECK: [[#@LINE+1]]:8: {{.*}}[Missed] PadLogits | {{.*}}Reason="the loss reads something else of as many columns"
  %0 = seq.linear %h, %w : tensor<2x8x16xf32>, tensor<13x16xf32> -> tensor<2x8x13xf32>
  %1 = kern.rowwise kernel "loss"(%0, %bias) maps [row, shared] {
  ^bb0(%row: tensor<13xf32>, %b: tensor<13xf32>):
    %a = arith.addf %row, %b : tensor<13xf32>
    %s = seq.reduce max %a : tensor<13xf32> -> tensor<f32>
    kern.yield %s : tensor<f32>
  } {seq.loss} : (tensor<2x8x13xf32>, tensor<13xf32>) -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

func.func @moves(%h: tensor<2x8x16xf32>, %w: tensor<13x16xf32>) -> tensor<2x8xf32> {
  // CHECK: [[#@LINE+1]]:8: {{.*}}[Missed] PadLogits | {{.*}}Reason="the loss does not go column by column"
  %0 = seq.linear %h, %w : tensor<2x8x16xf32>, tensor<13x16xf32> -> tensor<2x8x13xf32>
  %1 = kern.rowwise kernel "loss"(%0) maps [row] {
  ^bb0(%row: tensor<13xf32>):
    %a = seq.slice %row at 1 : tensor<13xf32> -> tensor<12xf32>
    %s = seq.reduce max %a : tensor<12xf32> -> tensor<f32>
    kern.yield %s : tensor<f32>
  } {seq.loss} : (tensor<2x8x13xf32>) -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

func.func @returned(%h: tensor<2x8x16xf32>, %w: tensor<13x16xf32>) -> tensor<2x8x13xf32> {
  // CHECK: [[#@LINE+1]]:8: {{.*}}[Missed] PadLogits | {{.*}}Reason="something reads the gradient of the logits that needs rows without gaps"
  %0 = seq.linear %h, %w : tensor<2x8x16xf32>, tensor<13x16xf32> -> tensor<2x8x13xf32>
  %1 = kern.rowwise kernel "loss"(%0) maps [row] {
  ^bb0(%row: tensor<13xf32>):
    %a = arith.negf %row : tensor<13xf32>
    kern.yield %a : tensor<13xf32>
  } {seq.loss} : (tensor<2x8x13xf32>) -> tensor<2x8x13xf32>
  return %1 : tensor<2x8x13xf32>
}

func.func @copied(%h: tensor<2x8x16xbf16>, %w: tensor<13x16xbf16>) -> tensor<2x8x16xbf16> {
  // CHECK: [[#@LINE+1]]:8: {{.*}}[Missed] PadLogits | {{.*}}Reason="the loss stores what it has read"
  %0 = seq.linear %h, %w : tensor<2x8x16xbf16>, tensor<13x16xbf16> -> tensor<2x8x13xbf16>
  %1 = kern.rowwise kernel "loss"(%0) maps [row] {
  ^bb0(%row: tensor<13xbf16>):
    kern.yield %row : tensor<13xbf16>
  } {seq.loss} : (tensor<2x8x13xbf16>) -> tensor<2x8x13xbf16>
  %2 = seq.linear_input_grad %1, %w : tensor<2x8x13xbf16>, tensor<13x16xbf16> -> tensor<2x8x16xbf16>
  return %2 : tensor<2x8x16xbf16>
}

// Logits that are spread from fewer columns: those of the matmul are no columns of the loss.
func.func @spread(%h: tensor<2x8x16xf32>, %w: tensor<1x16xf32>) -> tensor<2x8xf32> {
  // CHECK: [[#@LINE+1]]:8: {{.*}}[Missed] PadLogits | {{.*}}Reason="the loss does not go column by column"
  %0 = seq.linear %h, %w : tensor<2x8x16xf32>, tensor<1x16xf32> -> tensor<2x8x1xf32>
  %1 = kern.rowwise kernel "loss"(%0) maps [row] {
  ^bb0(%row: tensor<1xf32>):
    %a = seq.broadcast %row dims [0] : tensor<1xf32> -> tensor<1x5xf32>
    %s = seq.reduce max %a : tensor<1x5xf32> -> tensor<1xf32>
    %r = seq.reduce max %s : tensor<1xf32> -> tensor<f32>
    kern.yield %r : tensor<f32>
  } {seq.loss} : (tensor<2x8x1xf32>) -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}
