// RUN: stretto-opt %s -kern-fuse-epilogues --split-input-file --verify-diagnostics

func.func @alone(%x: tensor<2x8x16xf32>, %w: tensor<32x16xf32>) -> tensor<2x8x32xf32> {
  // expected-error@+1 {{lacks the kernel with its number of kern.epilogue}}
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32> {kern.epilogue = 0 : i64}
  return %0 : tensor<2x8x32xf32>
}

// -----

func.func @two(%x: tensor<2x8x16xf32>, %w: tensor<32x16xf32>) -> (tensor<2x8x32xf32>, tensor<2x8x32xf32>) {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32> {kern.epilogue = 0 : i64}
  // expected-error@+1 {{must be the one matmul or kernel of its number of kern.epilogue}}
  %1 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32> {kern.epilogue = 0 : i64}
  return %0, %1 : tensor<2x8x32xf32>, tensor<2x8x32xf32>
}

// -----

func.func @other(%x: tensor<2x8x16xf32>, %w: tensor<32x16xf32>) -> (tensor<2x8x32xf32>, tensor<2x8x16xf32>) {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32> {kern.epilogue = 0 : i64}
  // expected-error@+1 {{must read the rows of the matmul with its number of kern.epilogue, once}}
  %1 = kern.rowwise kernel "k"(%x) maps [row] {
  ^bb0(%row: tensor<16xf32>):
    kern.yield %row : tensor<16xf32>
  } {kern.epilogue = 0 : i64} : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %0, %1 : tensor<2x8x32xf32>, tensor<2x8x16xf32>
}
