// RUN: stretto-opt %s --seq-set-activation-type --kern-round-activations --split-input-file | FileCheck %s

// What is one number per head stays wide, what has columns does not; taps and gains are read as they are.
// CHECK: module attributes {seq.activation_type = bf16}
// CHECK-LABEL: func @statistics
// CHECK-SAME: (%[[X:.*]]: tensor<2x8x16xbf16>) -> (tensor<2x8x16xbf16>, tensor<16xf32>)
func.func @statistics(%x: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<16xf32>) {
  %g = seq.get_parameter @g : tensor<16xf32>
  %w = seq.get_parameter @w : tensor<16x16xf32>
  // CHECK: kern.rowwise kernel "s"
  // CHECK-NEXT: ^bb0(%[[ROW:.*]]: tensor<16xbf16>):
  // CHECK-NEXT: arith.extf %[[ROW]] : tensor<16xbf16> to tensor<16xf32>
  // CHECK: kern.yield %{{.*}} : tensor<4xf32>
  // CHECK-NEXT: (tensor<2x8x16xbf16>) -> tensor<2x8x4xf32>
  %s = kern.rowwise kernel "s"(%x) maps [row] {
  ^bb0(%row: tensor<16xf32>):
    %0 = seq.reshape %row : tensor<16xf32> -> tensor<4x4xf32>
    %1 = seq.reduce add %0 : tensor<4x4xf32> -> tensor<4xf32>
    kern.yield %1 : tensor<4xf32>
  } : (tensor<2x8x16xf32>) -> tensor<2x8x4xf32>
  // CHECK: kern.rowwise kernel "t"(%{{.*}}) maps [row]
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<4xf32>):
  // CHECK-NEXT: math.rsqrt
  // CHECK: -> tensor<2x8x4xf32>
  %t = kern.rowwise kernel "t"(%s) maps [row] {
  ^bb0(%row: tensor<4xf32>):
    %0 = math.rsqrt %row : tensor<4xf32>
    kern.yield %0 : tensor<4xf32>
  } : (tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  // CHECK: kern.rowwise kernel "y"
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<4xf32>, %[[ROW:.*]]: tensor<16xbf16>, %{{.*}}: tensor<16xf32>):
  // CHECK: %[[SUM:.*]] = seq.column_sum %[[V:.*]] : tensor<16xf32> -> tensor<16xf32>
  // CHECK: %[[R:.*]] = arith.truncf %[[V]] : tensor<16xf32> to tensor<16xbf16>
  // CHECK: kern.yield %[[R]], %[[SUM]] : tensor<16xbf16>, tensor<16xf32>
  %y:2 = kern.rowwise kernel "y"(%t, %x, %g) maps [row, row, shared] {
  ^bb0(%r: tensor<4xf32>, %row: tensor<16xf32>, %gain: tensor<16xf32>):
    %0 = seq.broadcast %r dims [0] : tensor<4xf32> -> tensor<4x4xf32>
    %1 = seq.reshape %0 : tensor<4x4xf32> -> tensor<16xf32>
    %2 = arith.mulf %row, %1 : tensor<16xf32>
    %3 = arith.mulf %2, %gain : tensor<16xf32>
    %4 = seq.column_sum %3 : tensor<16xf32> -> tensor<16xf32>
    kern.yield %3, %4 : tensor<16xf32>, tensor<16xf32>
  } : (tensor<2x8x4xf32>, tensor<2x8x16xf32>, tensor<16xf32>) -> (tensor<2x8x16xf32>, tensor<16xf32>)
  %z = seq.linear %y#0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  return %z, %y#1 : tensor<2x8x16xf32>, tensor<16xf32>
}
seq.parameter @g parts [#seq.part<"g", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16xf32>
seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>

// -----
// Numbers of rows that a matmul reads are rounded for it; the matmul's own result need not be a row of many columns.
// CHECK-LABEL: func @narrow
// CHECK-SAME: -> tensor<2x8x2xbf16>
func.func @narrow(%x: tensor<2x8x16xf32>, %w: tensor<2x4xf32>) -> tensor<2x8x2xf32> {
  // CHECK: kern.rowwise kernel "s"
  // CHECK: -> tensor<2x8x4xbf16>
  %s = kern.rowwise kernel "s"(%x) maps [row] {
  ^bb0(%row: tensor<16xf32>):
    %0 = seq.reshape %row : tensor<16xf32> -> tensor<4x4xf32>
    %1 = seq.reduce add %0 : tensor<4x4xf32> -> tensor<4xf32>
    kern.yield %1 : tensor<4xf32>
  } : (tensor<2x8x16xf32>) -> tensor<2x8x4xf32>
  %y = seq.linear %s, %w : tensor<2x8x4xf32>, tensor<2x4xf32> -> tensor<2x8x2xf32>
  return %y : tensor<2x8x2xf32>
}

// -----
// Kernels over the rows of a weight keep it in f32; what a matmul reads of it is rounded by a kernel.
// CHECK-LABEL: func @parameters
// CHECK-SAME: %[[X:.*]]: tensor<2x8x16xbf16>
seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>
func.func @parameters(%x: tensor<2x8x16xf32>) {
  // CHECK: %[[W:.*]] = seq.get_parameter @w : tensor<16x16xf32>
  %w = seq.get_parameter @w : tensor<16x16xf32>
  %rows = seq.reshape %w : tensor<16x16xf32> -> tensor<1x16x16xf32>
  // CHECK: %[[V:.*]] = kern.rowwise kernel "v"
  // CHECK: (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
  %v = kern.rowwise kernel "v"(%rows) maps [row] {
  ^bb0(%row: tensor<16xf32>):
    %0 = math.exp %row : tensor<16xf32>
    kern.yield %0 : tensor<16xf32>
  } : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
  %u = seq.reshape %v : tensor<1x16x16xf32> -> tensor<16x16xf32>
  // CHECK: %[[R:.*]] = kern.rowwise kernel "parameters.round0"(%[[V]]) maps [row] {
  // CHECK-NEXT: ^bb0(%[[ROW:.*]]: tensor<16xf32>):
  // CHECK-NEXT: arith.truncf %[[ROW]] : tensor<16xf32> to tensor<16xbf16>
  // CHECK: %[[U:.*]] = seq.reshape %[[R]] : tensor<1x16x16xbf16> -> tensor<16x16xbf16>
  // CHECK: seq.linear %[[X]], %[[U]]
  %y = seq.linear %x, %u : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  // CHECK: seq.linear_weight_grad %{{.*}} : tensor<2x8x16xbf16>, tensor<2x8x16xbf16> -> tensor<16x16xf32>
  %dw = seq.linear_weight_grad %y, %x : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
  %dv = seq.reshape %dw : tensor<16x16xf32> -> tensor<1x16x16xf32>
  // CHECK: kern.rowwise kernel "d"
  // CHECK: (tensor<1x16x16xf32>, tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
  %d = kern.rowwise kernel "d"(%dv, %v) maps [row, row] {
  ^bb0(%row: tensor<16xf32>, %other: tensor<16xf32>):
    %0 = arith.mulf %row, %other : tensor<16xf32>
    kern.yield %0 : tensor<16xf32>
  } : (tensor<1x16x16xf32>, tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
  %g = seq.reshape %d : tensor<1x16x16xf32> -> tensor<16x16xf32>
  seq.gradient @w, %g : tensor<16x16xf32>
  return
}

// -----
// A matmul that is masked by the places of tokens is as rounded as any other.
// CHECK-LABEL: func @places
func.func @places(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>, %places: tensor<2x8xi32>) -> tensor<2x8x16xf32> {
  // CHECK: seq.linear %{{.*}} -> tensor<2x8x16xbf16>
  %y = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  // CHECK: (tensor<2x8x16xbf16>, tensor<2x8xi32>) -> tensor<2x8x16xbf16>
  %m = kern.rowwise kernel "masked"(%y, %places) maps [row, row] {
  ^bb0(%row: tensor<16xf32>, %place: tensor<i32>):
    %0 = arith.sitofp %place : tensor<i32> to tensor<f32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %1 = arith.cmpf ogt, %0, %zero : tensor<f32>
    %2 = seq.broadcast %1 dims [] : tensor<i1> -> tensor<16xi1>
    %3 = seq.tap %row by -1 : tensor<16xf32>
    %none = arith.constant dense<0.0> : tensor<16xf32>
    %4 = arith.select %2, %3, %none : tensor<16xi1>, tensor<16xf32>
    kern.yield %4 : tensor<16xf32>
  } : (tensor<2x8x16xf32>, tensor<2x8xi32>) -> tensor<2x8x16xf32>
  %z = seq.linear %m, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  return %z : tensor<2x8x16xf32>
}

// -----
// Logits are compared with targets, column by column. Their gradient is rounded, losses are not.
// CHECK-LABEL: func @head
func.func @head(%h: tensor<2x8x16xf32>, %w: tensor<32x16xf32>, %targets: tensor<2x8xi32>) -> tensor<2x8xf32> {
  // CHECK: seq.linear %{{.*}} : tensor<2x8x16xbf16>, tensor<32x16xbf16> -> tensor<2x8x32xf32>
  %y = seq.linear %h, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  // CHECK: kern.rowwise kernel "loss"
  // CHECK: (tensor<2x8x32xf32>, tensor<2x8xi32>) -> (tensor<2x8xf32>, tensor<2x8x32xbf16>)
  %l:2 = kern.rowwise kernel "loss"(%y, %targets) maps [row, row] {
  ^bb0(%row: tensor<32xf32>, %target: tensor<i32>):
    %0 = arith.sitofp %target : tensor<i32> to tensor<f32>
    %wide = seq.broadcast %0 dims [] : tensor<f32> -> tensor<32xf32>
    %index = seq.column_index : tensor<32xf32>
    %is = arith.cmpf oeq, %index, %wide : tensor<32xf32>
    %zero = arith.constant dense<0.0> : tensor<32xf32>
    %chosen = arith.select %is, %row, %zero : tensor<32xi1>, tensor<32xf32>
    %2 = seq.reduce add %chosen : tensor<32xf32> -> tensor<f32>
    kern.yield %2, %row : tensor<f32>, tensor<32xf32>
  } {seq.loss} : (tensor<2x8x32xf32>, tensor<2x8xi32>) -> (tensor<2x8xf32>, tensor<2x8x32xf32>)
  %d = seq.linear_input_grad %l#1, %w : tensor<2x8x32xf32>, tensor<32x16xf32> -> tensor<2x8x16xf32>
  return %l#0 : tensor<2x8xf32>
}
