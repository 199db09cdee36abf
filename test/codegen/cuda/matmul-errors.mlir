// RUN: stretto-opt %s --kern-lower-cuda-kernels --split-input-file --verify-diagnostics

func.func @unscheduled(%x: tensor<1x64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<1x64x64xbf16> {
  // expected-error@+1 {{needs a schedule of tiles to become device code}}
  %y = kern.matmul kernel "k" %x by %w as rows epilogue() maps [] {
  ^bb0(%row: tensor<64xf32>):
    %0 = arith.truncf %row : tensor<64xf32> to tensor<64xbf16>
    kern.yield %0 : tensor<64xbf16>
  } : (tensor<1x64x64xbf16>, tensor<64x64xbf16>) -> tensor<1x64x64xbf16>
  return %y : tensor<1x64x64xbf16>
}

// -----

func.func @single(%x: tensor<1x64x64xf32>, %w: tensor<64x64xf32>) -> tensor<1x64x64xbf16> {
  // expected-error@+1 {{must have operands of bf16 to become device code, but got 'f32'}}
  %y = kern.matmul kernel "k" %x by %w as rows epilogue() maps []
      schedule #kern.tile_schedule<run 64, tile_rows 64, pieces 1, strip 64, stages 2, blocks 1, warps 3, threads 32, rows 2, lanes 2> {
  ^bb0(%row: tensor<64xf32>):
    %0 = arith.truncf %row : tensor<64xf32> to tensor<64xbf16>
    kern.yield %0 : tensor<64xbf16>
  } : (tensor<1x64x64xf32>, tensor<64x64xf32>) -> tensor<1x64x64xbf16>
  return %y : tensor<1x64x64xbf16>
}

// -----

func.func @body(%x: tensor<1x64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<1x64x64xbf16> {
  // expected-error@+1 {{must round the matmul to bf16 before its body reads it to become device code}}
  %y = kern.matmul kernel "k" %x by %w as rows epilogue() maps []
      schedule #kern.tile_schedule<run 64, tile_rows 64, pieces 1, strip 64, stages 2, blocks 1, warps 3, threads 32, rows 2, lanes 2> {
  ^bb0(%row: tensor<64xf32>):
    %n = arith.negf %row : tensor<64xf32>
    %0 = arith.truncf %n : tensor<64xf32> to tensor<64xbf16>
    kern.yield %0 : tensor<64xbf16>
  } : (tensor<1x64x64xbf16>, tensor<64x64xbf16>) -> tensor<1x64x64xbf16>
  return %y : tensor<1x64x64xbf16>
}

// -----

func.func @odd(%x: tensor<1x64x60xbf16>, %w: tensor<64x60xbf16>) -> tensor<1x64x64xbf16> {
  // expected-error@+1 {{must have operands whose rows have a multiple of 8 numbers to become device code, but got 60}}
  %y = kern.matmul kernel "k" %x by %w as transposed epilogue() maps []
      schedule #kern.tile_schedule<run 64, tile_rows 64, pieces 1, strip 64, stages 2, blocks 1, warps 3, threads 32, rows 2, lanes 2> {
  ^bb0(%row: tensor<64xf32>):
    %0 = arith.truncf %row : tensor<64xf32> to tensor<64xbf16>
    kern.yield %0 : tensor<64xbf16>
  } : (tensor<1x64x60xbf16>, tensor<64x60xbf16>) -> tensor<1x64x64xbf16>
  return %y : tensor<1x64x64xbf16>
}

// -----

func.func @clusters(%x: tensor<1x64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<1x64x64xbf16> {
  // expected-error@+1 {{cluster of its schedule must be 1, 2, 4 or 8, such that it divides the 3 blocks, but got 2}}
  %y = kern.matmul kernel "k" %x by %w as rows epilogue() maps []
      schedule #kern.tile_schedule<run 64, tile_rows 64, pieces 1, strip 64, stages 2, blocks 3, warps 3, threads 32, rows 2, lanes 2, cluster 2> {
  ^bb0(%row: tensor<64xf32>):
    %0 = arith.truncf %row : tensor<64xf32> to tensor<64xbf16>
    kern.yield %0 : tensor<64xbf16>
  } : (tensor<1x64x64xbf16>, tensor<64x64xbf16>) -> tensor<1x64x64xbf16>
  return %y : tensor<1x64x64xbf16>
}

// -----

func.func @large(%x: tensor<1x64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<1x64x64xbf16> {
  // expected-error@+1 {{stages of its schedule must be at least 2, and few enough for a block to take at most 232448 bytes of shared memory (it takes 264272), but got 4}}
  %y = kern.matmul kernel "k" %x by %w as transposed epilogue() maps []
      schedule #kern.tile_schedule<run 128, tile_rows 128, pieces 1, strip 256, stages 4, blocks 1, warps 3, threads 32, rows 2, lanes 8> {
  ^bb0(%row: tensor<64xf32>):
    %0 = arith.truncf %row : tensor<64xf32> to tensor<64xbf16>
    kern.yield %0 : tensor<64xbf16>
  } : (tensor<1x64x64xbf16>, tensor<64x64xbf16>) -> tensor<1x64x64xbf16>
  return %y : tensor<1x64x64xbf16>
}
