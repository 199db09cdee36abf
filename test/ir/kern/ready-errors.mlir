// RUN: stretto-opt %s --split-input-file --verify-diagnostics

seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16xf32>
func.func @f(%g: tensor<16xf32>) {
  // expected-error @below {{must have a gradient for each of 2 parameters, but got 1}}
  kern.ready [@w, @w](%g) buckets [1] : tensor<16xf32>
  return
}

// -----

seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16xf32>
func.func @f(%g: tensor<16xf32>) {
  // expected-error @below {{must tell for each iteration how many buckets are final, but got [1, -1]}}
  kern.ready [@w](%g) buckets [1, -1] : tensor<16xf32>
  return
}

// -----

seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] frozen : tensor<16xf32>
func.func @f(%g: tensor<16xf32>) {
  // expected-error @below {{must name parameters that are trained, but got @w}}
  kern.ready [@w](%g) buckets [1] : tensor<16xf32>
  return
}

// -----

seq.parameter @w parts [#seq.part<"layers.{}.w", 16, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<3x16xf32>
func.func @f(%g: tensor<3xf32>) {
  // expected-error @below {{must be given 'tensor<3x16xf32>' for @w, or an entry of it, but got 'tensor<3xf32>'}}
  kern.ready [@w](%g) buckets [1] : tensor<3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{must tell for each iteration how many buckets must have come, but got []}}
  kern.await buckets []
  return
}
