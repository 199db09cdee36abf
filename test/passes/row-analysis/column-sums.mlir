// RUN: stretto-opt %s --seq-print-row-kinds -verify-diagnostics -o /dev/null
// What a column sum adds up is a weight's rows where that is known at all, however late: here from the gradient of a matmul.

seq.parameter @w parts [#seq.part<"w", 12, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<12x4xf32>

// expected-remark @below {{'tensor<2x7x12xf32>' is row}}
func.func @main(%x: tensor<2x7x12xf32>) -> (tensor<2x7x12xf32>, tensor<4xf32>, tensor<12x4xf32>) {
  // expected-remark @below {{'tensor<12x4xf32>' is shared}}
  %0 = seq.get_parameter @w : tensor<12x4xf32>
  // expected-remark @below {{'tensor<12x4x3xf32>' is shared}}
  %1 = seq.broadcast %0 dims [0, 1] : tensor<12x4xf32> -> tensor<12x4x3xf32>
  // expected-remark @below {{'tensor<12x12xf32>' is shared}}
  %2 = seq.reshape %1 : tensor<12x4x3xf32> -> tensor<12x12xf32>
  // expected-remark @below {{'tensor<2x7x12xf32>' is row}}
  %3 = seq.linear %x, %2 : tensor<2x7x12xf32>, tensor<12x12xf32> -> tensor<2x7x12xf32>
  // expected-remark @below {{'tensor<12x12xf32>' is shared}}
  %4 = seq.linear_weight_grad %3, %x : tensor<2x7x12xf32>, tensor<2x7x12xf32> -> tensor<12x12xf32>
  // expected-remark @below {{'tensor<12x4x3xf32>' is shared}}
  %5 = seq.reshape %4 : tensor<12x12xf32> -> tensor<12x4x3xf32>
  // expected-remark @below {{'tensor<12x4xf32>' is shared}}
  %6 = seq.reduce add %5 : tensor<12x4x3xf32> -> tensor<12x4xf32>
  // expected-remark @below {{'tensor<4xf32>' is shared}}
  %7 = seq.column_sum %6 : tensor<12x4xf32> -> tensor<4xf32>
  // expected-remark @below {{'tensor<12x4xf32>' is shared}}
  %8 = arith.mulf %6, %0 : tensor<12x4xf32>
  return %3, %7, %8 : tensor<2x7x12xf32>, tensor<4xf32>, tensor<12x4xf32>
}
