// RUN: stretto-opt %s --kern-form-groups | FileCheck %s --check-prefix=CPU
// RUN: stretto-opt %s --kern-form-groups=block-rows=64 | FileCheck %s --check-prefix=LONG
// RUN: stretto-opt %s --kern-form-groups=operations-per-byte=30 | FileCheck %s --check-prefix=SLOW
// RUN: stretto-opt %s --kern-form-groups=held-bytes=64 | FileCheck %s --check-prefix=SMALL

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
