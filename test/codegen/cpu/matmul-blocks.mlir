// The first block of a chunk holds all rows that taps bring together.
// RUN: not stretto-opt %s -kern-choose-schedule="cpu=x86-64-v4 overrides=tapped:block=3" 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: not stretto-opt %s -kern-choose-schedule="cpu=x86-64-v4 overrides=tapped:block=5000" 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not stretto-opt %s -kern-choose-schedule="cpu=x86-64-v4 overrides=tapped:strip=65" 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: stretto-opt %s -kern-choose-schedule="cpu=x86-64-v4 overrides=tapped:block=4" -kern-pack-weights -kern-lower-kernels=cpu=x86-64-v4 | FileCheck %s --check-prefix=ENOUGH
// RUN: stretto-opt %s -kern-choose-schedule=cpu=x86-64-v4 -kern-pack-weights -o %t.mlir
// RUN: sed 's/block 128/block 3/' %t.mlir | not stretto-opt -kern-lower-kernels=cpu=x86-64-v4 2>&1 | FileCheck %s --check-prefix=EDITED

// GIVEN: kernel 'tapped': block must be at least the 4 rows that taps bring together, but got 3
// LARGE: kernel 'tapped': block must be at most 4096, but got 5000
// WIDE: kernel 'tapped': strip must be at most the 64 columns of a piece, but got 65
// ENOUGH: llvm.func @tapped(
// EDITED: 'kern.matmul' op blocks must have at least the 4 rows that taps bring together, but got 3
func.func @main(%x: tensor<2x93x16xf32>, %w: tensor<64x16xf32>) -> tensor<2x93x64xf32> {
  %0 = kern.matmul kernel "tapped" %x by %w as transposed epilogue() maps [] {
  ^bb0(%row: tensor<64xf32>):
    %a = seq.tap %row by -3 : tensor<64xf32>
    %b = seq.tap %row by 1 : tensor<64xf32>
    %c = arith.addf %a, %b : tensor<64xf32>
    kern.yield %c : tensor<64xf32>
  } : (tensor<2x93x16xf32>, tensor<64x16xf32>) -> tensor<2x93x64xf32>
  return %0 : tensor<2x93x64xf32>
}
