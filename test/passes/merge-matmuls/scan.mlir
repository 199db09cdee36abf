// RUN: stretto-opt %s --seq-merge-matmuls --remarks-filter=matmuls 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// REMARK: scan.mlir:[[#@LINE+19]]:{{.*}}[Passed] MergedMatmuls {{.*}} Function=layer | Columns=48, Remark="3 matmuls of one input are one matmul"
// REMARK: [Missed] MergedMatmuls {{.*}} Function=main | Reason="something else reads its weight"

// The names, their initial values and the order of the parts stay.
// CHECK: seq.parameter @q.merged parts [#seq.part<"layers.{}.q", 16, {{.*}}>, #seq.part<"layers.{}.k", 8, {{.*}}>, #seq.part<"layers.{}.v", 24, <constant,{{.*}}>] stacked : tensor<3x48x16xf32>
// CHECK-NOT: seq.parameter @k
// CHECK-NOT: seq.parameter @v
seq.parameter @q parts [#seq.part<"layers.{}.q", 16, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x16x16xf32>
seq.parameter @k parts [#seq.part<"layers.{}.k", 8, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x8x16xf32>
seq.parameter @v parts [#seq.part<"layers.{}.v", 24, <constant, 1.0 : f64, 0.0 : f64>>] stacked : tensor<3x24x16xf32>
seq.parameter @e parts [#seq.part<"embed", 32, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<32x16xf32>
seq.parameter @h parts [#seq.part<"head", 32, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<32x16xf32>

// CHECK: func.func private @layer(%[[X:.*]]: tensor<2x8x16xf32>, %[[W:.*]]: tensor<48x16xf32>) ->
// CHECK: %[[ALL:.*]] = seq.linear %[[X]], %[[W]] : {{.*}} -> tensor<2x8x48xf32>
// CHECK: seq.slice %[[ALL]] at 0 : tensor<2x8x48xf32> -> tensor<2x8x16xf32>
// CHECK: seq.slice %[[ALL]] at 16 : tensor<2x8x48xf32> -> tensor<2x8x8xf32>
// CHECK: seq.slice %[[ALL]] at 24 : tensor<2x8x48xf32> -> tensor<2x8x24xf32>
func.func private @layer(%x: tensor<2x8x16xf32>, %k: tensor<8x16xf32>, %q: tensor<16x16xf32>, %v: tensor<24x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.linear %x, %q : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.linear %x, %k : tensor<2x8x16xf32>, tensor<8x16xf32> -> tensor<2x8x8xf32>
  %2 = seq.linear %x, %v : tensor<2x8x16xf32>, tensor<24x16xf32> -> tensor<2x8x24xf32>
  %3 = seq.slice %2 at 8 : tensor<2x8x24xf32> -> tensor<2x8x16xf32>
  %4 = seq.concat %1, %1 : tensor<2x8x8xf32>, tensor<2x8x8xf32> -> tensor<2x8x16xf32>
  %5 = arith.addf %3, %4 : tensor<2x8x16xf32>
  %6 = arith.mulf %0, %5 : tensor<2x8x16xf32>
  return %6 : tensor<2x8x16xf32>
}

// A tied weight stays what it is.
// CHECK-LABEL: func @main
// CHECK: seq.scan @layer trips 3 carry(%{{.*}}) slices(%{{[^,]*}}) invariants()
// CHECK-COUNT-2: seq.linear
func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x32xf32> {
  %q = seq.get_parameter @q : tensor<3x16x16xf32>
  %k = seq.get_parameter @k : tensor<3x8x16xf32>
  %v = seq.get_parameter @v : tensor<3x24x16xf32>
  %e = seq.get_parameter @e : tensor<32x16xf32>
  %h = seq.get_parameter @h : tensor<32x16xf32>
  %x = seq.embed %t, %e : tensor<2x8xi32>, tensor<32x16xf32> -> tensor<2x8x16xf32>
  %y = seq.scan @layer trips 3 carry(%x) slices(%k, %q, %v) invariants() : (tensor<2x8x16xf32>, tensor<3x8x16xf32>, tensor<3x16x16xf32>, tensor<3x24x16xf32>) -> tensor<2x8x16xf32>
  %0 = seq.linear %y, %e : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  %1 = seq.linear %y, %h : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
  %2 = arith.addf %0, %1 : tensor<2x8x32xf32>
  return %2 : tensor<2x8x32xf32>
}
