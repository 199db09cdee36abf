// Facts of a module and parts of parameters that are none.
// RUN: stretto-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{"seq.batch" must be an i64 of at least 0, but got "2"}}
module attributes {seq.batch = "2"} {}

// -----

// expected-error @+1 {{"seq.length" must be an i64 of at least 0, but got 8 : i32}}
module attributes {seq.length = 8 : i32} {}

// -----

// expected-error @+1 {{"seq.model" must be a string, but got 1 : i64}}
module attributes {seq.model = 1 : i64} {}

// -----

// expected-error @+1 {{"seq.activation_type" must be bf16, but got f64}}
module attributes {seq.activation_type = f64} {}

// -----

// expected-error @+1 {{"seq.documents" must be an i64 of at least 0, but got -1 : i64}}
module attributes {seq.documents = -1 : i64} {}

// -----

// expected-error @+1 {{"kern.target" must be a string, but got unit}}
module attributes {kern.target} {}

// -----

// expected-error @+1 {{"kern.arenas" must be an array<i64> of the bytes of each arena, but got array<i64: 1, 2>}}
module attributes {kern.arenas = array<i64: 1, 2>} {}

// -----

// expected-error @+1 {{"kern.buckets" must be a list of #kern.bucket, but got [1]}}
module attributes {kern.buckets = [1]} {}

// -----

// expected-error @+1 {{"kern.images" must be a list of #kern.image, but got "cubin"}}
module attributes {kern.images = "cubin"} {}

// -----

// expected-error @+1 {{a part must have at least 1 row, but "v" has -16}}
seq.parameter @w parts [#seq.part<"w", 32, <normal, 0.0 : f64, 1.0 : f64>>, #seq.part<"v", -16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>

// -----

// expected-error @+1 {{a factor must be finite and not negative, but is -1.000000e+00 : f64}}
seq.parameter @w parts [#seq.part<"w", 8, <normal, 0.0 : f64, 1.0 : f64> factors <1.0 : f64, -1.0 : f64>>] : tensor<8xf32>

// -----

// expected-error @+1 {{parts must have factors for all, or for each of 3 layers, but got 2 of "layers.{}.w"}}
seq.parameter @w parts [#seq.part<"layers.{}.w", 8, <normal, 0.0 : f64, 1.0 : f64> factors <1.0 : f64, 0.0 : f64>, <2.0 : f64, 0.0 : f64>>] stacked : tensor<3x8xf32>

// -----

// expected-error @+1 {{parts must have one initial distribution, or one for each of 3 layers, but got 2 of "layers.{}.w"}}
seq.parameter @w parts [#seq.part<"layers.{}.w", 8, <normal, 0.0 : f64, 1.0 : f64>, <normal, 0.0 : f64, 2.0 : f64>>] stacked : tensor<3x8xf32>

// -----

// expected-error @+1 {{parts must have different names, but got "w" twice}}
seq.parameter @w parts [#seq.part<"w", 8, <normal, 0.0 : f64, 1.0 : f64>>, #seq.part<"w", 8, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>

// -----

// expected-error @+1 {{there is no distribution log_of_uniform with -1.000000e+00 : f64 and 2.000000e+00 : f64}}
seq.parameter @w parts [#seq.part<"w", 16, <log_of_uniform, -1.0 : f64, 2.0 : f64>>] : tensor<16x16xf32>

// -----

// expected-error @+1 {{there is no distribution normal with 0.000000e+00 : f64 and 0x7FF8000000000000 : f64}}
seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 0x7FF8000000000000 : f64>>] : tensor<16x16xf32>

// -----

// expected-error @+1 {{there is no distribution uniform with 3.000000e+00 : f64 and 1.000000e+00 : f64}}
seq.parameter @w parts [#seq.part<"w", 16, <uniform, 3.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>

// -----

// expected-error @+1 {{there is no distribution step_bias with 0.000000e+00 : f64 and 1.000000e+00 : f64}}
seq.parameter @w parts [#seq.part<"w", 16, <step_bias, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>

// -----

// expected-error @+1 {{there is no distribution truncated_normal with 1.000000e+00 : f64 and 0.000000e+00 : f64}}
seq.parameter @w parts [#seq.part<"w", 16, <truncated_normal, 1.0 : f64, 0.0 : f64>>] : tensor<16x16xf32>
