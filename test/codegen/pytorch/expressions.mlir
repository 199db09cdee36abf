// RUN: stretto-translate --stretto-to-pytorch %s | FileCheck %s

// Parentheses stand where Python needs them, and nowhere else; a name is taken again when its value is not read any
// more, and never from a value that is.

// CHECK-LABEL: def arithmetic(x, y):
func.func private @arithmetic(%x: tensor<2x8x16xf64> loc("x"), %y: tensor<2x8x16xf64> loc("y")) -> tensor<2x8x16xf64> {
  %half = arith.constant dense<-0.5> : tensor<2x8x16xf64>
  %zero = arith.constant dense<0.0> : tensor<2x8x16xf64>
  // CHECK-NEXT: a = x - (y - x * -0.5)
  // CHECK-NEXT: b = -(a + y) / (y / x)
  // CHECK-NEXT: c = torch.relu(b) + minimum(x, 10000.0)
  // CHECK-NEXT: c_2 = F.softplus(shift(c, 2), threshold=40.0)
  // CHECK-NEXT: c_2 = torch.exp(c_2)
  // CHECK-NEXT: return c * c_2
  %0 = arith.mulf %x, %half : tensor<2x8x16xf64>
  %1 = arith.subf %y, %0 : tensor<2x8x16xf64>
  %a = arith.subf %x, %1 : tensor<2x8x16xf64> loc("a")
  %2 = arith.addf %a, %y : tensor<2x8x16xf64>
  %3 = arith.negf %2 : tensor<2x8x16xf64>
  %4 = arith.divf %y, %x : tensor<2x8x16xf64>
  %b = arith.divf %3, %4 : tensor<2x8x16xf64> loc("b")
  %5 = arith.maximumf %b, %zero : tensor<2x8x16xf64>
  %big = arith.constant dense<1.0e4> : tensor<2x8x16xf64>
  %6 = arith.minimumf %x, %big : tensor<2x8x16xf64>
  %c = arith.addf %5, %6 : tensor<2x8x16xf64> loc("c")
  %7 = seq.tap %c by -2 : tensor<2x8x16xf64>
  %d = seq.softplus %7 : tensor<2x8x16xf64> loc("c")
  %e = math.exp %d : tensor<2x8x16xf64> loc("c")
  %8 = arith.mulf %c, %e : tensor<2x8x16xf64>
  return %8 : tensor<2x8x16xf64>
}
// A bias spreads by itself in arithmetic; elsewhere it is spread explicitly. Names of Python are left to Python.
// CHECK-LABEL: def bias(lambda_2, h_weight):
func.func private @bias(%x: tensor<2x8x16xf64> loc("lambda"), %b: tensor<16xf64> loc("h.weight")) -> tensor<2x8x32xf64> {
  // CHECK-NEXT: t = torch.cat((lambda_2 + h_weight, h_weight.expand(*lambda_2.shape[:2], -1)), -1)
  // CHECK-NEXT: return t
  %0 = seq.broadcast %b dims [2] : tensor<16xf64> -> tensor<2x8x16xf64>
  %1 = arith.addf %x, %0 : tensor<2x8x16xf64>
  %2 = seq.broadcast %b dims [2] : tensor<16xf64> -> tensor<2x8x16xf64>
  %3 = seq.concat %1, %2 : tensor<2x8x16xf64>, tensor<2x8x16xf64> -> tensor<2x8x32xf64>
  return %3 : tensor<2x8x32xf64>
}
// Long expressions become variables, each its own while it is read.
// CHECK-LABEL: def long(x, a_name_long_enough_for_a_line_weight):
func.func private @long(%x: tensor<2x8x16xf64> loc("x"), %b: tensor<16xf64> loc("a_name_long_enough_for_a_line.weight")) -> tensor<2x8x16xf64> {
  // CHECK-NEXT: t = layer_norm(torch.exp(x), a_name_long_enough_for_a_line_weight, None, eps=1e-05)
  // CHECK-NEXT: t_2 = layer_norm(torch.tanh(x), a_name_long_enough_for_a_line_weight, None, eps=1e-05)
  // CHECK-NEXT: return t - t_2
  %none = arith.constant dense<0.0> : tensor<16xf64>
  %e = math.exp %x : tensor<2x8x16xf64>
  %0 = seq.layer_norm %e, %b, %none eps 1.0e-5 heads 1 : tensor<2x8x16xf64>, tensor<16xf64>
  %1 = math.tanh %x : tensor<2x8x16xf64>
  %2 = seq.layer_norm %1, %b, %none eps 1.0e-5 heads 1 : tensor<2x8x16xf64>, tensor<16xf64>
  %3 = arith.subf %0, %2 : tensor<2x8x16xf64>
  return %3 : tensor<2x8x16xf64>
}
// CHECK-LABEL: def residual(x, w):
// CHECK-NEXT: return (x + F.linear(torch.exp(x), w)) * x
func.func private @residual(%x: tensor<2x8x16xf64> loc("x"), %w: tensor<16x16xf64> loc("w")) -> tensor<2x8x16xf64> {
  %0 = math.exp %x : tensor<2x8x16xf64>
  %1 = seq.linear %0, %w add %x : tensor<2x8x16xf64>, tensor<16x16xf64> -> tensor<2x8x16xf64>
  %2 = arith.mulf %1, %x : tensor<2x8x16xf64>
  return %2 : tensor<2x8x16xf64>
}
func.func @main(%tokens: tensor<2x8xi32> loc("tokens")) -> tensor<2x8xi32> {
  return %tokens : tensor<2x8xi32>
}
