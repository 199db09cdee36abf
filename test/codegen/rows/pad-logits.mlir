// RUN: stretto-opt %s --kern-pad-logits --remarks-filter=memory --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=PadLogits < %t

// The gradient decides, in bf16: rows of 13 columns have 26 bytes, and those of 16 two vectors of 16 bytes. Zeros are stored
// behind column 13.
// CHECK-LABEL: @gradients
// CHECK: %[[X:.*]] = seq.linear %{{.*}} -> tensor<2x8x13xf32>
// CHECK: %[[P:.*]] = kern.pad %[[X]] : tensor<2x8x13xf32> -> tensor<2x8x16xf32>
// CHECK: %[[D:.*]] = kern.rowwise kernel "loss"(%[[P]])
// CHECK: ^bb0(%[[ROW:.*]]: tensor<16xf32>):
// CHECK: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<16xf32>
// CHECK: %[[A:.*]] = arith.mulf %[[ROW]], %[[C]]
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<16xf32>
// CHECK: %[[B:.*]] = arith.select %{{.*}}, %[[A]], %[[Z]]
// CHECK: arith.truncf %[[B]] : tensor<16xf32> to tensor<16xbf16>
// CHECK: %[[G:.*]] = seq.slice %[[D]] at 0 : tensor<2x8x16xbf16> -> tensor<2x8x13xbf16>
// CHECK: seq.linear_input_grad %[[G]],
func.func @gradients(%h: tensor<2x8x16xbf16>, %w: tensor<13x16xbf16>) -> tensor<2x8x16xbf16> {
  // REMARK: [[#@LINE+1]]:8: {{.*}}[Passed] PadLogits {{.*}}Function=gradients | Bytes=288, Remark="rows of logits have 16 columns instead of 13, and begin at multiples of 16 bytes instead of 2"
  %0 = seq.linear %h, %w : tensor<2x8x16xbf16>, tensor<13x16xbf16> -> tensor<2x8x13xf32>
  %1 = kern.rowwise kernel "loss"(%0) maps [row] {
  ^bb0(%row: tensor<13xf32>):
    %c = arith.constant dense<2.0> : tensor<13xf32>
    %a = arith.mulf %row, %c : tensor<13xf32>
    %b = arith.truncf %a : tensor<13xf32> to tensor<13xbf16>
    kern.yield %b : tensor<13xbf16>
  } {seq.loss} : (tensor<2x8x13xf32>) -> tensor<2x8x13xbf16>
  %2 = seq.linear_input_grad %1, %w : tensor<2x8x13xbf16>, tensor<13x16xbf16> -> tensor<2x8x16xbf16>
  return %2 : tensor<2x8x16xbf16>
}

// In f32 four columns are a vector: 14 become 16. A reduction sees what changes nothing behind column 14; one of something
// else that is as wide as the padded rows sees what there is.
// CHECK-LABEL: @evaluate
// CHECK: kern.pad %{{.*}} : tensor<2x8x14xf32> -> tensor<2x8x16xf32>
// CHECK: ^bb0(%[[ROW:[^:]*]]: tensor<16xf32>, %[[OTHER:[^:]*]]: tensor<16xf32>):
// CHECK-DAG: %[[J:.*]] = seq.column_index : tensor<16xf32>
// CHECK-DAG: %[[N:.*]] = arith.constant dense<1.400000e+01> : tensor<16xf32>
// CHECK: %[[INSIDE:.*]] = arith.cmpf olt, %[[J]], %[[N]]
// CHECK: %[[LEAST:.*]] = arith.constant dense<0xFF800000> : tensor<16xf32>
// CHECK: %[[A:.*]] = arith.select %[[INSIDE]], %[[ROW]], %[[LEAST]]
// CHECK: seq.reduce max %[[A]]
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<16xf32>
// CHECK: %[[B:.*]] = arith.select %[[INSIDE]], %[[ROW]], %[[ZERO]]
// CHECK: seq.reduce add %[[B]]
// CHECK: %[[MOST:.*]] = arith.constant dense<0x7F800000> : tensor<16xf32>
// CHECK: %[[C:.*]] = arith.select %[[INSIDE]], %[[ROW]], %[[MOST]]
// CHECK: seq.reduce min %[[C]]
// CHECK: seq.reduce add %[[OTHER]]
// CHECK-NOT: seq.slice
func.func @evaluate(%h: tensor<2x8x16xf32>, %w: tensor<14x16xf32>) -> tensor<2x8xf32> {
  // REMARK: [[#@LINE+1]]:8: {{.*}}[Passed] PadLogits {{.*}}Function=evaluate | Bytes=128, Remark="rows of logits have 16 columns instead of 14, and begin at multiples of 16 bytes instead of 8"
  %0 = seq.linear %h, %w : tensor<2x8x16xf32>, tensor<14x16xf32> -> tensor<2x8x14xf32>
  %1 = kern.rowwise kernel "loss"(%0, %h) maps [row, row] {
  ^bb0(%row: tensor<14xf32>, %other: tensor<16xf32>):
    %a = seq.reduce max %row : tensor<14xf32> -> tensor<f32>
    %b = seq.reduce add %row : tensor<14xf32> -> tensor<f32>
    %c = seq.reduce min %row : tensor<14xf32> -> tensor<f32>
    %d = seq.reduce add %other : tensor<16xf32> -> tensor<f32>
    %e = arith.addf %a, %b : tensor<f32>
    %f = arith.addf %c, %d : tensor<f32>
    %g = arith.addf %e, %f : tensor<f32>
    kern.yield %g : tensor<f32>
  } {seq.loss} : (tensor<2x8x14xf32>, tensor<2x8x16xf32>) -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

// 12 columns of f32 are three vectors, and another kernel than a loss is left alone.
// CHECK-LABEL: @aligned
// CHECK-NOT: kern.pad
func.func @aligned(%h: tensor<2x8x16xf32>, %w: tensor<12x16xf32>, %v: tensor<13x16xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %0 = seq.linear %h, %w : tensor<2x8x16xf32>, tensor<12x16xf32> -> tensor<2x8x12xf32>
  %1 = kern.rowwise kernel "loss"(%0) maps [row] {
  ^bb0(%row: tensor<12xf32>):
    %a = seq.reduce max %row : tensor<12xf32> -> tensor<f32>
    kern.yield %a : tensor<f32>
  } {seq.loss} : (tensor<2x8x12xf32>) -> tensor<2x8xf32>
  %2 = seq.linear %h, %v : tensor<2x8x16xf32>, tensor<13x16xf32> -> tensor<2x8x13xf32>
  %3 = kern.rowwise kernel "other"(%2) maps [row] {
  ^bb0(%row: tensor<13xf32>):
    %a = seq.reduce max %row : tensor<13xf32> -> tensor<f32>
    kern.yield %a : tensor<f32>
  } : (tensor<2x8x13xf32>) -> tensor<2x8xf32>
  return %1, %3 : tensor<2x8xf32>, tensor<2x8xf32>
}
