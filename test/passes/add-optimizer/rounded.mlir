// RUN: stretto-opt %s --kern-add-optimizer | FileCheck %s

// The step leaves the new parameters in bf16, too; anything else that writes parameters calls @round_parameters, which takes
// the frozen ones along.
module attributes {seq.activation_type = bf16} {
seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x64xf32>
seq.parameter @f parts [#seq.part<"f", 16, <normal, 0.0 : f64, 1.0 : f64>>] frozen : tensor<16xf32>
}
// CHECK-LABEL: func @apply(
// CHECK-SAME: tensor<1x2x512xbf16> {kern.slot = #kern.slot<rounded, 0, stride 0, parity 0>})
// CHECK: %[[STEP:.*]]:4 = kern.rowwise kernel "apply.adamw"
// CHECK: %[[R:.*]] = arith.truncf %[[P:.*]] : tensor<512xf32> to tensor<512xbf16>
// CHECK-NEXT: kern.yield %[[P]], %{{.*}}, %{{.*}}, %[[R]] :
// CHECK: return %[[STEP]]#0, %[[STEP]]#1, %[[STEP]]#2, %[[STEP]]#3
// CHECK-LABEL: func @round_parameters(
// CHECK-SAME: %[[ALL:.*]]: tensor<1x3x512xf32> {kern.slot = #kern.slot<parameters, 0, stride 0, parity 0>})
// CHECK-SAME: -> (tensor<1x3x512xbf16> {kern.slot = #kern.slot<rounded, 0, stride 0, parity 0>})
// CHECK: kern.rowwise kernel "round_parameters.round"(%[[ALL]]) maps [row]
