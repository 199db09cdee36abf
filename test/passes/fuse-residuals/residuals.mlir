// RUN: stretto-opt %s --seq-fuse-residuals --remarks-filter=fusion 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// REMARK: [Passed] FuseResidual {{.*}} Function=layer | BytesNotMoved=2048, BytesReadByMatmul=1024
// REMARK: [Passed] FuseResidual {{.*}} Function=layer
// REMARK: [Passed] FuseResidual {{.*}} Function=matmuls
// REMARK-NOT: Function=kept
// REMARK: [Missed] FuseResidual {{.*}} Function=computed | Reason="what it adds is computed by a kernel"
// REMARK: [Missed] FuseResidual {{.*}} Function=marked | Reason="the source asks for a kernel of its own"

// A matmul that adds is what the next one adds to, on either side of the sum.
// CHECK-LABEL: func.func private @layer
// CHECK-SAME: (%[[X:[^:]*]]: tensor<2x8x16xf32>, %[[W:[^:]*]]: tensor<16x16xf32>)
// CHECK: %[[A:.*]] = seq.linear %{{.*}}, %[[W]] add %[[X]]
// CHECK: %[[B:.*]] = seq.linear %{{.*}}, %[[W]] add %[[A]]
// CHECK-NOT: addf
// CHECK: return %[[B]]
func.func private @layer(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = math.tanh %x : tensor<2x8x16xf32>
  %1 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = arith.addf %x, %1 : tensor<2x8x16xf32>
  %3 = math.tanh %2 : tensor<2x8x16xf32>
  %4 = seq.linear %3, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %5 = arith.addf %4, %2 : tensor<2x8x16xf32>
  return %5 : tensor<2x8x16xf32>
}

// Of two matmuls one adds the other.
// CHECK-LABEL: func.func private @matmuls
// CHECK: %[[A:.*]] = seq.linear %{{.*}}, %{{.*}} :
// CHECK: seq.linear %{{.*}}, %{{.*}} add %[[A]]
// CHECK-NOT: addf
func.func private @matmuls(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %1 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = arith.addf %0, %1 : tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}

// A matmul that something else reads stays what it is.
// CHECK-LABEL: func.func private @kept
// CHECK-NOT: add %
// CHECK: arith.addf
func.func private @kept(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>) {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %1 = arith.addf %x, %0 : tensor<2x8x16xf32>
  return %1, %0 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
}

// What a kernel computes is added by the kernel that reads the sum, or by its own.
// CHECK-LABEL: func.func private @computed
// CHECK: arith.addf
func.func private @computed(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = math.tanh %x : tensor<2x8x16xf32>
  %1 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %2 = arith.addf %0, %1 : tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}

// CHECK-LABEL: func.func private @marked
// CHECK: arith.addf
func.func private @marked(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
  %1 = arith.addf %x, %0 {seq.no_fuse} : tensor<2x8x16xf32>
  return %1 : tensor<2x8x16xf32>
}
