// Checkpoints have weights by their names: no two of a module may have the same, in no layer.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics --stretto-expect-stage=stage=seq

func.func @main(%t: tensor<1x2xi32>) -> tensor<1x2xi32> {
  return %t : tensor<1x2xi32>
}
// expected-note@+1 {{the other one is declared here}}
seq.parameter @a parts [#seq.part<"a", 2, <constant, 1.0 : f64, 0.0 : f64>>, #seq.part<"b", 2, <constant, 1.0 : f64, 0.0 : f64>>] : tensor<4xf32>
// expected-error@+1 {{'seq.parameter' op must have weights with names of their own, but 'b' is the name of two}}
seq.parameter @b parts [#seq.part<"b", 4, <constant, 1.0 : f64, 0.0 : f64>>] : tensor<4xf32>

// -----

// Every second layer, from 0 and from 1 on, and one written out.
func.func @main(%t: tensor<1x2xi32>) -> tensor<1x2xi32> {
  return %t : tensor<1x2xi32>
}
seq.parameter @even parts [#seq.part<"layers.{}.a", 4, <constant, 1.0 : f64, 0.0 : f64>>] stacked step 2 : tensor<3x4xf32>
// expected-note@+1 {{the other one is declared here}}
seq.parameter @odd parts [#seq.part<"layers.{}.a", 4, <constant, 1.0 : f64, 0.0 : f64>>] stacked first 1 step 2 : tensor<3x4xf32>
// expected-error@+1 {{but 'layers.5.a' is the name of two}}
seq.parameter @late parts [#seq.part<"layers.5.a", 4, <constant, 1.0 : f64, 0.0 : f64>>] : tensor<4xf32>
