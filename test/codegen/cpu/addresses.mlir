// RUN: stretto-opt %s -kern-lower-kernels=cpu=x86-64-v4 | FileCheck %s

// A loop over columns has one pointer for each buffer, whatever the rows and halves of a row: the rest are constants.
// CHECK-LABEL: llvm.func @halves
// CHECK: llvm.and
// CHECK: ^{{bb[0-9]+}}(%[[COLUMN:[0-9]+]]: i64):
// CHECK: %[[IN:[0-9]+]] = llvm.getelementptr %{{[0-9]+}}[%[[COLUMN]]]
// CHECK-NEXT: llvm.load %[[IN]]
// CHECK-NEXT: llvm.getelementptr %[[IN]][-64]
// CHECK-NOT: [%[[COLUMN]]]
// CHECK: %[[OUT:[0-9]+]] = llvm.getelementptr %{{[0-9]+}}[%[[COLUMN]]]
// CHECK-NEXT: llvm.store %{{[0-9]+}}, %[[OUT]]
// CHECK-NOT: [%[[COLUMN]]]
// CHECK: llvm.add %[[COLUMN]]
func.func @f(%x: tensor<1x16x64xf32>) {
  %y = kern.rowwise kernel "halves"(%x) maps [row] schedule #kern.vector_schedule<rows 4, lanes 16, chunk 16> {
  ^bb0(%a: tensor<64xf32>):
    %0 = seq.tap %a by -1 : tensor<64xf32>
    %1 = arith.addf %a, %0 : tensor<64xf32>
    %2 = seq.slice %1 at 0 : tensor<64xf32> -> tensor<32xf32>
    %3 = seq.slice %1 at 32 : tensor<64xf32> -> tensor<32xf32>
    %4 = arith.mulf %2, %3 : tensor<32xf32>
    kern.yield %4 : tensor<32xf32>
  } : (tensor<1x16x64xf32>) -> tensor<1x16x32xf32>
  return
}
