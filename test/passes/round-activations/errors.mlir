// RUN: stretto-opt %s --kern-round-activations --split-input-file --verify-diagnostics

// expected-error@+1 {{must be f32 where activations are bf16, but got 'tensor<16xf64>'}}
seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16xf64>

// -----
// expected-error@+1 {{activations must be rounded once, but 'seq.activation_type' is set}}
module attributes {seq.activation_type = bf16} {}
