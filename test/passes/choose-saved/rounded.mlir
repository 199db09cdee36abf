// What is subtracted so that no exponential is above 1 is saved, but not where the row that is read again was rounded since.
// RUN: stretto-opt %s --seq-decompose --seq-differentiate --seq-choose-saved="operations-per-byte=64 saved-byte-weight=4" | FileCheck %s
// RUN: sed 's/^module/& attributes {seq.activation_type = bf16}/' %s > %t.mlir
// RUN: stretto-opt %t.mlir --seq-decompose --seq-differentiate --seq-choose-saved="operations-per-byte=64 saved-byte-weight=4" | FileCheck %s --check-prefix=ROUNDED

// CHECK: seq.reduce max {{.*}}seq.held_constant, {{.*}}seq.saved
// CHECK: math.exp {{.*}}seq.recomputed
// CHECK: seq.reduce add {{.*}}seq.saved
// ROUNDED: seq.reduce max {{.*}}seq.held_constant, {{.*}}seq.recomputed
module {
  seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
  func.func @gradients(%x: tensor<2x32x16xf32>, %dy: tensor<2x32x16xf32>) {
    %w = seq.get_parameter @w : tensor<16x16xf32>
    %0 = seq.linear %x, %w : tensor<2x32x16xf32>, tensor<16x16xf32> -> tensor<2x32x16xf32>
    %1 = seq.softmax %0 heads 1 : tensor<2x32x16xf32>
    seq.backward of(%1) from(%dy) : tensor<2x32x16xf32>
    return
  }
}
