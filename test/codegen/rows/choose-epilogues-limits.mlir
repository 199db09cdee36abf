// What a target and a source may ask for, one thing after the other.
// DEFINE: %{choose} = stretto-opt %s -remarks-filter=fusion -remark-format=emitRemark -o /dev/null
// RUN: %{choose} -kern-choose-epilogues 2>&1 | FileCheck %s --check-prefixes=ALONE,FUSED
// RUN: %{choose} -kern-choose-epilogues="least-depth=17" 2>&1 | FileCheck %s --check-prefixes=ALONE,DEPTH
// RUN: %{choose} -kern-choose-epilogues="least-rows=9" 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: %{choose} -kern-choose-epilogues="least-strips=3" 2>&1 | FileCheck %s --check-prefix=STRIPS
// RUN: %{choose} -kern-choose-epilogues="types=bf16" 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: %{choose} -kern-choose-epilogues="apart='others are faster'" 2>&1 | FileCheck %s --check-prefix=APART
// RUN: %{choose} -kern-choose-epilogues="most-columns=63 wanted-columns=32" 2>&1 | FileCheck %s --check-prefix=COLUMNS

// FUSED: FusedEpilogue{{.*}} Function=heads
// DEPTH: NotInEpilogue{{.*}} Function=heads | Reason="sums of 16 terms are too short to pay for strips, at least 17"
// ROWS: NotInEpilogue{{.*}} Function=heads | Reason="sequences have 8 tokens, and not at least 9"
// STRIPS: NotInEpilogue{{.*}} Function=heads | Reason="rows have fewer than 3 strips of 128 columns: 2"
// APART: NotInEpilogue{{.*}} Function=heads | Reason="others are faster"
// TYPE: NotInEpilogue{{.*}} Function=heads | Reason="this target has no matmul with an epilogue for f32"
// COLUMNS: NotInEpilogue{{.*}} Function=heads | Reason="the kernel brings together columns that do not fit a strip of 63"
func.func @heads(%x: tensor<2x8x16xf32>, %w: tensor<192x16xf32>) -> tensor<2x8x3xf32> {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<192x16xf32> -> tensor<2x8x192xf32>
  %1 = kern.rowwise kernel "heads.rowwise0"(%0) maps [row] {
  ^bb0(%row: tensor<192xf32>):
    %b = seq.reshape %row : tensor<192xf32> -> tensor<3x64xf32>
    %c = seq.reduce add %b : tensor<3x64xf32> -> tensor<3xf32>
    kern.yield %c : tensor<3xf32>
  } : (tensor<2x8x192xf32>) -> tensor<2x8x3xf32>
  return %1 : tensor<2x8x3xf32>
}

// ALONE: NotInEpilogue{{.*}} Function=alone | Reason="the source asks for a kernel of its own"
func.func @alone(%x: tensor<2x8x32xf32>, %w: tensor<32x32xf32>) -> tensor<2x8x32xf32> {
  %0 = seq.linear %x, %w : tensor<2x8x32xf32>, tensor<32x32xf32> -> tensor<2x8x32xf32>
  %1 = kern.rowwise kernel "alone.rowwise0"(%0) maps [row] {
  ^bb0(%row: tensor<32xf32>):
    %a = arith.negf %row {seq.no_fuse} : tensor<32xf32>
    kern.yield %a : tensor<32xf32>
  } : (tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
  return %1 : tensor<2x8x32xf32>
}

// ALONE: NotInEpilogue{{.*}} Function=loss | Reason="the loss compares all columns of a row"
func.func @loss(%x: tensor<2x8x32xf32>, %w: tensor<32x32xf32>) -> tensor<2x8x32xf32> {
  %0 = seq.linear %x, %w : tensor<2x8x32xf32>, tensor<32x32xf32> -> tensor<2x8x32xf32>
  %1 = kern.rowwise kernel "loss.rowwise0"(%0) maps [row] {
  ^bb0(%row: tensor<32xf32>):
    %a = arith.negf %row : tensor<32xf32>
    kern.yield %a : tensor<32xf32>
  } {seq.loss} : (tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
  return %1 : tensor<2x8x32xf32>
}

// ALONE: NotInEpilogue{{.*}} Function=residual | Reason="the matmul adds another value"
func.func @residual(%x: tensor<2x8x32xf32>, %w: tensor<32x32xf32>) -> tensor<2x8x32xf32> {
  %0 = seq.linear %x, %w add %x : tensor<2x8x32xf32>, tensor<32x32xf32> -> tensor<2x8x32xf32>
  %1 = kern.rowwise kernel "residual.rowwise0"(%0) maps [row] {
  ^bb0(%row: tensor<32xf32>):
    %a = arith.negf %row : tensor<32xf32>
    kern.yield %a : tensor<32xf32>
  } : (tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
  return %1 : tensor<2x8x32xf32>
}

// ALONE: NotInEpilogue{{.*}} Function=columns | Reason="the matmul reads some columns of wider rows"
func.func @columns(%x: tensor<2x8x64xf32>, %w: tensor<32x32xf32>) -> tensor<2x8x32xf32> {
  %s = seq.slice %x at 32 : tensor<2x8x64xf32> -> tensor<2x8x32xf32>
  %0 = seq.linear %s, %w : tensor<2x8x32xf32>, tensor<32x32xf32> -> tensor<2x8x32xf32>
  %1 = kern.rowwise kernel "columns.rowwise0"(%0) maps [row] {
  ^bb0(%row: tensor<32xf32>):
    %a = arith.negf %row : tensor<32xf32>
    kern.yield %a : tensor<32xf32>
  } : (tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
  return %1 : tensor<2x8x32xf32>
}

// ALONE: NotInEpilogue{{.*}} Function=twice | Reason="the kernel reads the matmul in two ways"
func.func @twice(%x: tensor<8x8x32xf32>, %w: tensor<32x32xf32>) -> tensor<8x8x32xf32> {
  %0 = seq.linear %x, %w : tensor<8x8x32xf32>, tensor<32x32xf32> -> tensor<8x8x32xf32>
  %1 = kern.rowwise kernel "twice.rowwise0"(%0, %0) maps [row, row] {
  ^bb0(%row: tensor<32xf32>, %again: tensor<32xf32>):
    %a = arith.addf %row, %again : tensor<32xf32>
    kern.yield %a : tensor<32xf32>
  } : (tensor<8x8x32xf32>, tensor<8x8x32xf32>) -> tensor<8x8x32xf32>
  return %1 : tensor<8x8x32xf32>
}
