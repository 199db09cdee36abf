// RUN: stretto-opt %s -kern-choose-schedule=cpu=x86-64-v4 -kern-pack-weights | FileCheck %s
// RUN: stretto-opt %s -kern-choose-schedule=cpu=x86-64-v4 -kern-pack-weights -kern-lower-kernels=cpu=x86-64-v4 | FileCheck %s --check-prefix=CODE
// RUN: not stretto-opt %s -kern-choose-schedule="cpu=x86-64-v4 overrides=heads:strip=48" 2>&1 | FileCheck %s --check-prefix=STRIP

// Strips of both halves; the last one is narrower, and code of its own. Both store to the same columns of the results.
// CHECK-LABEL: @main
// CHECK: %[[P:.*]] = kern.pack kernel "gated.pack" %{{.*}} as transposed pieces 2 strip 64 : tensor<320x256xf32> -> tensor<6x2x256x32xf32>
// CHECK: kern.matmul kernel "gated" %{{.*}} by %[[P]] as panels epilogue() maps [] schedule #kern.strip_schedule<pieces 2, strip 64, block 128, rows 4, lanes 16, chunk 192>
// CODE-LABEL: llvm.func @gated.pack
// CODE: llvm.call @stretto_pack_panel_f32
// CODE-LABEL: llvm.func @gated(
// CODE-SAME: kern.chunks = 18
// CODE-COUNT-4: llvm.call @stretto_block_matmul_f32
func.func @main(%x: tensor<2x512x256xf32>, %w: tensor<320x256xf32>) -> tensor<2x512x160xf32> {
  %0 = kern.matmul kernel "gated" %x by %w as transposed epilogue() maps [] {
  ^bb0(%row: tensor<320xf32>):
    %a = seq.slice %row at 0 : tensor<320xf32> -> tensor<160xf32>
    %b = seq.slice %row at 160 : tensor<320xf32> -> tensor<160xf32>
    %c = arith.mulf %a, %b : tensor<160xf32>
    %d = seq.tap %c by -1 : tensor<160xf32>
    kern.yield %d : tensor<160xf32>
  } : (tensor<2x512x256xf32>, tensor<320x256xf32>) -> tensor<2x512x160xf32>
  return %0 : tensor<2x512x160xf32>
}

// STRIP: strip must be a number of columns that meet no others, but got 48
func.func @per_head(%x: tensor<2x512x256xf32>, %w: tensor<192x256xf32>) -> tensor<2x512x3xf32> {
  %0 = kern.matmul kernel "heads" %x by %w as transposed epilogue() maps [] {
  ^bb0(%row: tensor<192xf32>):
    %a = seq.reshape %row : tensor<192xf32> -> tensor<3x64xf32>
    %b = seq.reduce add %a : tensor<3x64xf32> -> tensor<3xf32>
    kern.yield %b : tensor<3xf32>
  } : (tensor<2x512x256xf32>, tensor<192x256xf32>) -> tensor<2x512x3xf32>
  return %0 : tensor<2x512x3xf32>
}

// The matmul stores what is a result itself: there is no tile whose last rows would be kept.
// CODE-LABEL: llvm.func @stored(
// CODE-NOT: llvm.intr.memmove
// CODE-LABEL: llvm.func @apart(
// CODE: llvm.intr.memmove
func.func @stores(%x: tensor<2x512x256xf32>, %w: tensor<192x256xf32>) -> tensor<2x512x192xf32> {
  %0:2 = kern.matmul kernel "stored" %x by %w as transposed epilogue() maps [] schedule #kern.strip_schedule<pieces 1, strip 64, block 64, rows 4, lanes 16, chunk 512> {
  ^bb0(%row: tensor<192xf32>):
    %a = seq.tap %row by -1 : tensor<192xf32>
    kern.yield %row, %a : tensor<192xf32>, tensor<192xf32>
  } : (tensor<2x512x256xf32>, tensor<192x256xf32>) -> (tensor<2x512x192xf32>, tensor<2x512x192xf32>)
  %1:2 = kern.matmul kernel "apart" %x by %w as transposed epilogue() maps [] schedule #kern.strip_schedule<pieces 1, strip 64, block 64, rows 4, lanes 16, chunk 256> {
  ^bb0(%row: tensor<192xf32>):
    %a = seq.tap %row by -1 : tensor<192xf32>
    kern.yield %row, %a : tensor<192xf32>, tensor<192xf32>
  } : (tensor<2x512x256xf32>, tensor<192x256xf32>) -> (tensor<2x512x192xf32>, tensor<2x512x192xf32>)
  %2 = arith.addf %0#1, %1#1 : tensor<2x512x192xf32>
  return %2 : tensor<2x512x192xf32>
}
