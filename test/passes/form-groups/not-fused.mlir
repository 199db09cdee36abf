// RUN: stretto-opt %s --kern-form-groups --remarks-filter=fusion 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// Nothing fuses across a matmul, nor around it: the two kernels that share %0 would each need the other.
// CHECK-LABEL: func @cycle
// CHECK: math.tanh %{{.*}} {kern.group = 0 : i64}
// CHECK: arith.mulf {{.*}} {kern.group = 1 : i64}
// REMARK: [Passed] FusedRows {{.*}} Function=cycle
// REMARK: [Missed] NotFused {{.*}} Function=cycle | Pair="arith.mulf at line [[#@LINE+4]] and math.tanh at line [[#@LINE+2]]", Reason="seq.linear at line [[#@LINE+3]] lies between", Remark="arith.mulf at line [[#@LINE+4]] is not in the kernel of math.tanh at line [[#@LINE+2]]"
func.func @cycle(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = math.tanh %x : tensor<2x8x16xf32>
  %1 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = arith.mulf %0, %1 : tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}

// CHECK-LABEL: func @asked
// REMARK: [Missed] NotFused {{.*}} Function=asked | {{.*}}Reason="the source asks for a kernel of its own", {{.*}}Suggestion="removing no_fuse there"
func.func @asked(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // CHECK: math.tanh {{.*}} {kern.group = 0 : i64, seq.no_fuse}
  // CHECK: math.exp {{.*}} {kern.group = 1 : i64}
  %0 = math.tanh %x {seq.no_fuse} : tensor<2x8x16xf32>
  %1 = math.exp %0 : tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}

// Each tap by 3 makes a block of 8 rows compute 3 rows more of everything before it.
// CHECK-LABEL: func @halo
// CHECK-COUNT-3: kern.group = 0
// CHECK: kern.group = 1
// REMARK: [Missed] NotFused {{.*}} Function=halo | {{.*}}Reason="together they would read 0 bytes again and compute {{[0-9]+}} rows beside each block of 8 twice, which costs more than {{[0-9]+}} bytes not moved", {{.*}}Suggestion="fewer taps in a row, or a matmul between them"
func.func @halo(%x: tensor<2x64x16xf32>) -> tensor<2x64x16xf32> {
  %0 = math.tanh %x : tensor<2x64x16xf32>
  %1 = seq.tap %0 by -3 : tensor<2x64x16xf32>
  %2 = math.tanh %1 : tensor<2x64x16xf32>
  %3 = seq.tap %2 by -3 : tensor<2x64x16xf32>
  %4 = math.tanh %3 : tensor<2x64x16xf32>
  %5 = seq.tap %4 by -3 : tensor<2x64x16xf32>
  %6 = math.tanh %5 : tensor<2x64x16xf32>
  %7 = seq.tap %6 by -3 : tensor<2x64x16xf32>
  %8 = math.tanh %7 : tensor<2x64x16xf32>
  %9 = seq.tap %8 by -3 : tensor<2x64x16xf32>
  %10 = math.tanh %9 : tensor<2x64x16xf32>
  %11 = seq.tap %10 by -3 : tensor<2x64x16xf32>
  %12 = math.tanh %11 : tensor<2x64x16xf32>
  return %12 : tensor<2x64x16xf32>
}

// The exponential could be computed with the tanh, but shares its rows with the addition, which waits for the matmul.
// CHECK-LABEL: func @waiting
// REMARK: [Missed] NotFused {{.*}} Function=waiting | {{.*}}Reason="seq.linear at line [[#@LINE+4]] lies between", Remark="math.exp at line [[#@LINE+3]] is not in the kernel of math.tanh at line [[#@LINE+2]]"
func.func @waiting(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = math.tanh %x : tensor<2x8x16xf32>
  %1 = math.exp %y : tensor<2x8x16xf32>
  %2 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %3 = arith.addf %1, %2 : tensor<2x8x16xf32>
  return %3 : tensor<2x8x16xf32>
}

// One number of each row, which both read, is not worth a kernel that waits for the operands of both. A whole number is a
// real one in each kernel.
// CHECK-LABEL: func @number
// CHECK: arith.sitofp %{{.*}} : tensor<2x8xi32> to tensor<2x8xf32>
// CHECK: arith.mulf {{.*}} {kern.group = 0 : i64}
// CHECK: arith.mulf {{.*}} {kern.group = 1 : i64}
// REMARK: [Missed] NotFused {{.*}} Function=number | {{.*}}Reason="they share one number for each row only, 64 bytes"
func.func @number(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %places: tensor<2x8xi32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %0 = arith.sitofp %places : tensor<2x8xi32> to tensor<2x8xf32>
  %1 = seq.broadcast %0 dims [0, 1] : tensor<2x8xf32> -> tensor<2x8x16xf32>
  %2 = arith.mulf %x, %1 : tensor<2x8x16xf32>
  %3 = arith.mulf %y, %1 : tensor<2x8x16xf32>
  return %2, %3 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}

// The same where the kernel begins with what is recomputed for it.
// CHECK-LABEL: func @recomputed
// REMARK: [Missed] NotFused {{.*}} Function=recomputed | {{.*}}Reason="seq.linear at line [[#@LINE+5]] lies between", Remark="arith.negf at line [[#@LINE+4]] is not in the kernel of math.tanh at line [[#@LINE+2]]"
func.func @recomputed(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = math.tanh %x : tensor<2x8x16xf32>
  %1 = math.exp %y {seq.recomputed} : tensor<2x8x16xf32>
  %2 = arith.negf %1 : tensor<2x8x16xf32>
  %3 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %4 = arith.addf %2, %3 : tensor<2x8x16xf32>
  return %4 : tensor<2x8x16xf32>
}

// A kernel that waits as a whole for another one, at first hand or not, needs no reason.
// CHECK-LABEL: func @behind
// REMARK-NOT: NotFused {{.*}} Function=behind
func.func @behind(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = math.tanh %x : tensor<2x8x16xf32>
  %1 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = math.exp %1 : tensor<2x8x16xf32>
  %3 = seq.linear %2, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %4 = arith.negf %3 : tensor<2x8x16xf32>
  return %4 : tensor<2x8x16xf32>
}
