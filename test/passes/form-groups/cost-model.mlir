// RUN: stretto-opt %s --kern-form-groups | FileCheck %s --check-prefix=CPU
// RUN: stretto-opt %s --kern-form-groups=block-rows=64 | FileCheck %s --check-prefix=LONG
// RUN: stretto-opt %s --kern-form-groups="block-rows=64 kept-rows=20" | FileCheck %s --check-prefix=LONG
// RUN: stretto-opt %s --kern-form-groups=operations-per-byte=30 | FileCheck %s --check-prefix=SLOW
// RUN: stretto-opt %s --kern-form-groups=held-bytes=64 | FileCheck %s --check-prefix=SMALL
// RUN: stretto-opt %s --kern-form-groups="block-rows=64 kept-rows=8" --remarks-filter=fusion 2>%t | FileCheck %s --check-prefix=NEAR
// RUN: FileCheck %s --check-prefix=REMARK < %t

// Whether a chain of taps is one kernel depends on the device: with long blocks few rows are computed twice, and where
// memory is slow that is worth it.
func.func @halo(%x: tensor<2x64x16xf32>) -> tensor<2x64x16xf32> {
  %0 = math.tanh %x : tensor<2x64x16xf32>
  %1 = seq.tap %0 by -3 : tensor<2x64x16xf32>
  %2 = math.tanh %1 : tensor<2x64x16xf32>
  %3 = seq.tap %2 by -3 : tensor<2x64x16xf32>
  %4 = math.tanh %3 : tensor<2x64x16xf32>
  %5 = seq.tap %4 by -3 : tensor<2x64x16xf32>
  %6 = math.tanh %5 : tensor<2x64x16xf32>
  return %6 : tensor<2x64x16xf32>
}
// CPU-LABEL: func @halo
// CPU: kern.group = 1
// LONG-LABEL: func @halo
// LONG-NOT: kern.group = 1
// SLOW-LABEL: func @halo
// SLOW-NOT: kern.group = 1
// SLOW-LABEL: func @reread

// Rows that do not stay in a cache are read again behind a reduction, which costs what one kernel would save.
func.func @reread(%x: tensor<2x64x1024xf32>, %y: tensor<2x64x1024xf32>, %z: tensor<2x64x1024xf32>) -> tensor<2x64x1024xf32> {
  %xy = arith.mulf %x, %y : tensor<2x64x1024xf32>
  %0 = arith.mulf %xy, %z : tensor<2x64x1024xf32>
  %1 = seq.reduce add %0 : tensor<2x64x1024xf32> -> tensor<2x64xf32>
  %2 = seq.broadcast %1 dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x1024xf32>
  %3 = arith.mulf %0, %2 : tensor<2x64x1024xf32>
  return %3 : tensor<2x64x1024xf32>
}
// LONG-LABEL: func @reread
// LONG-NOT: kern.group = 1
// SMALL-LABEL: func @reread
// SMALL: kern.group = 1

// Where rows are kept over a short way, what a tap reads further away is computed once more. A hyperbolic tangent takes longer than to
// write it and to read it, and an exponential does not.
func.func @far(%x: tensor<2x64x16xf32>, %y: tensor<2x64x16xf32>) -> (tensor<2x64x16xf32>, tensor<2x64x16xf32>) {
  %0 = math.tanh %x : tensor<2x64x16xf32>
  %1 = seq.tap %0 by -20 : tensor<2x64x16xf32>
  %2 = arith.addf %0, %1 : tensor<2x64x16xf32>
  %3 = math.exp %y : tensor<2x64x16xf32>
  %4 = seq.tap %3 by 20 : tensor<2x64x16xf32>
  %5 = arith.addf %3, %4 : tensor<2x64x16xf32>
  return %2, %5 : tensor<2x64x16xf32>, tensor<2x64x16xf32>
}
// LONG-LABEL: func @far
// LONG-NOT: kern.group = 2
// NEAR-LABEL: func @far
// NEAR: math.tanh {{.*}} {kern.group = 0 : i64}
// NEAR: arith.addf {{.*}} {kern.group = 1 : i64}
// NEAR: math.exp {{.*}} {kern.group = 2 : i64}
// NEAR: arith.addf {{.*}} {kern.group = 2 : i64}
// REMARK: NotFused {{.*}}Function=far {{.*}} and compute 0 rows beside each block of 64 twice, and 1 far from it for each of its rows

// Rows as far away as rows are kept are kept, in both directions.
func.func @ahead(%x: tensor<2x64x16xf32>) -> tensor<2x64x16xf32> {
  %0 = math.tanh %x : tensor<2x64x16xf32>
  %1 = seq.tap %0 by 20 : tensor<2x64x16xf32>
  %2 = arith.addf %0, %1 : tensor<2x64x16xf32>
  return %2 : tensor<2x64x16xf32>
}
// LONG-LABEL: func @ahead
// LONG-NOT: kern.group = 1
// NEAR-LABEL: func @ahead
// NEAR: kern.group = 1

// Sums along rows are there for rows near by alone.
func.func @sums(%x: tensor<2x64x16xf32>) -> tensor<2x64x16xf32> {
  %0 = seq.reduce add %x : tensor<2x64x16xf32> -> tensor<2x64xf32>
  %1 = seq.broadcast %0 dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x16xf32>
  %2 = arith.mulf %x, %1 : tensor<2x64x16xf32>
  %3 = seq.tap %2 by -20 : tensor<2x64x16xf32>
  %4 = arith.addf %x, %3 : tensor<2x64x16xf32>
  return %4 : tensor<2x64x16xf32>
}
// LONG-LABEL: func @sums
// LONG-NOT: kern.group = 1
// NEAR-LABEL: func @sums
// NEAR: kern.group = 1
// REMARK: NotFused {{.*}}Function=sums {{.*}}taps more than 8 rows away would need sums along rows there
