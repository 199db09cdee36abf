// What was chosen of a row may be computed again from the same row. Where that was rounded it is saved whatever that costs, and
// also where the spec wants it again. Conditions are never saved, however small.
// RUN: stretto-opt %s --seq-decompose --seq-differentiate --seq-choose-saved="operations-per-byte=64 saved-byte-weight=400" | FileCheck %s
// RUN: sed 's/^module/& attributes {seq.activation_type = bf16}/' %s > %t.mlir
// RUN: stretto-opt %t.mlir --seq-decompose --seq-differentiate --seq-choose-saved="operations-per-byte=64 saved-byte-weight=400" | FileCheck %s --check-prefix=ROUNDED
// RUN: sed 's/\/\/ again$/{seq.recompute}/' %t.mlir > %t.again.mlir
// RUN: stretto-opt %t.again.mlir --seq-decompose --seq-differentiate --seq-choose-saved="operations-per-byte=64 saved-byte-weight=400" | FileCheck %s --check-prefix=AGAIN
// RUN: sed 's/heads 8/heads 16/' %t.mlir > %t.single.mlir
// RUN: stretto-opt %t.single.mlir --seq-decompose --seq-differentiate --seq-choose-saved="operations-per-byte=64 saved-byte-weight=400" | FileCheck %s --check-prefix=SINGLE

// CHECK: seq.reduce min {{.*}}seq.choice, {{.*}}seq.recomputed
// ROUNDED: seq.reduce min {{.*}}seq.choice, {{.*}}seq.saved
// AGAIN: seq.reduce min {{.*}}seq.choice, {{.*}}seq.saved
// SINGLE: arith.select {{.*}}seq.saved
module {
  seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
  func.func @gradients(%x: tensor<2x32x16xf32>, %dy: tensor<2x32x16xf32>) {
    %w = seq.get_parameter @w : tensor<16x16xf32>
    %0 = seq.linear %x, %w : tensor<2x32x16xf32>, tensor<16x16xf32> -> tensor<2x32x16xf32>
    %1 = seq.keep_top %0 count 1 heads 8 : tensor<2x32x16xf32> // again
    %2 = arith.mulf %0, %1 : tensor<2x32x16xf32>
    seq.backward of(%2) from(%dy) : tensor<2x32x16xf32>
    return
  }
}
