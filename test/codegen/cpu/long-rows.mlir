// RUN: stretto-opt %s -kern-choose-schedule=cpu=x86-64-v4 | FileCheck %s
// RUN: stretto-opt %s -kern-choose-schedule=cpu=x86-64-v4 -remarks-filter=schedule -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Rows whose code is long are fewer in a block. A softplus counts as 45 operations, and each end of a slice makes a loop
// of its own, which computes what it reads.

// CHECK: kernel "short"{{.*}}<rows 4, lanes 16, chunk 8>
// CHECK: kernel "long"{{.*}}<rows 2, lanes 16, chunk 8>
// CHECK: kernel "cut"{{.*}}<rows 1, lanes 16, chunk 8>
// REMARK: operations=180, {{.*}}rows=4
// REMARK: operations=405, {{.*}}rows=2
// REMARK: operations=810, {{.*}}rows=1
func.func @f(%x: tensor<1x16x16xf32>) {
  %short = kern.rowwise kernel "short"(%x) maps [row] {
  ^bb0(%row: tensor<16xf32>):
    %0 = seq.softplus %row : tensor<16xf32>
    %1 = seq.softplus %0 : tensor<16xf32>
    %2 = seq.softplus %1 : tensor<16xf32>
    %3 = seq.softplus %2 : tensor<16xf32>
    kern.yield %3 : tensor<16xf32>
  } : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
  %long = kern.rowwise kernel "long"(%x) maps [row] {
  ^bb0(%row: tensor<16xf32>):
    %0 = seq.softplus %row : tensor<16xf32>
    %1 = seq.softplus %0 : tensor<16xf32>
    %2 = seq.softplus %1 : tensor<16xf32>
    %3 = seq.softplus %2 : tensor<16xf32>
    %4 = seq.softplus %3 : tensor<16xf32>
    %5 = seq.softplus %4 : tensor<16xf32>
    %6 = seq.softplus %5 : tensor<16xf32>
    %7 = seq.softplus %6 : tensor<16xf32>
    %8 = seq.softplus %7 : tensor<16xf32>
    kern.yield %8 : tensor<16xf32>
  } : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
  %cut = kern.rowwise kernel "cut"(%x) maps [row] {
  ^bb0(%row: tensor<16xf32>):
    %0 = seq.softplus %row : tensor<16xf32>
    %1 = seq.softplus %0 : tensor<16xf32>
    %2 = seq.softplus %1 : tensor<16xf32>
    %3 = seq.softplus %2 : tensor<16xf32>
    %4 = seq.softplus %3 : tensor<16xf32>
    %5 = seq.softplus %4 : tensor<16xf32>
    %a = seq.slice %5 at 0 : tensor<16xf32> -> tensor<2xf32>
    %b = seq.slice %5 at 2 : tensor<16xf32> -> tensor<5xf32>
    %c = seq.slice %5 at 7 : tensor<16xf32> -> tensor<9xf32>
    %d = seq.concat %c, %b : tensor<9xf32>, tensor<5xf32> -> tensor<14xf32>
    %e = seq.concat %d, %a : tensor<14xf32>, tensor<2xf32> -> tensor<16xf32>
    kern.yield %e : tensor<16xf32>
  } : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
  return
}
