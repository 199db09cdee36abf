// RUN: stretto-opt %s --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<8x32xf32>, %w: tensor<16x32xf32>) -> tensor<8x16xf32> {
  // expected-error@+1 {{the left operand must be rows [batch, time, columns], but got 'tensor<8x32xf32>'}}
  %y = kern.matmul %x by %w as transposed epilogue() maps [] {
  ^bb0(%row: tensor<16xf32>):
    kern.yield %row : tensor<16xf32>
  } : (tensor<8x32xf32>, tensor<16x32xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

func.func @no_row(%x: tensor<2x8x32xf32>, %w: tensor<16x32xf32>) -> tensor<2x8xf32> {
  // expected-error@+1 {{body argument 0 must be one row of the matmul}}
  %y = kern.matmul %x by %w as transposed epilogue() maps [] {
    %0 = arith.constant dense<0.0> : tensor<f32>
    kern.yield %0 : tensor<f32>
  } : (tensor<2x8x32xf32>, tensor<16x32xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

func.func @type(%x: tensor<2x8x32xf32>, %w: tensor<16x32xf32>) -> tensor<2x8x16xf64> {
  // expected-error@+1 {{body argument 0 must have numbers of 'f32', the type of sums, but got 'tensor<16xf64>'}}
  %y = kern.matmul %x by %w as transposed epilogue() maps [] {
  ^bb0(%row: tensor<16xf64>):
    kern.yield %row : tensor<16xf64>
  } : (tensor<2x8x32xf32>, tensor<16x32xf32>) -> tensor<2x8x16xf64>
  return %y : tensor<2x8x16xf64>
}

// -----

func.func @weight(%x: tensor<2x8x32xf32>, %w: tensor<16x32xf32>) -> tensor<2x8x16xf32> {
  // expected-error@+1 {{the right operand must have type 'tensor<32x16xf32>', but got 'tensor<16x32xf32>'}}
  %y = kern.matmul %x by %w as rows epilogue() maps [] {
  ^bb0(%row: tensor<16xf32>):
    kern.yield %row : tensor<16xf32>
  } : (tensor<2x8x32xf32>, tensor<16x32xf32>) -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}

// -----

func.func @panels(%x: tensor<2x8x32xf32>, %w: tensor<1x1x32x32xf32>) -> tensor<2x8x16xf32> {
  // expected-error@+1 {{panels need a schedule of strips}}
  %y = kern.matmul %x by %w as panels epilogue() maps [] {
  ^bb0(%row: tensor<16xf32>):
    kern.yield %row : tensor<16xf32>
  } : (tensor<2x8x32xf32>, tensor<1x1x32x32xf32>) -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}

// -----

func.func @pieces(%x: tensor<2x8x32xf32>, %w: tensor<16x32xf32>) -> tensor<2x8x16xf32> {
  // expected-error@+1 {{the pieces of the schedule must divide 16 columns, but got 3}}
  %y = kern.matmul %x by %w as transposed epilogue() maps []
      schedule #kern.strip_schedule<pieces 3, strip 8, block 64, rows 8, lanes 16, chunk 8> {
  ^bb0(%row: tensor<16xf32>):
    kern.yield %row : tensor<16xf32>
  } : (tensor<2x8x32xf32>, tensor<16x32xf32>) -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}

// -----

func.func @strip(%x: tensor<2x8x32xf32>, %w: tensor<16x32xf32>) -> tensor<2x8x16xf32> {
  // expected-error@+1 {{the strip of the schedule must have at most the 8 columns of a piece, but has 9}}
  %y = kern.matmul %x by %w as transposed epilogue() maps []
      schedule #kern.strip_schedule<pieces 2, strip 9, block 64, rows 8, lanes 16, chunk 8> {
  ^bb0(%row: tensor<16xf32>):
    kern.yield %row : tensor<16xf32>
  } : (tensor<2x8x32xf32>, tensor<16x32xf32>) -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}

// -----

func.func @nothing(%x: tensor<2x8x32xf32>, %w: tensor<16x32xf32>) {
  // expected-error@+1 {{must store a result}}
  kern.matmul %x by %w as transposed epilogue() maps [] {
  ^bb0(%row: tensor<16xf32>):
    kern.yield
  } : (tensor<2x8x32xf32>, tensor<16x32xf32>) -> ()
  return
}

// -----

func.func @rows(%x: tensor<2x8x32xf32>, %w: tensor<16x32xf32>, %y: tensor<2x9x16xf32>) -> tensor<2x8x16xf32> {
  // expected-error@+1 {{operand 2 must have 2 x 8 rows, but got 'tensor<2x9x16xf32>'}}
  %z = kern.matmul %x by %w as transposed epilogue(%y) maps [row] {
  ^bb0(%row: tensor<16xf32>, %other: tensor<16xf32>):
    kern.yield %row : tensor<16xf32>
  } : (tensor<2x8x32xf32>, tensor<16x32xf32>, tensor<2x9x16xf32>) -> tensor<2x8x16xf32>
  return %z : tensor<2x8x16xf32>
}

// -----

func.func @form(%x: tensor<2x8x32xf32>, %w: tensor<16x32xf32>) -> tensor<2x8x16xf32> {
  // expected-error@+1 {{expected rows, transposed or panels, but got columns}}
  %y = kern.matmul %x by %w as columns epilogue() maps [] {
  ^bb0(%row: tensor<16xf32>):
    kern.yield %row : tensor<16xf32>
  } : (tensor<2x8x32xf32>, tensor<16x32xf32>) -> tensor<2x8x16xf32>
  return %y : tensor<2x8x16xf32>
}

// -----

func.func @pack(%w: tensor<16x32xf32>) -> tensor<2x1x32x32xf32> {
  // expected-error@+1 {{needs strips of at least one column, of pieces that divide 16 columns, but got 3 and 8}}
  %0 = kern.pack %w as transposed pieces 3 strip 8 : tensor<16x32xf32> -> tensor<2x1x32x32xf32>
  return %0 : tensor<2x1x32x32xf32>
}

// -----

func.func @packed(%w: tensor<16x32xf32>) -> tensor<1x1x32x32xf32> {
  // expected-error@+1 {{the result must have type 'tensor<2x1x32x32xf32>', but got 'tensor<1x1x32x32xf32>'}}
  %0 = kern.pack %w as transposed pieces 2 strip 8 : tensor<16x32xf32> -> tensor<1x1x32x32xf32>
  return %0 : tensor<1x1x32x32xf32>
}

// -----

func.func @repacked(%w: tensor<2x1x32x32xf32>) -> tensor<2x1x32x32xf32> {
  // expected-error@+1 {{packs a matrix as rows or transposed, but got 'tensor<2x1x32x32xf32>' as panels}}
  %0 = kern.pack %w as panels pieces 2 strip 8 : tensor<2x1x32x32xf32> -> tensor<2x1x32x32xf32>
  return %0 : tensor<2x1x32x32xf32>
}
