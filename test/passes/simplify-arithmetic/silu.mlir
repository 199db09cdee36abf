// RUN: stretto-opt %s --seq-differentiate --cse --seq-simplify-arithmetic --canonicalize | FileCheck %s

seq.parameter @x parts [#seq.part<"x", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16xf32>
seq.parameter @v parts [#seq.part<"v", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16xf32>
seq.parameter @w parts [#seq.part<"w", 8, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<8x16xf32>

// The gradient of silu uses the result, which the backward computes anyway for the gradient of the other factor.
// CHECK-LABEL: func @gated
// CHECK-DAG: %[[S:.*]] = seq.sigmoid %[[X:[^ ]*]]
// CHECK-DAG: %[[A:.*]] = arith.mulf %[[X]], %[[S]]
// CHECK-DAG: arith.mulf %arg2, %[[A]]
// CHECK-DAG: %[[G:.*]] = arith.mulf %arg2, %{{.*}}
// CHECK-DAG: %[[R:.*]] = arith.subf %{{.*}}, %[[S]]
// CHECK: %[[AR:.*]] = arith.mulf %[[A]], %[[R]]
// CHECK: %[[D:.*]] = arith.addf %[[S]], %[[AR]]
// CHECK: arith.mulf %[[G]], %[[D]]
func.func @gated(%gate: tensor<2x8x16xf32>, %up: tensor<2x8x16xf32>, %dy: tensor<2x8x16xf32>) {
  %x = seq.get_parameter @x : tensor<16xf32>
  %bx = seq.broadcast %x dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  %v = seq.get_parameter @v : tensor<16xf32>
  %bv = seq.broadcast %v dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  %g = arith.addf %gate, %bx : tensor<2x8x16xf32>
  %u = arith.addf %up, %bv : tensor<2x8x16xf32>
  %s = seq.sigmoid %g : tensor<2x8x16xf32>
  %a = arith.mulf %g, %s : tensor<2x8x16xf32>
  %y = arith.mulf %a, %u : tensor<2x8x16xf32>
  seq.backward of(%y) from(%dy) : tensor<2x8x16xf32>
  return
}

// Where a matmul reads the result, it would lie in memory: it is not read once more.
// CHECK-LABEL: func @read_by_library
// CHECK-DAG: %[[S:.*]] = seq.sigmoid %[[X:[^ ]*]]
// CHECK-DAG: %[[A:.*]] = arith.mulf %[[X]], %[[S]]
// CHECK-DAG: seq.linear_weight_grad %arg1, %[[A]]
// CHECK-DAG: %[[R:.*]] = arith.subf %{{.*}}, %[[S]]
// CHECK-DAG: %[[P:.*]] = arith.mulf %[[S]], %[[R]]
// CHECK-DAG: %[[XP:.*]] = arith.mulf %[[X]], %[[P]]
// CHECK: arith.addf %[[S]], %[[XP]]
func.func @read_by_library(%gate: tensor<2x8x16xf32>, %dy: tensor<2x8x8xf32>) {
  %x = seq.get_parameter @x : tensor<16xf32>
  %w = seq.get_parameter @w : tensor<8x16xf32>
  %b = seq.broadcast %x dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
  %g = arith.addf %gate, %b : tensor<2x8x16xf32>
  %s = seq.sigmoid %g : tensor<2x8x16xf32>
  %a = arith.mulf %g, %s : tensor<2x8x16xf32>
  %y = seq.linear %a, %w : tensor<2x8x16xf32>, tensor<8x16xf32> -> tensor<2x8x8xf32>
  seq.backward of(%y) from(%dy) : tensor<2x8x8xf32>
  return
}
