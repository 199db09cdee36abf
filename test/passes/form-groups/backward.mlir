// RUN: stretto-opt %s --seq-add-loss --seq-decompose --canonicalize --cse --seq-differentiate --canonicalize --cse --seq-simplify-taps --seq-choose-saved --seq-split-saved --canonicalize --cse --kern-form-groups --kern-outline-groups | FileCheck %s

// Norm and Canon, forward: one kernel; the loss: one; their backward: one, with the sums over rows for gain and taps.
// CHECK-LABEL: func @gradients
// CHECK: seq.embed
// CHECK: kern.rowwise kernel "gradients.rowwise0"
// CHECK-NOT: kern.rowwise
// CHECK: seq.linear
// CHECK: kern.rowwise kernel "gradients.rowwise1"
// CHECK-NOT: kern.rowwise
// CHECK: %[[DH:.*]] = seq.linear_input_grad
// CHECK: %{{.*}} = kern.rowwise kernel "gradients.rowwise2"({{.*}}%[[DH]]
// CHECK-DAG: seq.column_sum %{{.*}} : tensor<64xf32> -> tensor<64xf32>
// CHECK-DAG: seq.column_sum %{{.*}} : tensor<16xf32> -> tensor<16xf32>
// CHECK-NOT: kern.rowwise
// CHECK: return
seq.parameter @e parts [#seq.part<"embed.weight", 32, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<32x16xf32>
seq.parameter @g parts [#seq.part<"norm.weight", 16, <constant, 1.0 : f64, 0.0 : f64>>] : tensor<16xf32>
seq.parameter @c parts [#seq.part<"canon.weight", 4, <constant, 0.0 : f64, 0.0 : f64>>] : tensor<4x16xf32>
seq.parameter @w parts [#seq.part<"head.weight", 32, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<32x16xf32>

func.func @main(%tokens: tensor<2x8xi32>) -> tensor<2x8x32xf32> {
  %e = seq.get_parameter @e : tensor<32x16xf32>
  %g = seq.get_parameter @g : tensor<16xf32>
  %c = seq.get_parameter @c : tensor<4x16xf32>
  %w = seq.get_parameter @w : tensor<32x16xf32>
  %x = seq.embed %tokens, %e : tensor<2x8xi32>, tensor<32x16xf32> -> tensor<2x8x16xf32>
  %0 = seq.rms_norm %x, %g eps 1.0e-5 heads 1 : tensor<2x8x16xf32>, tensor<16xf32>
  %1 = seq.canon %0, %c residual none : tensor<2x8x16xf32>, tensor<4x16xf32>
  %2 = seq.linear %1, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  return %2 : tensor<2x8x32xf32>
}
