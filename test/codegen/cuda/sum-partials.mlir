// RUN: stretto-opt %s -kern-lower-cuda-kernels | FileCheck %s

func.func @f(%wide: tensor<512x16384xf32>, %one: tensor<32768x1xf32>, %few: tensor<3x64xf32>, %a: tensor<64xf32>) {
  %0 = kern.sum_partials kernel "main.wide" %wide : tensor<512x16384xf32> -> tensor<16384xf32>
  %1 = kern.sum_partials kernel "main.one" %one : tensor<32768x1xf32> -> tensor<1xf32>
  %2 = kern.sum_partials kernel "main.few" %few accumulate %a : tensor<64xf32> : tensor<3x64xf32> -> tensor<64xf32>
  %3:2 = kern.sum_partials kernel "main.two" %wide, %few : tensor<512x16384xf32>, tensor<3x64xf32> -> tensor<16384xf32>, tensor<64xf32>
  return
}

// 256 tiles of columns, 32 groups of entries; eight loads of 16 bytes in flight; halves meet in shared memory.
// CHECK: llvm.mlir.global internal @main_wide_sums() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8192 x i8>
// CHECK-LABEL: llvm.func @main_wide(
// CHECK-SAME: kern.block = 512 : i64
// CHECK-SAME: kern.flops = 8388608 : i64, kern.grid = array<i64: 256, 1>
// CHECK-SAME: nvvm.reqntid = array<i32: 512, 1, 1>
// CHECK-COUNT-8: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK-COUNT-8: llvm.fadd
// CHECK: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK-COUNT-5: nvvm.barrier

// Four entries are read as one of four columns.
// CHECK-LABEL: llvm.func @main_one(
// CHECK-SAME: kern.block = 512 : i64
// CHECK-SAME: kern.grid = array<i64: 1, 1>
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> f32

// CHECK-LABEL: llvm.func @main_few(
// CHECK-SAME: kern.buffer_bytes = array<i64: 768, 256, 256>

// The blocks of the first sum, then those of the second, in which 480 threads have no work.
// CHECK: llvm.mlir.global internal @main_two_sums() {{.*}} : !llvm.array<8192 x i8>
// CHECK-LABEL: llvm.func @main_two(
// CHECK-SAME: kern.block = 512 : i64
// CHECK-SAME: kern.flops = 8388800 : i64, kern.grid = array<i64: 260, 1>
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK-NEXT: %[[BLOCK:.*]] = llvm.zext %{{.*}} : i32 to i64
// CHECK-NEXT: %[[FIRST:.*]] = llvm.icmp "slt" %[[BLOCK]], %{{.*}} : i64
// CHECK-NEXT: llvm.cond_br %[[FIRST]]
// CHECK: llvm.add %[[BLOCK]], %{{.*}} : i64
// CHECK-NOT: scf.
// CHECK-NOT: vector.
