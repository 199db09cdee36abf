// RUN: stretto-opt %s --seq-decompose | FileCheck %s

// The pieces of a layer have its marks; those of one that is to share no kernel have one number, those of another one another.
// CHECK-LABEL: func @main
// CHECK: math.rsqrt {{.*}} {seq.no_fuse = 0 : i64}
// CHECK: math.rsqrt {{.*}} {seq.no_fuse = 1 : i64, seq.recompute}
// CHECK: math.rsqrt %{{[0-9]*}} : tensor<2x8xf32>
func.func @main(%x: tensor<2x8x16xf32>, %g: tensor<16xf32>) -> tensor<2x8x16xf32> {
  %0 = seq.rms_norm %x, %g eps 1.0e-5 heads 1 : tensor<2x8x16xf32>, tensor<16xf32> {seq.no_fuse}
  %1 = seq.rms_norm %0, %g eps 1.0e-5 heads 1 : tensor<2x8x16xf32>, tensor<16xf32> {seq.no_fuse, seq.recompute}
  %2 = seq.rms_norm %1, %g eps 1.0e-5 heads 1 : tensor<2x8x16xf32>, tensor<16xf32>
  return %2 : tensor<2x8x16xf32>
}
