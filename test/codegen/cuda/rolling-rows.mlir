// RUN: stretto-opt %s --kern-choose-cuda-schedule --kern-lower-cuda-kernels | FileCheck %s
// RUN: stretto-opt %s --kern-choose-cuda-schedule | FileCheck %s --check-prefix=ROWS

// A gate and its gradient, which a tap asks for three rows ahead: the sigmoid of two lanes is computed once for each row of a step, and
// its product, rounded, waits for its row. Chunks begin with those of three rows. The steps all of whose rows are in the sequence are
// in a loop of their own that masks nothing and keeps no row number inside; then come the others.
// CHECK-LABEL: llvm.func @gate(
// CHECK-COUNT-6: llvm.nvvm.ex2.approx
// CHECK: ^bb1({{%[0-9]+}}: i64, {{%[0-9]+}}: vector<2xbf16>, {{%[0-9]+}}: vector<2xbf16>, {{%[0-9]+}}: vector<2xbf16>,
// CHECK: ^bb2:
// CHECK-NOT: {{llvm.select|ex2}}
// CHECK-COUNT-8: llvm.nvvm.ex2.approx
// CHECK-NOT: {{llvm.select|ex2}}
// CHECK: ^bb4({{%[0-9]+}}: i64, {{%[0-9]+}}: vector<2xbf16>, {{%[0-9]+}}: vector<2xbf16>, {{%[0-9]+}}: vector<2xbf16>):
// CHECK-COUNT-3: llvm.select {{.*}}vector<2xf32>

// A step has more rows than a value waits for, though fewer would bring enough bytes: nothing is moved from register to register.
// ROWS: kernel "free"{{.*}} schedule #kern.thread_schedule<rows 4,

func.func @main(%x: tensor<2x64x1024xbf16>, %d: tensor<2x64x1024xbf16>, %y: tensor<2x64x1024xf32>, %e: tensor<2x64x1024xf32>) {
  %a:2 = kern.rowwise kernel "gate"(%x, %d) maps [row, row] schedule #kern.thread_schedule<rows 4, lanes 2, chunk 32, threads 128, groups 1, tiles 4> {
  ^bb0(%row: tensor<1024xbf16>, %grad: tensor<1024xbf16>):
    %v = arith.extf %row : tensor<1024xbf16> to tensor<1024xf32>
    %g = arith.extf %grad : tensor<1024xbf16> to tensor<1024xf32>
    %s = seq.sigmoid %v : tensor<1024xf32>
    %m = arith.mulf %v, %s : tensor<1024xf32>
    %r = arith.mulf %g, %s : tensor<1024xf32>
    %t = seq.tap %r by 3 : tensor<1024xf32>
    %0 = arith.truncf %m : tensor<1024xf32> to tensor<1024xbf16>
    %1 = arith.truncf %t : tensor<1024xf32> to tensor<1024xbf16>
    kern.yield %0, %1 : tensor<1024xbf16>, tensor<1024xbf16>
  } : (tensor<2x64x1024xbf16>, tensor<2x64x1024xbf16>) -> (tensor<2x64x1024xbf16>, tensor<2x64x1024xbf16>)
  %b = kern.rowwise kernel "free"(%y, %e) maps [row, row] {
  ^bb0(%row: tensor<1024xf32>, %other: tensor<1024xf32>):
    %t = seq.tap %row by -3 : tensor<1024xf32>
    %p = arith.mulf %row, %t : tensor<1024xf32>
    %m = arith.subf %other, %p : tensor<1024xf32>
    kern.yield %m : tensor<1024xf32>
  } : (tensor<2x64x1024xf32>, tensor<2x64x1024xf32>) -> tensor<2x64x1024xf32>
  return
}
