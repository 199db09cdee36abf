// RUN: stretto-opt %s --seq-differentiate --split-input-file --verify-diagnostics

seq.parameter @a parts [#seq.part<"a", 4, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<4xf32>
func.func @gradients(%dy: tensor<f32>) {
  %a = seq.get_parameter @a : tensor<4xf32>
  // expected-error @+1 {{the derivative of a reduction exists for add only, but got max}}
  %y = seq.reduce max %a : tensor<4xf32> -> tensor<f32>
  seq.backward of(%y) from(%dy) : tensor<f32>
  return
}

// -----

seq.parameter @a parts [#seq.part<"a", 4, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<4xf32>
func.func @gradients(%dy: tensor<4xf32>) {
  %a = seq.get_parameter @a : tensor<4xf32>
  // expected-error @+1 {{'math.cbrt' has no derivative}}
  %y = math.cbrt %a : tensor<4xf32>
  seq.backward of(%y) from(%dy) : tensor<4xf32>
  return
}

// -----

seq.parameter @a parts [#seq.part<"a", 4, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<4xf32>
func.func private @layer(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @gradients(%dy: tensor<4xf32>) {
  %a = seq.get_parameter @a : tensor<4xf32>
  // expected-note @+1 {{also called here}}
  %x = seq.scan @layer trips 2 carry(%a) slices() invariants() : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{the body of a scan must have one caller, but @layer has several}}
  %y = seq.scan @layer trips 2 carry(%x) slices() invariants() : (tensor<4xf32>) -> tensor<4xf32>
  seq.backward of(%y) from(%dy) : tensor<4xf32>
  return
}

// -----

func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @layer(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{a scan within a scan has no derivative}}
  %y = seq.scan @inner trips 2 carry(%x) slices() invariants() : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
seq.parameter @a parts [#seq.part<"a", 4, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<4xf32>
func.func @gradients(%dy: tensor<4xf32>) {
  %a = seq.get_parameter @a : tensor<4xf32>
  // expected-note @+1 {{the outer scan}}
  %y = seq.scan @layer trips 2 carry(%a) slices() invariants() : (tensor<4xf32>) -> tensor<4xf32>
  seq.backward of(%y) from(%dy) : tensor<4xf32>
  return
}
