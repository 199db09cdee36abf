// Gates choose the experts of a row, forward and backward. Where rows are rounded they are saved whatever that costs, and also where
// the spec wants them again: a gate that is computed from a rounded row may be zero where it was not.
// RUN: stretto-opt %s --seq-decompose --seq-differentiate --seq-choose-saved="operations-per-byte=64 saved-byte-weight=400" | FileCheck %s
// RUN: sed 's/^module/& attributes {seq.activation_type = bf16}/' %s > %t.mlir
// RUN: stretto-opt %t.mlir --seq-decompose --seq-differentiate --seq-choose-saved="operations-per-byte=64 saved-byte-weight=400" | FileCheck %s --check-prefix=ROUNDED
// RUN: sed 's/%low :/%low {seq.recompute} :/' %t.mlir > %t.again.mlir
// RUN: stretto-opt %t.again.mlir --seq-decompose --seq-differentiate --seq-choose-saved="operations-per-byte=64 saved-byte-weight=400" | FileCheck %s --check-prefix=ROUNDED

// CHECK: arith.maximumf {{.*}}seq.recomputed
// ROUNDED: arith.maximumf {{.*}}seq.saved
module {
  seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
  func.func @gradients(%x: tensor<2x32x16xf32>, %dy: tensor<2x32x16xf32>) {
    %w = seq.get_parameter @w : tensor<16x16xf32>
    %0 = seq.linear %x, %w : tensor<2x32x16xf32>, tensor<16x16xf32> -> tensor<2x32x16xf32>
    %low = arith.constant dense<0.1> : tensor<2x32x16xf32>
    %gates = arith.maximumf %0, %low : tensor<2x32x16xf32>
    %e = seq.get_parameter @e : tensor<256x16xf32>
    %1 = seq.expert_sum %x, %gates, %e chosen 1 : tensor<2x32x16xf32>, tensor<2x32x16xf32>, tensor<256x16xf32> -> tensor<2x32x16xf32>
    seq.backward of(%1) from(%dy) : tensor<2x32x16xf32>
    return
  }
  seq.parameter @e parts [#seq.part<"e", 256, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<256x16xf32>
}
