// RUN: stretto-opt %s -kern-lower-cuda-kernels | FileCheck %s

func.func @f(%t: tensor<8x1024xi32>, %e: tensor<512x768xbf16>, %g: tensor<8x1024x768xbf16>, %odd: tensor<512x51xf32>) {
  %0 = seq.embed %t, %e : tensor<8x1024xi32>, tensor<512x768xbf16> -> tensor<8x1024x768xbf16> {kern.kernel = "main.embed0"}
  %1 = seq.embed %t, %odd : tensor<8x1024xi32>, tensor<512x51xf32> -> tensor<8x1024x51xf32> {kern.kernel = "main.embed1"}
  %2 = seq.embed_grad %t, %g : tensor<8x1024xi32>, tensor<8x1024x768xbf16> -> tensor<512x768xf32> {kern.kernel = "main.embed2"}
  return
}

// 16 bytes at a time; ids are kept inside of the vocabulary.
// CHECK-LABEL: llvm.func @main_embed0(
// CHECK-SAME: kern.grid = array<i64: 768, 1>
// CHECK: %[[ID:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK: llvm.intr.smax(%[[ID]]
// CHECK: llvm.intr.smin
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>

// CHECK-LABEL: llvm.func @main_embed1(
// CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> f32

// Two ids and a tile of 256 columns for each block; positions are listed by ballots; sums are f32. Registers are to suffice for
// four blocks of a multiprocessor.
// CHECK: llvm.mlir.global internal @main_embed2_lists() {addr_space = 3 : i32
// CHECK-LABEL: llvm.func @main_embed2(
// CHECK-SAME: kern.block = 256 : i64
// CHECK-SAME: kern.grid = array<i64: 256, 3>
// CHECK-SAME: nvvm.minctasm = 4 : i32
// CHECK: nvvm.vote.sync ballot
// CHECK: nvvm.barrier
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: llvm.fpext
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf32>, !llvm.ptr<1>
