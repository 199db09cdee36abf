// Neighbours that change places lie in one vector, whatever a user or edited IR gives.
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=main.pairs:lanes=1" 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: sed 's/maps .row./& schedule #kern.vector_schedule<rows 1, lanes 1, chunk 8>/' %s | stretto-opt --kern-lower-kernels | FileCheck %s
// GIVEN: error: kernel 'main.pairs': lanes must be at least 2, as neighbours change places, but got 1
// CHECK: llvm.shufflevector %{{.*}} [1, 0] : vector<2xf32>
func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = kern.rowwise kernel "main.pairs"(%x) maps [row] {
  ^bb0(%row: tensor<16xf32>):
    %a = seq.permute interleaved %row rotated 16 : tensor<16xf32>
    kern.yield %a : tensor<16xf32>
  } : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}
