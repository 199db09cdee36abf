// What a user gives of schedules holds; what is left open is chosen. Later requests win.
// RUN: stretto-opt %s -kern-choose-schedule="cpu=x86-64-v4 overrides=main.a:rows=2,lanes=4;main.b*:chunk=16;main.b2:chunk=32,rows=1" | FileCheck %s
// RUN: stretto-opt %s -kern-choose-schedule="cpu=x86-64-v4 overrides=main.b*:rows=2;main.b1:chunk=8,lanes=4" -remarks-filter=schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=main.a:rows=2;mian.a:rows=2" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=mian.*:rows=2" 2>&1 | FileCheck %s --check-prefix=GLOBBED
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=main.a:threads=2" 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=main.a:lane=2" 2>&1 | FileCheck %s --check-prefix=LIKE
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=main.a:lanes=6" 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=main.a:lanes=128" 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=main.[ab]*:rows=64" 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=main.c:rows=2" 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=main.a:rows" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=main.a:rows=0" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=main.a:rows=2,rows=2" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not stretto-opt %s -kern-choose-schedule="overrides=main.[a:rows=2" 2>&1 | FileCheck %s --check-prefix=GLOB
// NAME: error: schedule 'mian.a:rows=2': no fused kernel is called 'mian.a'; the nearest are main.a, main.c, main.b1
// GLOBBED: error: schedule 'mian.*:rows=2': no fused kernel is called 'mian.*'; there are main.*{{$}}
// FIELD: error: schedule 'main.a:threads=2': fields must be among rows, lanes, chunk, block, strip, but got 'threads'{{$}}
// LIKE: error: schedule 'main.a:lane=2': fields must be among rows, lanes, chunk, block, strip, but got 'lane'; did you mean 'lanes'?
// LANES: [[#@LINE+16]]:8: error: kernel 'main.a': lanes must be a power of two of at most 64, but got 6
// WIDE: error: kernel 'main.a': lanes must be a power of two of at most 64, but got 128
// ROWS: error: kernel 'main.a': rows must be at most 32, but got 64
// ROWS-NOT: error
// FIXED: error: kernel 'main.c' must have no schedule yet for another one to be given
// FORM: error: a schedule must look like PATTERN:FIELD=NUMBER,FIELD=NUMBER, but got 'main.a:rows'
// NUMBER: error: a schedule must give whole numbers of 1 to 1048576, but got '0' for rows
// TWICE: error: a schedule must give each field once, but got rows twice in 'main.a:rows=2,rows=2'
// GLOB: error: a schedule must begin with names of kernels, but got 'main.[a': {{.+}}

// CHECK: kernel "main.a"{{.*}} schedule #kern.vector_schedule<rows 2, lanes 4, chunk 64>
// CHECK: kernel "main.b1"{{.*}} schedule #kern.vector_schedule<rows 1, lanes 16, chunk 16>
// CHECK: kernel "main.b2"{{.*}} schedule #kern.vector_schedule<rows 1, lanes 16, chunk 32>
// CHECK: kernel "main.c"{{.*}} schedule #kern.vector_schedule<rows 4, lanes 8, chunk 16>
// REMARK-NOT: Function=main.a
func.func @main(%x: tensor<16x64x256xf32>) -> tensor<16x64x256xf32> {
  %a = kern.rowwise kernel "main.a"(%x) maps [row] {
  ^bb0(%row: tensor<256xf32>):
    %0 = arith.addf %row, %row : tensor<256xf32>
    kern.yield %0 : tensor<256xf32>
  } : (tensor<16x64x256xf32>) -> tensor<16x64x256xf32>
  // REMARK: Function=main.b1 | Remark="given: rows 2, lanes 4, chunk 8"
  %b1 = kern.rowwise kernel "main.b1"(%a) maps [row] {
  ^bb0(%row: tensor<256xf32>):
    %0 = arith.addf %row, %row : tensor<256xf32>
    kern.yield %0 : tensor<256xf32>
  } : (tensor<16x64x256xf32>) -> tensor<16x64x256xf32>
  // REMARK: Function=main.b2 | Remark="given: rows 2; chosen: lanes 16, chunk 64"
  %b2 = kern.rowwise kernel "main.b2"(%b1) maps [row] {
  ^bb0(%row: tensor<256xf32>):
    %0 = arith.addf %row, %row : tensor<256xf32>
    kern.yield %0 : tensor<256xf32>
  } : (tensor<16x64x256xf32>) -> tensor<16x64x256xf32>
  %c = kern.rowwise kernel "main.c"(%b2) maps [row] schedule #kern.vector_schedule<rows 4, lanes 8, chunk 16> {
  ^bb0(%row: tensor<256xf32>):
    %0 = arith.addf %row, %row : tensor<256xf32>
    kern.yield %0 : tensor<256xf32>
  } : (tensor<16x64x256xf32>) -> tensor<16x64x256xf32>
  return %c : tensor<16x64x256xf32>
}
