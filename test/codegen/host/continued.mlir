// The hash of a program that goes on from a stage takes the MD5 of its text, as the table of the program has that; no
// attribute keeps it.
// RUN: stretto-opt %s --kern-plan-memory --kern-emit-host | FileCheck %s --implicit-check-not=seq.continued_from
// CHECK: some text\008eea6f83e1f863d2a48ee3c92a8b7e19\00
module attributes {seq.continued_from = "some text"} {
seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>
func.func @gradients(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %w = seq.get_parameter @w : tensor<16x16xf32>
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
}
