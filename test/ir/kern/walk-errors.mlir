// What is no tile program.
// RUN: stretto-opt --verify-diagnostics --split-input-file %s

func.func @sizes(%x: tensor<3x64x32xf32>) {
  // expected-error@+1 {{programs, chunk and span must be between 1 and 2147483647, but got 2, 16 and 0}}
  %y = kern.walk(%x) windows [<rows 2>] -> [<rows 2>] programs 2 chunk 16 span 0 {
  ^bb0(%t: tensor<16x16xf32>):
    kern.yield %t : tensor<16x16xf32>
  } : (tensor<3x64x32xf32>) -> tensor<3x64x32xf32>
  return
}

// -----

func.func @windows(%x: tensor<3x64x32xf32>) {
  // expected-error@+1 {{needs a window for each of 1 operands and 1 results, but got 0 and 1}}
  %y = kern.walk(%x) windows [] -> [<rows 2>] programs 2 chunk 16 span 4 {
  ^bb0(%t: tensor<16x16xf32>):
    kern.yield %t : tensor<16x16xf32>
  } : (tensor<3x64x32xf32>) -> tensor<3x64x32xf32>
  return
}

// -----

func.func @program_list(%x: tensor<3x64x32xf32>) {
  %y = kern.walk(%x) windows [<rows 2>] -> [<rows 2>] programs 2 chunk 16 span 4 {
  ^bb0(%t: tensor<16x16xf32>):
    // expected-error@+1 {{must be a number, but got 'tensor<16xf32>'}}
    %p = kern.program_index : tensor<16xf32>
    kern.yield %t : tensor<16x16xf32>
  } : (tensor<3x64x32xf32>) -> tensor<3x64x32xf32>
  return
}

// -----

func.func @parts(%x: tensor<3x64x32xf32>) {
  // expected-error@+1 {{operand 0: parts must divide the programs, but got}}
  %y = kern.walk(%x) windows [<rows 3>] -> [<rows 2>] programs 2 chunk 16 span 4 {
  ^bb0(%t: tensor<16x16xf32>):
    kern.yield %t : tensor<16x16xf32>
  } : (tensor<3x64x32xf32>) -> tensor<3x64x32xf32>
  return
}

// -----

func.func @columns(%x: tensor<3x64x32xf32>) {
  // expected-error@+1 {{operand 0: tiles must have at least the 16 columns of a part, but got}}
  %y = kern.walk(%x) windows [<rows 2>] -> [<rows 2>] programs 2 chunk 16 span 4 {
  ^bb0(%t: tensor<16x8xf32>):
    %c = arith.constant dense<0.0> : tensor<16x16xf32>
    kern.yield %c : tensor<16x16xf32>
  } : (tensor<3x64x32xf32>) -> tensor<3x64x32xf32>
  return
}

// -----

func.func @chunk_rows(%x: tensor<3x64x32xf32>) {
  // expected-error@+1 {{operand 0: tiles must have the rows of a chunk, but got}}
  %y = kern.walk(%x) windows [<rows 2>] -> [<rows 2>] programs 2 chunk 32 span 4 {
  ^bb0(%t: tensor<16x16xf32>):
    kern.yield %t : tensor<16x16xf32>
  } : (tensor<3x64x32xf32>) -> tensor<3x64x32xf32>
  return
}

// -----

func.func @element(%x: tensor<3x64x32xf32>) {
  // expected-error@+1 {{operand 0: tiles must be of the type of their value, but got}}
  %y = kern.walk(%x) windows [<rows 2>] -> [<rows 2>] programs 2 chunk 16 span 4 {
  ^bb0(%t: tensor<16x16xf64>):
    %c = arith.constant dense<0.0> : tensor<16x16xf32>
    kern.yield %c : tensor<16x16xf32>
  } : (tensor<3x64x32xf32>) -> tensor<3x64x32xf32>
  return
}

// -----

func.func @rows_differ(%x: tensor<3x64x32xf32>, %z: tensor<3x32x32xf32>) {
  // expected-error@+1 {{operand 1: must have 3 x 64 rows, but got}}
  %y = kern.walk(%x, %z) windows [<rows 2>, <rows 2>] -> [<rows 2>] programs 2 chunk 16 span 4 {
  ^bb0(%t: tensor<16x16xf32>, %m: tensor<16x16xf32>):
    kern.yield %t : tensor<16x16xf32>
  } : (tensor<3x64x32xf32>, tensor<3x32x32xf32>) -> tensor<3x64x32xf32>
  return
}

// -----

func.func @result(%x: tensor<3x64x32xf32>) {
  // expected-error@+1 {{result 0: tiles must have at least the 16 columns of a part, but got}}
  %y = kern.walk(%x) windows [<rows 2>] -> [<rows 2>] programs 2 chunk 16 span 4 {
  ^bb0(%t: tensor<16x16xf32>):
    %v = kern.tile_row %t[0] : tensor<16x16xf32> -> tensor<16xf32>
    kern.yield %v : tensor<16xf32>
  } : (tensor<3x64x32xf32>) -> tensor<3x64x32xf32>
  return
}

// -----

func.func @carried(%x: tensor<3x64x32xf32>) {
  // expected-error@+1 {{must yield a tile for each of 1 results, then 1 of the types that are carried}}
  %y = kern.walk(%x) windows [<rows 2>] -> [<rows 2>] programs 2 chunk 16 span 4 {
  ^bb0(%t: tensor<16x16xf32>, %c: tensor<16x16xf32>):
    kern.yield %t : tensor<16x16xf32>
  } : (tensor<3x64x32xf32>) -> tensor<3x64x32xf32>
  return
}

// -----

func.func @body(%x: tensor<3x64x32xf32>) {
  %y = kern.walk(%x) windows [<rows 2>] -> [<rows 2>] programs 2 chunk 16 span 4 {
  ^bb0(%t: tensor<16x16xf32>):
    // expected-error@+1 {{is not an operation on tiles}}
    %0 = seq.tap %t by -1 : tensor<16x16xf32>
    kern.yield %0 : tensor<16x16xf32>
  } : (tensor<3x64x32xf32>) -> tensor<3x64x32xf32>
  return
}

// -----

func.func @columns_of_a_row(%x: tensor<3x64x32xf32>) {
  %y = kern.walk(%x) windows [<rows 2>] -> [<rows 2>] programs 2 chunk 16 span 4 {
  ^bb0(%t: tensor<16x16xf32>):
    // expected-error@+1 {{is not an operation on tiles}}
    %0 = seq.dropout %t at %t rate 0.1 : tensor<16x16xf32>
    kern.yield %0 : tensor<16x16xf32>
  } : (tensor<3x64x32xf32>) -> tensor<3x64x32xf32>
  return
}
