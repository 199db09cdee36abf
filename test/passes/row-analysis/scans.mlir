// RUN: stretto-opt %s --seq-print-row-kinds -verify-diagnostics -o /dev/null
// Kinds go through scans: into slices, out of stacks, along carried values.

seq.parameter @c parts [#seq.part<"layers.{}.c", 4, <constant, 0.0 : f64, 0.0 : f64>>] stacked : tensor<3x4x8xf32>

// expected-remark @below {{'tensor<4x8x8xf32>' is row}}
// expected-remark @below {{'tensor<4x8xf32>' is shared}}
func.func private @layer(%x: tensor<4x8x8xf32>, %c: tensor<4x8xf32>) -> (tensor<4x8x8xf32>, tensor<4x8xf32>) {
  // expected-remark @below {{'tensor<4x8x8xf32>' is row}}
  %0 = math.tanh %x : tensor<4x8x8xf32>
  // expected-remark @below {{'tensor<4x8xf32>' is row}}
  %1 = seq.reduce add %0 : tensor<4x8x8xf32> -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8x8xf32>, tensor<4x8xf32>
}

// expected-remark @below {{'tensor<4x8x8xf32>' is row}}
// expected-remark @below {{'tensor<4x8xf32>' is row}}
func.func private @layer.backward(%dx: tensor<4x8x8xf32>, %s: tensor<4x8xf32>) -> (tensor<4x8x8xf32>, tensor<8xf32>) {
  // expected-remark @below {{'tensor<8xf32>' is shared}}
  %0 = seq.column_sum %dx : tensor<4x8x8xf32> -> tensor<8xf32>
  return %dx, %0 : tensor<4x8x8xf32>, tensor<8xf32>
}

// expected-remark @below {{'tensor<4x8x8xf32>' is row}}
func.func @main(%x: tensor<4x8x8xf32>) -> tensor<3x8xf32> {
  // expected-remark @below {{'tensor<3x4x8xf32>' is shared}}
  %c = seq.get_parameter @c : tensor<3x4x8xf32>
  // expected-remark @below {{'tensor<4x8x8xf32>' is row}}
  // expected-remark @below {{'tensor<3x4x8xf32>' is other}}
  %y, %s = seq.scan @layer trips 3 carry(%x) slices(%c) invariants() : (tensor<4x8x8xf32>, tensor<3x4x8xf32>) -> (tensor<4x8x8xf32>, tensor<3x4x8xf32>)
  // expected-remark @below {{'tensor<4x8x8xf32>' is row}}
  // expected-remark @below {{'tensor<3x8xf32>' is shared}}
  %dx, %dc = seq.scan @layer.backward trips 3 reverse carry(%y) slices(%s) invariants() : (tensor<4x8x8xf32>, tensor<3x4x8xf32>) -> (tensor<4x8x8xf32>, tensor<3x8xf32>)
  return %dc : tensor<3x8xf32>
}
