// RUN: stretto-opt %s --kern-choose-cuda-schedule --remarks-filter=registers 2>%t | stretto-opt --kern-lower-cuda-kernels | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// What a tap reads five rows away waits in registers. 2000 rows would take thousands: the row is loaded again, and so is the one from
// which a sigmoid is computed once more; nothing is carried, and no rows are read in front of a chunk.
// REMARK-COUNT-2: FarTaps {{.*}} Remark="taps load rows once more, as numbers wait in registers for 8 rows at most"
// REMARK-NOT: FarTaps
// CHECK-LABEL: llvm.func @near(
// CHECK: ^bb{{[0-9]+}}({{%[0-9]+}}: i64, {{%[0-9]+}}: vector<4xf32>, {{%[0-9]+}}: vector<4xf32>, {{%[0-9]+}}: vector<4xf32>, {{%[0-9]+}}: vector<4xf32>, {{%[0-9]+}}: vector<4xf32>
// CHECK-LABEL: llvm.func @before(

func.func @main(%x: tensor<2x4096x256xf32>) {
  %a = kern.rowwise kernel "near"(%x) maps [row] {
  ^bb0(%row: tensor<256xf32>):
    %t = seq.tap %row by -5 : tensor<256xf32>
    %0 = arith.addf %row, %t : tensor<256xf32>
    kern.yield %0 : tensor<256xf32>
  } : (tensor<2x4096x256xf32>) -> tensor<2x4096x256xf32>
  %b = kern.rowwise kernel "before"(%x) maps [row] {
  ^bb0(%row: tensor<256xf32>):
    %t = seq.tap %row by -2000 : tensor<256xf32>
    %0 = arith.addf %row, %t : tensor<256xf32>
    kern.yield %0 : tensor<256xf32>
  } : (tensor<2x4096x256xf32>) -> tensor<2x4096x256xf32>
  %c = kern.rowwise kernel "behind"(%x) maps [row] {
  ^bb0(%row: tensor<256xf32>):
    %s = seq.sigmoid %row : tensor<256xf32>
    %t = seq.tap %s by 2000 : tensor<256xf32>
    %0 = arith.addf %s, %t : tensor<256xf32>
    kern.yield %0 : tensor<256xf32>
  } : (tensor<2x4096x256xf32>) -> tensor<2x4096x256xf32>
  return
}
