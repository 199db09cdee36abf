// RUN: stretto-opt %s --kern-choose-fused-sums="most=3 slack=1000" -o %t.mlir --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.mlir
// RUN: stretto-opt %s --kern-choose-fused-sums=most=3 | FileCheck %s --check-prefix=GROWN
// RUN: not stretto-opt %s --kern-choose-fused-sums=slack=-1 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: kern-choose-fused-sums needs 'most' of at least 1 and 'slack' of at least 0, but got 16 and -1

// At most three; what is read before the next sum begins anew.
// CHECK-LABEL: func.func private @read(
// CHECK: kernel "a" {{.*}} {kern.fused_sum = 0 : i64}
// CHECK: kernel "b" {{.*}} {kern.fused_sum = 0 : i64}
// CHECK: kern.copy
// CHECK: kernel "c" {{.*}} {kern.fused_sum = 1 : i64}
// CHECK: kernel "d" {{.*}} {kern.fused_sum = 1 : i64}
// CHECK: kernel "e" {{.*}} {kern.fused_sum = 1 : i64}
// CHECK: kernel "f" {{.*}} -> tensor<16xf32>{{$}}
// REMARK: [Missed] SumNotFused | Category:fusion | Function=read | Reason="a sum before it is read by then", Remark="not in one launch with the sums before it: c"
// REMARK: [Passed] FusedSums | Category:fusion | Function=read | Remark="sums over rows in one launch: a, b", Sums=2
// REMARK: [Missed] SumNotFused {{.*}} Reason="a launch has at most 3 sums", Remark="{{.*}}: f"
// REMARK: [Passed] FusedSums {{.*}} in one launch: c, d, e", Sums=3
func.func private @read(%p: tensor<4x16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %a = kern.sum_partials kernel "a" %p : tensor<4x16xf32> -> tensor<16xf32>
  %b = kern.sum_partials kernel "b" %p : tensor<4x16xf32> -> tensor<16xf32>
  %copy = kern.copy %a : tensor<16xf32>
  %c = kern.sum_partials kernel "c" %p : tensor<4x16xf32> -> tensor<16xf32>
  %d = kern.sum_partials kernel "d" %p : tensor<4x16xf32> -> tensor<16xf32>
  %e = kern.sum_partials kernel "e" %p : tensor<4x16xf32> -> tensor<16xf32>
  %f = kern.sum_partials kernel "f" %p : tensor<4x16xf32> -> tensor<16xf32>
  return %copy, %b, %c, %d, %e, %f : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// No launch for sums on both sides of a scan.
// CHECK-LABEL: func.func @scanned(
// CHECK-NOT: kern.fused_sum
// CHECK: return
// REMARK: [Missed] SumNotFused {{.*}} Function=scanned | Reason="a scan lies between"
func.func private @body(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  return %x : tensor<2x8x16xf32>
}
func.func @scanned(%p: tensor<4x16xf32>, %x: tensor<2x8x16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<2x8x16xf32>) {
  %a = kern.sum_partials kernel "a" %p : tensor<4x16xf32> -> tensor<16xf32>
  %y = seq.scan @body trips 3 carry(%x) slices() invariants() : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %b = kern.sum_partials kernel "b" %p : tensor<4x16xf32> -> tensor<16xf32>
  return %a, %b, %y : tensor<16xf32>, tensor<16xf32>, tensor<2x8x16xf32>
}

// A sum that adds to a value stays by itself, and does not keep others apart.
// CHECK-LABEL: func.func private @accumulate(
// CHECK: kernel "a" {{.*}} {kern.fused_sum = 0 : i64}
// CHECK: kernel "b" {{.*}} -> tensor<16xf32>{{$}}
// CHECK: kernel "c" {{.*}} {kern.fused_sum = 0 : i64}
func.func private @accumulate(%p: tensor<4x16xf32>, %s: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %a = kern.sum_partials kernel "a" %p : tensor<4x16xf32> -> tensor<16xf32>
  %b = kern.sum_partials kernel "b" %p accumulate %s : tensor<16xf32> : tensor<4x16xf32> -> tensor<16xf32>
  %c = kern.sum_partials kernel "c" %p : tensor<4x16xf32> -> tensor<16xf32>
  return %a, %b, %c : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// At the peak partials of 4096 bytes would be live, too. What is read through a view is live until then.
// CHECK-LABEL: func.func private @bytes(
// CHECK-NOT: kern.fused_sum
// CHECK: return
// GROWN-LABEL: func.func private @bytes(
// GROWN: kernel "a" {{.*}} {kern.fused_sum = 0 : i64}
// GROWN: kernel "b" {{.*}} {kern.fused_sum = 0 : i64}
// REMARK: [Missed] SumNotFused {{.*}} Function=bytes | Reason="86080 bytes would be live at once, and not 82984 at most", Remark="{{.*}}: b"
func.func private @bytes(%x: tensor<64x16xf32>, %big: tensor<640x16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<10x64x16xf32>) {
  %p = kern.copy %x : tensor<64x16xf32>
  %a = kern.sum_partials kernel "a" %p : tensor<64x16xf32> -> tensor<16xf32>
  %0 = kern.copy %big : tensor<640x16xf32>
  %view = seq.reshape %0 : tensor<640x16xf32> -> tensor<10x64x16xf32>
  %1 = kern.copy %view : tensor<10x64x16xf32>
  %q = kern.copy %x : tensor<64x16xf32>
  %b = kern.sum_partials kernel "b" %q : tensor<64x16xf32> -> tensor<16xf32>
  return %a, %b, %1 : tensor<16xf32>, tensor<16xf32>, tensor<10x64x16xf32>
}
