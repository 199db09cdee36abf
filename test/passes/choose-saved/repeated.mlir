// What the spec has recomputed is computed again by the library, too: the backward reads the input of the first matmul alone, and has no
// second one, as nothing reads what it makes. Recomputing what is behind them costs a matmul, so that is saved.
// RUN: stretto-opt %s --seq-differentiate --seq-choose-saved="operations-per-byte=3 saved-byte-weight=8" --seq-split-saved | FileCheck %s
// RUN: sed 's/ {seq.recompute}//' %s | stretto-opt --seq-differentiate --seq-choose-saved --seq-split-saved | FileCheck %s --check-prefix=KEPT

// CHECK: seq.saved_bytes = 8192
// CHECK: %[[X:.*]] = math.tanh %{{.*}}seq.saved
// CHECK: seq.linear %[[X]], {{.*}}{seq.recompute}
// CHECK: %[[Z:.*]] = arith.addf {{.*}}seq.saved
// CHECK: %[[AGAIN:.*]] = seq.linear %[[X]], {{.*}} {seq.repeated}
// CHECK-NEXT: %[[RELU:.*]] = arith.maximumf %[[AGAIN]], {{.*}}seq.recomputed
// CHECK-NOT: seq.linear %
// CHECK: seq.linear_weight_grad {{.*}}, %[[Z]]
// CHECK: seq.linear_weight_grad {{.*}}, %[[RELU]]
// CHECK: seq.linear_weight_grad {{.*}}, %[[X]]
// KEPT: seq.saved_bytes = 24576
// KEPT-NOT: seq.repeated
module {
  seq.parameter @a parts [#seq.part<"a", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>
  seq.parameter @b parts [#seq.part<"b", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x64xf32>
  seq.parameter @c parts [#seq.part<"c", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
  seq.parameter @d parts [#seq.part<"d", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
  func.func @gradients(%given: tensor<2x32x16xf32>, %dy: tensor<2x32x16xf32>) {
    %a = seq.get_parameter @a : tensor<64x16xf32>
    %b = seq.get_parameter @b : tensor<16x64xf32>
    %c = seq.get_parameter @c : tensor<16x16xf32>
    %d = seq.get_parameter @d : tensor<16x16xf32>
    %first = seq.linear %given, %d : tensor<2x32x16xf32>, tensor<16x16xf32> -> tensor<2x32x16xf32>
    %x = math.tanh %first : tensor<2x32x16xf32>
    %zero = arith.constant dense<0.0> : tensor<2x32x64xf32>
    %0 = seq.linear %x, %a : tensor<2x32x16xf32>, tensor<64x16xf32> -> tensor<2x32x64xf32> {seq.recompute}
    %1 = arith.maximumf %0, %zero {seq.recompute} : tensor<2x32x64xf32>
    %2 = seq.linear %1, %b : tensor<2x32x64xf32>, tensor<16x64xf32> -> tensor<2x32x16xf32> {seq.recompute}
    %z = arith.addf %x, %2 : tensor<2x32x16xf32>
    %y = seq.linear %z, %c : tensor<2x32x16xf32>, tensor<16x16xf32> -> tensor<2x32x16xf32>
    seq.backward of(%y) from(%dy) : tensor<2x32x16xf32>
    return
  }
}
