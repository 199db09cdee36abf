// What kernels take of the GPU is noted at their operations, and is gone when they are lowered anew.
// REQUIRES: ptxas
// RUN: stretto-opt %s --kern-lower-cuda-kernels --kern-report-cuda-resources=chip=sm_80 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: stretto-opt %t.mlir | diff - %t.mlir
// RUN: stretto-opt %t.mlir --kern-lower-cuda-kernels | FileCheck %s --check-prefix=LOWERED
// RUN: not stretto-opt %s --kern-report-cuda-resources=chip=sm_8 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: chip must be a name like sm_90a, but got 'sm_8'
// LOWERED-NOT: resources
// LOWERED: gpu.module @kernels
// LOWERED-NOT: resources

// CHECK-LABEL: func.func @main
func.func @main(%tokens: tensor<2x8xi32>, %table: tensor<5x16xf32>) -> (tensor<2x8xf32>, tensor<16xf32>) {
  // CHECK: seq.embed {{.*}} {kern.kernel = "look", kern.resources = #kern.resources<registers [[#]], spill_bytes 0, shared_bytes 0>}
  %x = seq.embed %tokens, %table : tensor<2x8xi32>, tensor<5x16xf32> -> tensor<2x8x16xf32> {kern.kernel = "look"}
  // The threads of a row have two warps, which meet in shared memory.
  // CHECK: kern.rowwise kernel "sums.rows"({{.*}}) maps [row] schedule #kern.thread_schedule<rows 2, {{[^>]*}}> resources <registers [[#]], spill_bytes 0, shared_bytes 64> partial_sums {
  %r, %p = kern.rowwise kernel "sums.rows"(%x) maps [row] schedule #kern.thread_schedule<rows 2, lanes 1, chunk 8, threads 64, groups 1, tiles 1> partial_sums {
  ^bb0(%row: tensor<16xf32>):
    %0 = seq.reduce add %row : tensor<16xf32> -> tensor<f32>
    %1 = seq.column_sum %row : tensor<16xf32> -> tensor<16xf32>
    kern.yield %0, %1 : tensor<f32>, tensor<16xf32>
  } : (tensor<2x8x16xf32>) -> (tensor<2x8xf32>, tensor<2x16xf32>)
  // CHECK: kern.sum_partials kernel "sums.rows.sum1" resources <registers [[#]], spill_bytes 0, shared_bytes [[#]]> %{{.*}} : tensor<2x16xf32> -> tensor<16xf32>
  %s = kern.sum_partials kernel "sums.rows.sum1" %p : tensor<2x16xf32> -> tensor<16xf32>
  return %r, %s : tensor<2x8xf32>, tensor<16xf32>
}
// CHECK-NOT: gpu.module
