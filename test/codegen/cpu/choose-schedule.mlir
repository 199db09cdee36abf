// RUN: stretto-opt %s -kern-choose-schedule=cpu=x86-64-v4 | FileCheck %s
// RUN: stretto-opt %s -kern-choose-schedule=cpu=x86-64-v3 | FileCheck %s --check-prefix=FEW
// RUN: stretto-opt %s -kern-choose-schedule="cpu=x86-64-v3 rows=2 chunk=5" | FileCheck %s --check-prefix=SET
// RUN: stretto-opt %s -kern-choose-schedule=cpu=x86-64-v4 -remarks-filter=schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: @single
// SET-LABEL: @single
func.func @single(%x: tensor<8x512x256xf32>) -> tensor<8x512x256xf32> {
  // CHECK: schedule #kern.vector_schedule<rows 1, lanes 16, chunk 256>
  // SET: schedule #kern.vector_schedule<rows 2, lanes 8, chunk 5>
  // REMARK: walks blocks of rows{{.*}}chunk=256, chunks=16, {{.*}}lanes=16, {{.*}}rolling=0, rows=1
  %y = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<256xf32>):
    %0 = arith.addf %a, %a : tensor<256xf32>
    kern.yield %0 : tensor<256xf32>
  } : (tensor<8x512x256xf32>) -> tensor<8x512x256xf32>
  return %y : tensor<8x512x256xf32>
}

// The widest number decides the lanes; a sequence shorter than a block is one chunk.
// CHECK-LABEL: @double
func.func @double(%x: tensor<2x3x256xf64>) -> tensor<2x3x256xf64> {
  // CHECK: schedule #kern.vector_schedule<rows 1, lanes 8, chunk 3>
  %y = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<256xf64>):
    kern.yield %a : tensor<256xf64>
  } : (tensor<2x3x256xf64>) -> tensor<2x3x256xf64>
  return %y : tensor<2x3x256xf64>
}

// A schedule that is there stays.
// CHECK-LABEL: @given
func.func @given(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // CHECK: schedule #kern.vector_schedule<rows 1, lanes 4, chunk 2>
  %y = kern.rowwise(%x) maps [row] schedule #kern.vector_schedule<rows 1, lanes 4, chunk 2> {
  ^bb0(%a: tensor<16xf32>):
    kern.yield %a : tensor<16xf32>
  } : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}

// Rows share what taps read, and the ends of short loops; two rows where there are 16 registers and taps alone.
// CHECK-LABEL: @blocks
// FEW-LABEL: @blocks
func.func @blocks(%x: tensor<8x512x256xf32>, %z: tensor<8x512x32xf32>) -> (tensor<8x512x256xf32>, tensor<8x512x32xf32>) {
  // CHECK: schedule #kern.vector_schedule<rows 4, lanes 16, chunk 256>
  // FEW: schedule #kern.vector_schedule<rows 2, lanes 8,
  %0 = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<256xf32>):
    %t = seq.tap %a by -1 : tensor<256xf32>
    kern.yield %t : tensor<256xf32>
  } : (tensor<8x512x256xf32>) -> tensor<8x512x256xf32>
  // CHECK: schedule #kern.vector_schedule<rows 4, lanes 16, chunk 256>
  // FEW: schedule #kern.vector_schedule<rows 1, lanes 8,
  %1 = kern.rowwise(%z) maps [row] {
  ^bb0(%a: tensor<32xf32>):
    %s = arith.addf %a, %a : tensor<32xf32>
    kern.yield %s : tensor<32xf32>
  } : (tensor<8x512x32xf32>) -> tensor<8x512x32xf32>
  return %0, %1 : tensor<8x512x256xf32>, tensor<8x512x32xf32>
}

// What taps read is rolling from block to block where it is expensive: here exp and what it is multiplied with, not the sum
// of two operands, and nothing that is read at one row only.
// CHECK-LABEL: @rolling
// SET-LABEL: @rolling
func.func @rolling(%x: tensor<2x64x256xf32>, %z: tensor<2x64x256xf32>) -> tensor<2x64x256xf32> {
  // REMARK: walks blocks of rows{{.*}}cycles={{[0-9]+}}, cycles_without_scratch={{[0-9]+}}, {{.*}}rolling=1,
  %y = kern.rowwise(%x, %z) maps [row, row] {
  ^bb0(%a: tensor<256xf32>, %c: tensor<256xf32>):
    // CHECK: math.exp
    // CHECK-NOT: kern.rolling
    // CHECK: arith.mulf %{{.*}} {kern.rolling}
    // CHECK-NOT: kern.rolling
    %e = math.exp %a : tensor<256xf32>
    %p = arith.mulf %e, %c : tensor<256xf32>
    %p1 = seq.tap %p by -1 : tensor<256xf32>
    %p2 = seq.tap %p by 3 : tensor<256xf32>
    %s = arith.addf %a, %c : tensor<256xf32>
    %s1 = seq.tap %s by -2 : tensor<256xf32>
    %l = math.log %c : tensor<256xf32>
    %0 = arith.maximumf %p1, %p2 : tensor<256xf32>
    %1 = arith.maximumf %0, %s1 : tensor<256xf32>
    %2 = arith.maximumf %1, %l : tensor<256xf32>
    kern.yield %2 : tensor<256xf32>
  } : (tensor<2x64x256xf32>, tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
  return %y : tensor<2x64x256xf32>
}

// What several stages read is cached by the first where it is expensive: exp, not the difference that it is made of.
// CHECK-LABEL: @cached
// SET-LABEL: @cached
func.func @cached(%x: tensor<2x64x256xf32>) -> tensor<2x64x256xf32> {
  // REMARK: walks blocks of rows{{.*}}cached=1,
  %y = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<256xf32>):
    // CHECK-NOT: kern.cached
    // CHECK: math.exp %{{.*}} {kern.cached}
    // CHECK-NOT: kern.cached
    %one = arith.constant dense<1.0> : tensor<256xf32>
    %d = arith.subf %a, %one : tensor<256xf32>
    %e = math.exp %d : tensor<256xf32>
    %s = seq.reduce add %e : tensor<256xf32> -> tensor<f32>
    %sb = seq.broadcast %s dims [] : tensor<f32> -> tensor<256xf32>
    %0 = arith.mulf %e, %sb : tensor<256xf32>
    %1 = arith.addf %0, %d : tensor<256xf32>
    kern.yield %1 : tensor<256xf32>
  } : (tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
  return %y : tensor<2x64x256xf32>
}
