// What is no operation on tiles, and no window.
// RUN: stretto-opt --verify-diagnostics --split-input-file %s

func.func @matmul(%a: tensor<16x32xf32>, %b: tensor<16x32xf32>) {
  // expected-error@+1 {{must multiply matrices whose inner dimensions agree to}}
  %c = kern.tile_matmul %a, %b : tensor<16x32xf32>, tensor<16x32xf32> -> tensor<16x32xf32>
  return
}

// -----

func.func @matmul_types(%a: tensor<16x32xf32>, %b: tensor<32xf32>) {
  // expected-error@+1 {{needs matrices of one type, but got}}
  %c = kern.tile_matmul %a, %b : tensor<16x32xf32>, tensor<32xf32> -> tensor<16x32xf32>
  return
}

// -----

func.func @prefix(%a: tensor<16x32xf32>) {
  // expected-error@+1 {{rows must divide those of the tile, but got 5}}
  %c = kern.prefix_sum %a rows 5 : tensor<16x32xf32>
  return
}

// -----

func.func @solve(%a: tensor<16x32xf32>, %b: tensor<16x32xf32>) {
  // expected-error@+1 {{needs a square matrix and as many rows on the right, but got}}
  %c = kern.unit_solve %a, %b : tensor<16x32xf32>, tensor<16x32xf32>
  return
}

// -----

func.func @inverse(%a: tensor<16x32xf32>) {
  // expected-error@+1 {{needs a square matrix, but got}}
  %c = kern.unit_inverse %a : tensor<16x32xf32>
  return
}

// -----

func.func @row(%a: tensor<16x32xf32>) {
  // expected-error@+1 {{must be row 16 of the operand, but got}}
  %c = kern.tile_row %a[16] : tensor<16x32xf32> -> tensor<32xf32>
  return
}

// -----

func.func @sum(%a: tensor<16x32xf32>) {
  // expected-error@+1 {{must have the type of a row, but got}}
  %c = kern.tile_sum %a : tensor<16x32xf32> -> tensor<16xf32>
  return
}

// -----

// expected-error@+1 {{a window must have at least 1 part, of at least each 1st chunk, but got 0 and 1}}
func.func private @window_parts() attributes {w = #kern.window<rows 0>}

// -----

// expected-error@+1 {{a window of states, and no other, must have a width, but got 0 for states}}
func.func private @window_width() attributes {w = #kern.window<states 2>}
