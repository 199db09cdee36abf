// RUN: stretto-translate --stretto-to-pytorch %s | FileCheck %s

// Initialisations that PyTorch has no function for; `.data` as it draws in place.

seq.parameter @table parts [#seq.part<"table", 8, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<8x16xf32>
seq.parameter @a parts [#seq.part<"a_log", 16, <log_of_uniform, 0.0 : f64, 16.0 : f64>>] : tensor<16xf32>
seq.parameter @b parts [#seq.part<"dt_bias", 16, <step_bias, 0.001 : f64, 0.1 : f64>>] : tensor<16xf32>

seq.parameter @c parts [#seq.part<"layers.{}.c", 16, <constant, 0.0 : f64, 0.0 : f64>, <normal, 0.0 : f64, 0.5 : f64>>] stacked first 1 step 2 : tensor<2x16xf32>

// CHECK: self.declare("a_log", (16,), lambda x: nn.init.uniform_(x.data, -16.0, -0.0).neg_().log_())
// CHECK-NEXT: self.declare("dt_bias", (16,), lambda x: nn.init.uniform_(x.data, -6.907755{{[0-9]*}}, -2.302585{{[0-9]*}}).exp_().add_(torch.log(-torch.expm1(-x.data))))
// CHECK: for i in range(1, 5, 2):
// CHECK-NEXT: self.declare(f"layers.{i}.c", (16,), {1: lambda x: nn.init.constant_(x, 0.0), 3: lambda x: nn.init.normal_(x, 0.0, 0.5)}[i])
func.func @main(%tokens: tensor<2x8xi32> loc("tokens")) -> tensor<2x8x16xf32> {
  %table = seq.get_parameter @table : tensor<8x16xf32>
  %a = seq.get_parameter @a : tensor<16xf32>
  %b = seq.get_parameter @b : tensor<16xf32>
  %0 = seq.embed %tokens, %table : tensor<2x8xi32>, tensor<8x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.broadcast %a dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  %2 = arith.mulf %0, %1 : tensor<2x8x16xf32>
  %3 = seq.broadcast %b dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  %4 = arith.addf %2, %3 : tensor<2x8x16xf32>
  return %4 : tensor<2x8x16xf32>
}
