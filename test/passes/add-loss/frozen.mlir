// RUN: stretto-opt %s --seq-add-loss=head-bytes=8192 | FileCheck %s

// The gradient of a head that is not trained is not computed.

seq.parameter @e parts [#seq.part<"embed.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>
seq.parameter @f parts [#seq.part<"frozen", 64, <normal, 0.0 : f64, 0.02 : f64>>] frozen : tensor<64x16xf32>

// CHECK-LABEL: func @gradients
// CHECK: seq.scan @head trips 2 carry() slices(%{{.*}}, %{{.*}}, %{{.*}}) invariants
// CHECK: seq.backward of(%{{[0-9]*}}) from(%{{[0-9]*}}) : tensor<2x32x16xf32>
// CHECK-LABEL: func private @head(
// CHECK-NOT: seq.linear_weight_grad
func.func @main(%t: tensor<2x32xi32>) -> tensor<2x32x64xf32> {
  %e = seq.get_parameter @e : tensor<64x16xf32>
  %f = seq.get_parameter @f : tensor<64x16xf32>
  %0 = seq.embed %t, %e : tensor<2x32xi32>, tensor<64x16xf32> -> tensor<2x32x16xf32>
  %w = math.tanh %f : tensor<64x16xf32>
  %1 = seq.linear %0, %w : tensor<2x32x16xf32>, tensor<64x16xf32> -> tensor<2x32x64xf32>
  return %1 : tensor<2x32x64xf32>
}
