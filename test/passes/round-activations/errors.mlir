// RUN: stretto-opt %s --seq-set-activation-type --verify-diagnostics
// RUN: not stretto-opt %s --seq-set-activation-type=type=f16 2>&1 | FileCheck %s
// CHECK: error: the type of activations must be bf16, but got 'f16'

// expected-error@+1 {{must be f32 where activations are bf16, but got 'tensor<16xf64>'}}
seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16xf64>
