// RUN: stretto-opt %s --kern-plan-memory --kern-verify-memory | FileCheck %s

// %y is read when the gradient of @last is there, and larger than that of @first, whose place is free until later: only
// where that place is next to the other activations, in front of which no gradient lies, does it serve %y as well.

seq.parameter @first parts [#seq.part<"first", 32, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<32x32xf32>
seq.parameter @last parts [#seq.part<"last", 32, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<32x32xf32>

// CHECK: module attributes {{.*}}kern.arenas = array<i64: 8704, 8192, 8192,{{.*}}kern.gradients_begin = 512
// CHECK: seq.linear {{.*}}kern.slots = [#kern.slot<activations, 0, stride 0, parity 0>]
// CHECK: seq.linear_weight_grad {{.*}}kern.slots = [#kern.slot<gradients, 4096, stride 0, parity 0>]
// CHECK: seq.linear_weight_grad {{.*}}kern.slots = [#kern.slot<gradients, 0, stride 0, parity 0>]
func.func @gradients(%x: tensor<1x36x32xf32>) -> tensor<1x36x32xf32> {
  %first = seq.get_parameter @first : tensor<32x32xf32>
  %last = seq.get_parameter @last : tensor<32x32xf32>
  %y = seq.linear %x, %first : tensor<1x36x32xf32>, tensor<32x32xf32> -> tensor<1x36x32xf32>
  %dlast = seq.linear_weight_grad %x, %y : tensor<1x36x32xf32>, tensor<1x36x32xf32> -> tensor<32x32xf32>
  %dy = seq.linear_input_grad %y, %last : tensor<1x36x32xf32>, tensor<32x32xf32> -> tensor<1x36x32xf32>
  %dfirst = seq.linear_weight_grad %dy, %x : tensor<1x36x32xf32>, tensor<1x36x32xf32> -> tensor<32x32xf32>
  seq.gradient @first, %dfirst : tensor<32x32xf32>
  seq.gradient @last, %dlast : tensor<32x32xf32>
  return %dy : tensor<1x36x32xf32>
}
