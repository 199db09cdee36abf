// What states of a tile program cannot be.
// RUN: stretto-opt --verify-diagnostics --split-input-file %s

func.func @no_rows(%w: tensor<32xf32>) {
  // expected-error@+1 {{must have a value with rows or states}}
  kern.walk(%w) windows [<shared 2>] -> [] programs 2 chunk 16 span 4 {
  ^bb0(%t: tensor<16xf32>):
    kern.yield
  } : (tensor<32xf32>) -> ()
  return
}

// -----

func.func @entries_differ(%s: tensor<3x2x4x256xf32>, %z: tensor<3x2x3x256xf32>) {
  // expected-error@+1 {{operand 1: must be [batch, heads, entries, rows * columns] with an entry for each 1 chunks, but got}}
  kern.walk(%s, %z) windows [<states 2 width 16>, <states 2 width 16>] -> [] programs 2 chunk 1 span 4 {
  ^bb0(%t: tensor<16x16xf32>, %m: tensor<16x16xf32>):
    kern.yield
  } : (tensor<3x2x4x256xf32>, tensor<3x2x3x256xf32>) -> ()
  return
}

// -----

func.func @read_ends(%s: tensor<3x2x4x256xf32>) {
  // expected-error@+1 {{operand 0: only results are stored at ends}}
  kern.walk(%s) windows [<ends 2 width 16>] -> [] programs 2 chunk 1 span 4 {
  ^bb0(%t: tensor<16x16xf32>):
    kern.yield
  } : (tensor<3x2x4x256xf32>) -> ()
  return
}

// -----

// A list is a part of one column.
func.func @wide_list(%s: tensor<3x2x4x256xf32>) {
  // expected-error@+1 {{operand 0: tiles must have at least the rows and columns of a part, but got}}
  kern.walk(%s) windows [<states 2 width 16>] -> [] programs 2 chunk 1 span 4 {
  ^bb0(%t: tensor<16xf32>):
    kern.yield
  } : (tensor<3x2x4x256xf32>) -> ()
  return
}

// -----

func.func @entries(%x: tensor<3x64x32xf32>, %s: tensor<3x2x3x256xf32>) {
  // expected-error@+1 {{operand 1: must be [batch, heads, entries, rows * columns] with an entry for each 1 chunks, but got}}
  %y = kern.walk(%x, %s) windows [<rows 2>, <states 2 width 16>] -> [<rows 2>] programs 2 chunk 16 span 4 {
  ^bb0(%t: tensor<16x16xf32>, %m: tensor<16x16xf32>):
    kern.yield %t : tensor<16x16xf32>
  } : (tensor<3x64x32xf32>, tensor<3x2x3x256xf32>) -> tensor<3x64x32xf32>
  return
}

// -----

func.func @heads(%s: tensor<3x3x4x256xf32>) {
  // expected-error@+1 {{operand 0: the heads must divide the parts, but got}}
  kern.walk(%s) windows [<states 2 width 16>] -> [] programs 2 chunk 1 span 4 {
  ^bb0(%t: tensor<16x16xf32>):
    kern.yield
  } : (tensor<3x3x4x256xf32>) -> ()
  return
}

// -----

func.func @rows_without_measure(%s: tensor<3x2x4x256xf32>) {
  // expected-error@+1 {{must have states of at most 2147483647 rows, but got chunks of 2147483647}}
  kern.walk(%s) windows [<states 2 width 16 every 2147483647>] -> [] programs 2 chunk 2147483647 span 4 {
  ^bb0(%t: tensor<16x16xf32>):
    kern.yield
  } : (tensor<3x2x4x256xf32>) -> ()
  return
}

// -----

// expected-error@+1 {{numbers of a window must be at most 2147483647, but got 4611686018427387904}}
module attributes {a = #kern.window<states 2 width 4611686018427387904>} {}
