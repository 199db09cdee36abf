// RUN: stretto-opt %s --seq-decompose --seq-differentiate --seq-simplify-taps --seq-choose-saved --remarks-filter=memory --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: stretto-opt %s --seq-decompose --seq-differentiate --seq-simplify-taps --seq-choose-saved=memory-budget=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: stretto-opt %s --seq-decompose --seq-differentiate --seq-simplify-taps --seq-choose-saved=operations-per-byte=0.3 | FileCheck %s --check-prefix=SLOW

// A gated MLP keeps its input, the scalar of the norm, and the matmul; everything between is recomputed.
// Per row: 16 + 1 + 48 numbers. Where arithmetic is slow beside memory, the most expensive function is saved, too.

seq.parameter @g parts [#seq.part<"layers.{}.g", 16, <constant, 1.0 : f64, 0.0 : f64>>] stacked : tensor<3x16xf32>
seq.parameter @w1 parts [#seq.part<"layers.{}.w1", 48, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x48x16xf32>
seq.parameter @w2 parts [#seq.part<"layers.{}.w2", 16, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x16x24xf32>

func.func private @mlp(%x: tensor<2x32x16xf32>, %g: tensor<16xf32>, %w1: tensor<48x16xf32>, %w2: tensor<16x24xf32>) -> tensor<2x32x16xf32> {
  %0 = seq.rms_norm %x, %g eps 1.0e-5 heads 1 : tensor<2x32x16xf32>, tensor<16xf32>
  %1 = seq.linear %0, %w1 : tensor<2x32x16xf32>, tensor<48x16xf32> -> tensor<2x32x48xf32>
  %2 = seq.slice %1 at 0 : tensor<2x32x48xf32> -> tensor<2x32x24xf32>
  %3 = seq.slice %1 at 24 : tensor<2x32x48xf32> -> tensor<2x32x24xf32>
  %4 = seq.sigmoid %2 : tensor<2x32x24xf32>
  %5 = arith.mulf %2, %4 : tensor<2x32x24xf32>
  %6 = arith.mulf %5, %3 : tensor<2x32x24xf32>
  %7 = seq.linear %6, %w2 : tensor<2x32x24xf32>, tensor<16x24xf32> -> tensor<2x32x16xf32>
  %8 = arith.addf %x, %7 : tensor<2x32x16xf32>
  return %8 : tensor<2x32x16xf32>
}
func.func @gradients(%x: tensor<2x32x16xf32>, %dy: tensor<2x32x16xf32>) {
  %g = seq.get_parameter @g : tensor<3x16xf32>
  %w1 = seq.get_parameter @w1 : tensor<3x48x16xf32>
  %w2 = seq.get_parameter @w2 : tensor<3x16x24xf32>
  %y = seq.scan @mlp trips 3 carry(%x) slices(%g, %w1, %w2) invariants() : (tensor<2x32x16xf32>, tensor<3x16xf32>, tensor<3x48x16xf32>, tensor<3x16x24xf32>) -> tensor<2x32x16xf32>
  seq.backward of(%y) from(%dy) : tensor<2x32x16xf32>
  return
}

// CHECK: [Passed] ChooseSaved {{.*}} Bytes=256
// CHECK-NOT: [Passed]
// CHECK: mlp.mlir:14:8: remark: [Passed] ChooseSaved {{.*}} Bytes=12288
// CHECK: mlp.mlir:12:24: remark: [Passed] ChooseSaved {{.*}} Bytes=4096
// CHECK: [Analysis] SavedBytes {{.*}}BytesSaved=16640
// CHECK: func private @mlp.backward
// CHECK: math.rsqrt {{.*}}seq.saved = 256 : i64

// BUDGET: warning: the memory budget of 1 bytes for saved values cannot be met: the least is 49152 bytes, unless 'recompute' of the spec has matmuls repeated, too
// BUDGET-NOT: note:

// SLOW: func private @mlp.backward
// SLOW-SAME: seq.saved_bytes = 22784 : i64
// SLOW: seq.sigmoid {{.*}}seq.saved = 6144 : i64
