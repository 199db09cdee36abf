// Rows into caches go by the widest vectors that their columns, the distance of rows and the first column are multiples of.
// RUN: stretto-opt %s --kern-name-cuda-kernels --kern-lower-cuda-kernels | FileCheck %s

// One row has no distance to a next one, but columns in front of its first: 24 bytes.
// CHECK-LABEL: llvm.func @one_decode0(
// CHECK: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK: llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
func.func @one(%x: tensor<1x1x22xf32>, %p: tensor<1x1xi32>, %n: tensor<1xi32>, %c: tensor<1x4x16xf32>) -> tensor<1x4x16xf32> {
  %rows = seq.slice %x at 6 : tensor<1x1x22xf32> -> tensor<1x1x16xf32>
  %w = seq.write_cache %c, %rows at %p valid %n : (tensor<1x4x16xf32>, tensor<1x1x16xf32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<1x4x16xf32>
  return %w : tensor<1x4x16xf32>
}

// CHECK-LABEL: llvm.func @far_decode0(
// CHECK: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
func.func @far(%x: tensor<2x3x22xf32>, %p: tensor<2x3xi32>, %n: tensor<2xi32>, %c: tensor<2x4x16xf32>) -> tensor<2x4x16xf32> {
  %rows = seq.slice %x at 4 : tensor<2x3x22xf32> -> tensor<2x3x16xf32>
  %w = seq.write_cache %c, %rows at %p valid %n : (tensor<2x4x16xf32>, tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x4x16xf32>
  return %w : tensor<2x4x16xf32>
}

// CHECK-LABEL: llvm.func @aligned_decode0(
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
func.func @aligned(%x: tensor<2x3x24xf32>, %p: tensor<2x3xi32>, %n: tensor<2xi32>, %c: tensor<2x4x16xf32>) -> tensor<2x4x16xf32> {
  %rows = seq.slice %x at 4 : tensor<2x3x24xf32> -> tensor<2x3x16xf32>
  %w = seq.write_cache %c, %rows at %p valid %n : (tensor<2x4x16xf32>, tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x4x16xf32>
  return %w : tensor<2x4x16xf32>
}
