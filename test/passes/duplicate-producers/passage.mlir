// RUN: stretto-opt %s --kern-form-groups --kern-duplicate-producers --remarks-filter=fusion 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: stretto-opt %s --kern-form-groups --kern-duplicate-producers=kept-rows=8 | FileCheck %s --check-prefix=NEAR

// The reader behind the matmul has %x too: an addition costs less than to write %1 and to read it. The tap that is
// repeated beside the reader follows; the scalar of a reduction is passed on.
// REMARK: [Passed] DuplicatedProducers {{.*}} Function=cheap | BytesNotMoved=1024, Remark="1 row operations duplicated in the kernel that reads them"
// REMARK-NOT: DuplicatedProducers
// REMARK: [Passed] DuplicatedProducers {{.*}} Function=far | BytesNotMoved=1024
// CHECK-LABEL: func @cheap
// CHECK: seq.reduce add {{.*}} {kern.group = 0 : i64}
// CHECK-NOT: seq.reduce
// CHECK: arith.addf {{.*}} {kern.group = 0 : i64}
// CHECK: %[[COPY:.*]] = arith.addf %{{.*}}, %{{.*}} {kern.group = 1 : i64}
// CHECK: seq.linear
// CHECK: %[[TAP:.*]] = seq.tap %[[COPY]] by -1
// CHECK: arith.mulf %[[TAP]], %{{.*}} {kern.group = 1 : i64}
func.func @cheap(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %s = seq.reduce add %x : tensor<2x8x16xf32> -> tensor<2x8xf32>
  %0 = seq.broadcast %s dims [0, 1] : tensor<2x8xf32> -> tensor<2x8x16xf32>
  %1 = arith.addf %x, %0 : tensor<2x8x16xf32>
  %2 = math.exp %1 : tensor<2x8x16xf32>
  %3 = seq.linear %2, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %4 = seq.tap %1 by -1 : tensor<2x8x16xf32>
  %5 = arith.mulf %4, %3 : tensor<2x8x16xf32>
  %6 = arith.mulf %5, %x : tensor<2x8x16xf32>
  return %6 : tensor<2x8x16xf32>
}

// What is to have a kernel of its own computes nothing else.
// CHECK-LABEL: func @own
// CHECK-COUNT-1: arith.addf
// CHECK-NOT: arith.addf
func.func @own(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = arith.addf %x, %x : tensor<2x8x16xf32>
  %1 = math.tanh %0 {seq.no_fuse} : tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}

// An exponential is more expensive than the bytes that are read, since they are written for the matmul in any case.
// CHECK-LABEL: func @expensive
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
func.func @expensive(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = math.exp %x : tensor<2x8x16xf32>
  %1 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = arith.mulf %0, %1 : tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}

// Reading both operands of an addition beside the reader takes as many bytes as writing and reading its result.
// CHECK-LABEL: func @inputs
// CHECK-COUNT-1: arith.addf
// CHECK-NOT: arith.addf
func.func @inputs(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = arith.addf %x, %y : tensor<2x8x16xf32>
  %1 = math.exp %0 : tensor<2x8x16xf32>
  %2 = seq.linear %1, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %3 = arith.mulf %0, %2 : tensor<2x8x16xf32>
  return %3 : tensor<2x8x16xf32>
}

// An addition of what is tapped 20 rows away is computed once more behind the matmul, unless a kernel keeps fewer rows than that.
// CHECK-LABEL: func @far
// CHECK: arith.addf {{.*}} {kern.group = 0 : i64}
// CHECK: arith.addf {{.*}} {kern.group = 1 : i64}
// NEAR-LABEL: func @far
// NEAR: arith.addf {{.*}} {kern.group = 0 : i64}
// NEAR-NOT: arith.addf
func.func @far(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.tap %x by -20 : tensor<2x8x16xf32>
  %1 = arith.addf %x, %0 : tensor<2x8x16xf32>
  %2 = math.exp %1 : tensor<2x8x16xf32>
  %3 = seq.linear %2, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %4 = arith.mulf %1, %3 : tensor<2x8x16xf32>
  %5 = arith.mulf %4, %x : tensor<2x8x16xf32>
  return %5 : tensor<2x8x16xf32>
}
