// RUN: stretto-opt %s --seq-print-row-kinds -verify-diagnostics -o /dev/null
// Kernels say what their operands are: rows, tables of rows, what all rows share. Sums of columns are no rows.

// expected-remark @below {{'tensor<8x8x32xf32>' is row}}
// expected-remark @below {{'tensor<4x32xf32>' is shared}}
// expected-remark @below {{'tensor<8x4xf32>' is time}}
// expected-remark @below {{'tensor<8x8xi32>' is row}}
func.func @matmul(%x: tensor<8x8x32xf32>, %w: tensor<4x32xf32>, %t: tensor<8x4xf32>, %p: tensor<8x8xi32>,
                  // expected-remark @below {{'tensor<4xf32>' is shared}}
                  %g: tensor<4xf32>) -> (tensor<8x8x4xf32>, tensor<4xf32>) {
  // expected-remark @below {{'tensor<8x8x4xf32>' is row}}
  // expected-remark @below {{'tensor<4xf32>' is shared}}
  %y, %s = kern.matmul kernel "k" %x by %w as transposed epilogue(%t, %p, %g) maps [time, row, shared] {
  ^bb0(%row: tensor<4xf32>, %table: tensor<4xf32>, %place: tensor<i32>, %gain: tensor<4xf32>):
    %0 = arith.mulf %row, %gain : tensor<4xf32>
    %1 = seq.column_sum %0 : tensor<4xf32> -> tensor<4xf32>
    kern.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  } : (tensor<8x8x32xf32>, tensor<4x32xf32>, tensor<8x4xf32>, tensor<8x8xi32>, tensor<4xf32>) -> (tensor<8x8x4xf32>, tensor<4xf32>)
  return %y, %s : tensor<8x8x4xf32>, tensor<4xf32>
}
