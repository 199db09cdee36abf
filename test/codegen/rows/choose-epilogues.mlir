// RUN: stretto-opt %s -kern-choose-epilogues -remarks-filter=fusion -remark-format=emitRemark -o /dev/null 2>&1 | \
// RUN:   FileCheck %s --implicit-check-not="Epilogue |"

// Columns j and 8 + j meet: strips of both halves. What else reads the matmul keeps it in memory.
func.func @halves(%x: tensor<2x8x16xf32>, %w: tensor<256x16xf32>) -> (tensor<2x8x128xf32>, tensor<2x8x256xf32>) {
  // CHECK: FusedEpilogue{{.*}} | Function=halves | BytesNotMoved=16384, BytesNotRead=16384, Kernel=halves.rowwise0, Matmul="seq.linear at line [[#@LINE+1]]", Remark="in the epilogue of seq.linear at line [[#@LINE+1]]: halves.rowwise0"
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<256x16xf32> -> tensor<2x8x256xf32>
  %1 = kern.rowwise kernel "halves.rowwise0"(%0) maps [row] {
  ^bb0(%row: tensor<256xf32>):
    %a = seq.slice %row at 0 : tensor<256xf32> -> tensor<128xf32>
    %b = seq.slice %row at 128 : tensor<256xf32> -> tensor<128xf32>
    %c = arith.mulf %a, %b : tensor<128xf32>
    kern.yield %c : tensor<128xf32>
  } : (tensor<2x8x256xf32>) -> tensor<2x8x128xf32>
  return %1, %0 : tensor<2x8x128xf32>, tensor<2x8x256xf32>
}

// Heads of 64 columns are reduced, rows ahead are read, and the matmul is read by nothing else.
func.func @heads(%x: tensor<2x8x16xf32>, %w: tensor<16x192xf32>) -> tensor<2x8x3xf32> {
  // CHECK: FusedEpilogue{{.*}} | Function=heads | {{.*}}BytesNotMoved=24576
  %0 = seq.linear_input_grad %x, %w : tensor<2x8x16xf32>, tensor<16x192xf32> -> tensor<2x8x192xf32>
  %1 = kern.rowwise kernel "heads.rowwise0"(%0) maps [row] {
  ^bb0(%row: tensor<192xf32>):
    %a = seq.tap %row by 2 : tensor<192xf32>
    %b = seq.reshape %a : tensor<192xf32> -> tensor<3x64xf32>
    %c = seq.reduce add %b : tensor<3x64xf32> -> tensor<3xf32>
    kern.yield %c : tensor<3xf32>
  } : (tensor<2x8x192xf32>) -> tensor<2x8x3xf32>
  return %1 : tensor<2x8x3xf32>
}

func.func @whole_row(%x: tensor<2x8x16xf32>, %w: tensor<256x16xf32>) -> tensor<2x8xf32> {
  // CHECK: NotInEpilogue{{.*}} | Function=whole_row | Reason="the kernel brings together columns that do not fit a strip of 128"
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<256x16xf32> -> tensor<2x8x256xf32>
  %1 = kern.rowwise kernel "whole.rowwise0"(%0) maps [row] {
  ^bb0(%row: tensor<256xf32>):
    %a = seq.reduce add %row : tensor<256xf32> -> tensor<f32>
    kern.yield %a : tensor<f32>
  } : (tensor<2x8x256xf32>) -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

func.func @other_sum(%x: tensor<2x8x16xf32>, %w: tensor<32x16xf32>) -> (tensor<2x8xf32>, tensor<2x8x32xf32>) {
  // CHECK: NotInEpilogue{{.*}} | Function=other_sum | Reason="a reduction of the kernel does not depend on the matmul"
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  %1:2 = kern.rowwise kernel "other_sum.rowwise0"(%0, %x) maps [row, row] {
  ^bb0(%row: tensor<32xf32>, %other: tensor<16xf32>):
    %a = seq.reduce add %other : tensor<16xf32> -> tensor<f32>
    %b = arith.negf %row : tensor<32xf32>
    kern.yield %a, %b : tensor<f32>, tensor<32xf32>
  } : (tensor<2x8x32xf32>, tensor<2x8x16xf32>) -> (tensor<2x8xf32>, tensor<2x8x32xf32>)
  return %1#0, %1#1 : tensor<2x8xf32>, tensor<2x8x32xf32>
}

// Half of the heads are no columns of the matmul: any strip may read them.
func.func @other_heads(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x8xf32> {
  // CHECK: NotInEpilogue{{.*}} | Function=other_heads | Reason="a reduction of the kernel does not depend on the matmul"
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %1 = kern.rowwise kernel "other_heads.rowwise0"(%0, %x) maps [row, row] {
  ^bb0(%row: tensor<16xf32>, %other: tensor<16xf32>):
    %a = seq.concat %row, %other : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %b = seq.reshape %a : tensor<32xf32> -> tensor<8x4xf32>
    %c = seq.reduce add %b : tensor<8x4xf32> -> tensor<8xf32>
    kern.yield %c : tensor<8xf32>
  } : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x8xf32>
  return %1 : tensor<2x8x8xf32>
}

// Heads of what is no column of the matmul are added up: elements of several strips to one.
func.func @other_gain(%x: tensor<2x8x16xf32>, %w: tensor<32x16xf32>, %o: tensor<2x8x32xf32>) -> (tensor<8xf32>, tensor<2x8x32xf32>) {
  // CHECK: NotInEpilogue{{.*}} | Function=other_gain | Reason="result 0 of the kernel does not follow the columns of the matmul"
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  %1:2 = kern.rowwise kernel "other_gain.rowwise0"(%0, %o) maps [row, row] {
  ^bb0(%row: tensor<32xf32>, %other: tensor<32xf32>):
    %a = seq.reshape %other : tensor<32xf32> -> tensor<4x8xf32>
    %b = seq.column_sum %a : tensor<4x8xf32> -> tensor<8xf32>
    %c = arith.addf %row, %other : tensor<32xf32>
    kern.yield %b, %c : tensor<8xf32>, tensor<32xf32>
  } : (tensor<2x8x32xf32>, tensor<2x8x32xf32>) -> (tensor<8xf32>, tensor<2x8x32xf32>)
  return %1#0, %1#1 : tensor<8xf32>, tensor<2x8x32xf32>
}

func.func @other_width(%x: tensor<2x8x16xf32>, %w: tensor<32x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x32xf32>) {
  // CHECK: NotInEpilogue{{.*}} | Function=other_width | Reason="result 0 of the kernel does not follow the columns of the matmul"
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  %1:2 = kern.rowwise kernel "other_width.rowwise0"(%0, %x) maps [row, row] {
  ^bb0(%row: tensor<32xf32>, %other: tensor<16xf32>):
    %a = arith.negf %other : tensor<16xf32>
    %b = arith.negf %row : tensor<32xf32>
    kern.yield %a, %b : tensor<16xf32>, tensor<32xf32>
  } : (tensor<2x8x32xf32>, tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x32xf32>)
  return %1#0, %1#1 : tensor<2x8x16xf32>, tensor<2x8x32xf32>
}

func.func @far(%x: tensor<2x32x16xf32>, %w: tensor<32x16xf32>) -> tensor<2x32x32xf32> {
  // CHECK: NotInEpilogue{{.*}} | Function=far | Reason="taps reach over 16 rows, more than 15"
  %0 = seq.linear %x, %w : tensor<2x32x16xf32>, tensor<32x16xf32> -> tensor<2x32x32xf32>
  %1 = kern.rowwise kernel "far.rowwise0"(%0) maps [row] {
  ^bb0(%row: tensor<32xf32>):
    %a = seq.tap %row by -16 : tensor<32xf32>
    kern.yield %a : tensor<32xf32>
  } : (tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
  return %1 : tensor<2x32x32xf32>
}

func.func @through_others(%x: tensor<2x8x16xf32>, %w: tensor<32x16xf32>, %v: tensor<32x32xf32>) -> tensor<2x8x32xf32> {
  // CHECK: FusedEpilogue{{.*}} | Function=through_others | {{.*}}epilogue of seq.linear at line [[#@LINE+3]]
  // CHECK: NotInEpilogue{{.*}} | Function=through_others | Reason="the kernel lies in the epilogue of another matmul"
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  %1 = seq.linear %0, %v : tensor<2x8x32xf32>, tensor<32x32xf32> -> tensor<2x8x32xf32>
  %2 = kern.rowwise kernel "through_others.rowwise0"(%0, %1) maps [row, row] {
  ^bb0(%a: tensor<32xf32>, %b: tensor<32xf32>):
    %c = arith.addf %a, %b : tensor<32xf32>
    kern.yield %c : tensor<32xf32>
  } : (tensor<2x8x32xf32>, tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
  return %2 : tensor<2x8x32xf32>
}

// Each kernel reads both matmuls: one pair would wait for the other.
func.func @crossed(%x: tensor<2x8x16xf32>, %w: tensor<32x16xf32>, %v: tensor<32x16xf32>) -> (tensor<2x8x32xf32>, tensor<2x8x32xf32>) {
  // CHECK: FusedEpilogue{{.*}} | Function=crossed
  // CHECK: NotInEpilogue{{.*}} | Function=crossed | Reason="another kernel lies in the epilogue of the matmul"
  // CHECK: NotInEpilogue{{.*}} | Function=crossed | Reason="the kernel lies in the epilogue of another matmul"
  // CHECK: NotInEpilogue{{.*}} | Function=crossed | Reason="what else the kernel reads depends on the matmul"
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  %1 = seq.linear %x, %v : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  %2 = kern.rowwise kernel "crossed.rowwise0"(%0, %1) maps [row, row] {
  ^bb0(%a: tensor<32xf32>, %b: tensor<32xf32>):
    %c = arith.addf %a, %b : tensor<32xf32>
    kern.yield %c : tensor<32xf32>
  } : (tensor<2x8x32xf32>, tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
  %3 = kern.rowwise kernel "crossed.rowwise1"(%0, %1) maps [row, row] {
  ^bb0(%a: tensor<32xf32>, %b: tensor<32xf32>):
    %c = arith.mulf %a, %b : tensor<32xf32>
    kern.yield %c : tensor<32xf32>
  } : (tensor<2x8x32xf32>, tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
  return %2, %3 : tensor<2x8x32xf32>, tensor<2x8x32xf32>
}
