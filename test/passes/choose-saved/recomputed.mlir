// RUN: stretto-opt %s --seq-differentiate --seq-choose-saved=operations-per-byte=0.3 --remarks-filter=memory -o /dev/null 2>&1 | FileCheck %s

// The exponential is saved, its square is computed again; the sum, which only leads to the exponential, is neither.

// CHECK-NOT: Recomputed |
// CHECK: recomputed.mlir:[[#@LINE+9]]:8: remark: [Analysis] Recomputed {{.*}} Bytes=4096,
// CHECK-NOT: Recomputed |
// CHECK: SavedBytes {{.*}} BytesRecomputed=4096
seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
func.func @gradients(%x: tensor<2x32x16xf32>, %dy: tensor<2x32x16xf32>) {
  %w = seq.get_parameter @w : tensor<16x16xf32>
  %0 = seq.linear %x, %w : tensor<2x32x16xf32>, tensor<16x16xf32> -> tensor<2x32x16xf32>
  %1 = arith.addf %0, %0 : tensor<2x32x16xf32>
  %2 = math.exp %1 : tensor<2x32x16xf32>
  %3 = arith.mulf %2, %2 : tensor<2x32x16xf32>
  %4 = arith.mulf %3, %3 : tensor<2x32x16xf32>
  seq.backward of(%4) from(%dy) : tensor<2x32x16xf32>
  return
}
