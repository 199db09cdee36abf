// Where systems are solved with a decay for each channel, what goes from shared memory to shared memory is a loop that stays one.
// RUN: stretto-opt %s --kern-lower-cuda-kernels | FileCheck %s

// CHECK: #[[ROLLED:.*]] = #llvm.loop_annotation<unroll = #{{.*}}>

// Of 8 elements that a thread scales, code of 4, two in each of two rows, stands in the body.
// CHECK-LABEL: llvm.func @solves(
// CHECK: loop_annotation = #[[ROLLED]]
// CHECK: nvvm.barrier0
// CHECK-COUNT-4: llvm.call @__nv_expf
// CHECK-NOT: llvm.call @__nv_expf
// CHECK: llvm.br {{.*}} {loop_annotation = #[[ROLLED]]}
// CHECK-NOT: llvm.call @__nv_expf
func.func @f(%x: tensor<1x16x64xf32>, %decay: tensor<1x16x64xf32>) {
  %y = kern.walk kernel "solves" (%x, %decay) windows [<rows 1>, <rows 1>] -> [<rows 1>] programs 1 chunk 16 span 1 {
  ^bb0(%rows: tensor<16x64xf32>, %decays: tensor<16x64xf32>):
    %0 = kern.prefix_sum %decays rows 16 : tensor<16x64xf32>
    %1 = math.exp %0 : tensor<16x64xf32>
    %2 = arith.mulf %rows, %1 : tensor<16x64xf32>
    %3 = kern.tile_matmul %2, %rows transpose_b : tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x16xf32>
    %4 = kern.unit_solve %3, %rows : tensor<16x16xf32>, tensor<16x64xf32>
    kern.yield %4 : tensor<16x64xf32>
  } : (tensor<1x16x64xf32>, tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
  return
}

// A part of 16 x 48 elements that no warp divides: what a thread does not own is not stored.
// CHECK-LABEL: llvm.func @ragged(
// CHECK-COUNT-4: llvm.call @__nv_expf
// CHECK-NOT: llvm.call @__nv_expf
// CHECK: llvm.cond_br
// CHECK: llvm.store
func.func @g(%x: tensor<1x16x80xf32>, %decay: tensor<1x16x80xf32>) {
  %y = kern.walk kernel "ragged" (%x, %decay) windows [<rows 1>, <rows 1>] -> [<rows 1>] programs 1 chunk 16 span 1 {
  ^bb0(%rows: tensor<16x80xf32>, %decays: tensor<16x80xf32>):
    %0 = kern.prefix_sum %decays rows 16 : tensor<16x80xf32>
    %1 = math.exp %0 : tensor<16x80xf32>
    %2 = arith.mulf %rows, %1 : tensor<16x80xf32>
    %3 = kern.tile_matmul %2, %rows transpose_b : tensor<16x80xf32>, tensor<16x80xf32> -> tensor<16x16xf32>
    %4 = kern.unit_solve %3, %rows : tensor<16x16xf32>, tensor<16x80xf32>
    kern.yield %4 : tensor<16x80xf32>
  } : (tensor<1x16x80xf32>, tensor<1x16x80xf32>) -> tensor<1x16x80xf32>
  return
}

// CHECK-LABEL: llvm.func @pairs(
// CHECK-NOT: loop_annotation
// CHECK-COUNT-8: llvm.call @__nv_expf
// CHECK-NOT: loop_annotation
// CHECK: llvm.return
func.func @h(%x: tensor<1x16x64xf32>, %decay: tensor<1x16x64xf32>) {
  %y = kern.walk kernel "pairs" (%x, %decay) windows [<rows 1>, <rows 1>] -> [<rows 1>] programs 1 chunk 16 span 1 {
  ^bb0(%rows: tensor<16x64xf32>, %decays: tensor<16x64xf32>):
    %0 = kern.prefix_sum %decays rows 16 : tensor<16x64xf32>
    %1 = math.exp %0 : tensor<16x64xf32>
    %2 = arith.mulf %rows, %1 : tensor<16x64xf32>
    %3 = kern.tile_matmul %2, %rows transpose_b : tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x16xf32>
    kern.yield %3 : tensor<16x16xf32>
  } : (tensor<1x16x64xf32>, tensor<1x16x64xf32>) -> tensor<1x16x16xf32>
  return
}
