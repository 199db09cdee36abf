// RUN: stretto-opt %s --seq-decompose --seq-differentiate --seq-simplify-taps --seq-choose-saved | FileCheck %s --check-prefixes=CHECK,SPARE
// RUN: stretto-opt %s --seq-decompose --seq-differentiate --seq-simplify-taps --seq-choose-saved=memory-budget=99840 | FileCheck %s --check-prefixes=CHECK,SOME
// RUN: stretto-opt %s --seq-decompose --seq-differentiate --seq-simplify-taps --seq-choose-saved=memory-budget=1000000 | FileCheck %s --check-prefixes=CHECK,MOST
// RUN: stretto-opt %s --seq-decompose --seq-differentiate --seq-simplify-taps --seq-choose-saved=saved-byte-weight=2 | FileCheck %s --check-prefixes=CHECK,SOME
// RUN: stretto-opt %s --seq-decompose --seq-differentiate --seq-simplify-taps --seq-choose-saved=saved-byte-weight=1 | FileCheck %s --check-prefixes=CHECK,MOST

// What the library reads is worth keeping the more, the more expensive it is to recompute. The operands of attention want the matmul
// read twice, as the squares' own backward waits for attention's: they are kept as soon as there is memory. The operand of the last
// matmul comes out of a kernel of the backward that reads the same: it is kept at last. What the library alone reads, as the first
// operand and the statistics of attention (512 bytes), counts, too: three layers keep 3 * 33280 bytes with 99840.

seq.parameter @w1 parts [#seq.part<"layers.{}.w1", 48, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x48x16xf32>
seq.parameter @w2 parts [#seq.part<"layers.{}.w2", 16, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x16x16xf32>

func.func private @layer(%x: tensor<2x32x16xf32>, %w1: tensor<48x16xf32>, %w2: tensor<16x16xf32>) -> tensor<2x32x16xf32> {
  %0 = seq.linear %x, %w1 : tensor<2x32x16xf32>, tensor<48x16xf32> -> tensor<2x32x48xf32>
  %1 = arith.mulf %0, %0 : tensor<2x32x48xf32>
  %q = seq.slice %1 at 0 : tensor<2x32x48xf32> -> tensor<2x32x16xf32>
  %k = seq.slice %1 at 16 : tensor<2x32x48xf32> -> tensor<2x32x16xf32>
  %v = seq.slice %1 at 32 : tensor<2x32x48xf32> -> tensor<2x32x16xf32>
  %o, %lse = seq.attention %q, %k, %v heads 2 kv_heads 2 scale 0.5 causal : tensor<2x32x16xf32>, tensor<2x32x16xf32>, tensor<2x32x16xf32> -> tensor<2x32x16xf32>, tensor<2x2x32xf32>
  %2 = arith.mulf %o, %o : tensor<2x32x16xf32>
  %3 = arith.mulf %2, %o : tensor<2x32x16xf32>
  %4 = seq.linear %3, %w2 : tensor<2x32x16xf32>, tensor<16x16xf32> -> tensor<2x32x16xf32>
  %5 = arith.addf %x, %4 : tensor<2x32x16xf32>
  return %5 : tensor<2x32x16xf32>
}
func.func @gradients(%x: tensor<2x32x16xf32>, %dy: tensor<2x32x16xf32>) {
  %w1 = seq.get_parameter @w1 : tensor<3x48x16xf32>
  %w2 = seq.get_parameter @w2 : tensor<3x16x16xf32>
  %y = seq.scan @layer trips 3 carry(%x) slices(%w1, %w2) invariants() : (tensor<2x32x16xf32>, tensor<3x48x16xf32>, tensor<3x16x16xf32>) -> tensor<2x32x16xf32>
  seq.backward of(%y) from(%dy) : tensor<2x32x16xf32>
  return
}

// CHECK: func private @layer.backward
// SPARE-SAME: seq.saved_bytes = 20992 : i64
// SOME-SAME:  seq.saved_bytes = 33280 : i64
// MOST-SAME:  seq.saved_bytes = 37376 : i64
// CHECK: arith.mulf {{.*}} {seq.id = 4 : i64, seq.recomputed}
// SPARE: arith.mulf {{.*}} {seq.id = 5 : i64, seq.recomputed}
// SOME:  arith.mulf {{.*}} {seq.id = 5 : i64, seq.recomputed}
// MOST:  arith.mulf {{.*}} {seq.id = 5 : i64, seq.saved = 4096 : i64}
// CHECK: arith.mulf {{.*}} {seq.id = 0 : i64, seq.recomputed}
// SPARE-COUNT-3: seq.slice {{.*}}seq.recomputed
// SOME-COUNT-3:  seq.slice {{.*}}seq.saved = 4096 : i64
// MOST-COUNT-3:  seq.slice {{.*}}seq.saved = 4096 : i64
