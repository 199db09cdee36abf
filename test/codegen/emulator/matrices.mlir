// RUN: stretto-opt %s -kern-emulate-cuda-kernels -split-input-file -verify-diagnostics | FileCheck %s

// Registers of fragments travel through one piece of the thread's memory; a description says what the lanes meet at.
gpu.module @kernels {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<512 x i8>
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64>} {
    %p = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %i = llvm.mlir.constant(1 : i32) : i32
    %f = llvm.mlir.constant(1.0 : f32) : f32
    %d = llvm.mlir.constant(1.0 : f64) : f64
    %0 = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
    %1 = nvvm.ldmatrix %p {num = 2 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    %2 = nvvm.mma.sync A[%i, %i, %i, %0] B[%i, %i] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %3 = nvvm.mma.sync A[%d] B[%d] C[%d, %d] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (f64, f64, f64) -> !llvm.struct<(f64, f64)>
    %4 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}
    nvvm.stmatrix %p, %i, %0 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32
    llvm.return
  }
}
// CHECK: llvm.func @stretto_emulator_load_matrices(!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, !llvm.ptr, !llvm.ptr) attributes {convergent}
// CHECK: llvm.func @stretto_emulator_multiply(!llvm.ptr, !llvm.ptr, !llvm.ptr) attributes {convergent}
// CHECK-LABEL: llvm.func internal @k.thread(
// CHECK: %[[MEMORY:.*]] = llvm.alloca {{.*}} x !llvm.array<8 x i64>
// CHECK-NOT: llvm.alloca
// CHECK: %[[F:.*]] = llvm.mlir.constant(1.000000e+00 : f32)
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK: llvm.call @stretto_emulator_load_matrices(%arg0, %{{.*}}, %{{.*}}, %[[ONE]], %[[MEMORY]], %{{.*}})
// CHECK: %[[A3:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK: llvm.call @stretto_emulator_load_matrices(%arg0, %{{.*}}, %{{.*}}, %[[TWO]], %[[MEMORY]], %{{.*}})
// CHECK: llvm.insertvalue %{{.*}}[1] : !llvm.struct<(i32, i32)>
// CHECK: %[[PLACE3:.*]] = llvm.getelementptr %[[MEMORY]][12]
// CHECK: llvm.store %[[A3]], %[[PLACE3]] : i32
// CHECK: %[[PLACE6:.*]] = llvm.getelementptr %[[MEMORY]][24]
// CHECK: llvm.store %[[F]], %[[PLACE6]] : f32
// CHECK: llvm.call @stretto_emulator_multiply(%arg0, %{{.*}}, %[[MEMORY]])
// CHECK: %[[SUMS:.*]] = llvm.getelementptr %[[MEMORY]][24]
// CHECK: llvm.getelementptr %[[SUMS]][12]
// CHECK: llvm.insertvalue %{{.*}}[3] : !llvm.struct<(f32, f32, f32, f32)>
// CHECK: llvm.call @stretto_emulator_multiply(%arg0, %{{.*}}, %[[MEMORY]])
// CHECK: %[[SUMS2:.*]] = llvm.getelementptr %[[MEMORY]][16]
// CHECK: llvm.getelementptr %[[SUMS2]][8]
// CHECK: llvm.insertvalue %{{.*}}[1] : !llvm.struct<(f64, f64)>
// CHECK: llvm.bitcast %[[F]] : f32 to i32
// CHECK: llvm.and
// CHECK: llvm.select
// CHECK: llvm.store %{{.*}}, %{{.*}} : i32
// CHECK: %[[PLACE1:.*]] = llvm.getelementptr %[[MEMORY]][4]
// CHECK: llvm.store %[[A3]], %[[PLACE1]] : i32
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK: llvm.call @stretto_emulator_store_matrices(%arg0, %{{.*}}, %{{.*}}, %[[COUNT]], %[[MEMORY]], %{{.*}})
// 16 bytes of 512, aligned to 16
// CHECK: @stretto.emulator.accesses(dense<[0, 16, 16, 0, 512, {{[0-9]+}}, 16, 16, 0, 512, {{[0-9]+}}, 16, 16, 0, 512]>
// Kinds stand third.
// CHECK: @stretto.emulator.waits(dense<[{{[0-9]+}}, {{[0-9]+}}, 18, {{[0-9]+}}, {{[0-9]+}}, 17, {{[0-9]+}}, {{[0-9]+}}, 19, {{[0-9]+}}, {{[0-9]+}}, 21, {{[0-9]+}}, {{[0-9]+}}, 22]>

// -----

gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64>} {
    %i = llvm.mlir.constant(1 : i32) : i32
    %f = llvm.mlir.constant(1.0 : f32) : f32
    // expected-error @+1 {{'nvvm.mma.sync' op of shape m16n8k8 and these types is not known to the emulator (m16n8k16 bf16, m16n8k8 tf32 and m8n8k4 f64 are)}}
    %0 = nvvm.mma.sync A[%i, %i] B[%i] C[%f, %f, %f, %f] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<512 x i8>
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64>} {
    %p = llvm.mlir.addressof @tile : !llvm.ptr<3>
    // expected-error @+1 {{'nvvm.ldmatrix' op of 16 x 16 b8 is not known to the emulator (8 x 8 b16 is)}}
    %0 = nvvm.ldmatrix %p {num = 1 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>, eltType = #nvvm.ld_st_matrix_elt_type<b8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    llvm.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @k(%x: !llvm.ptr<1>) attributes {nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: 1, 1>,
      kern.block = 32 : i64, kern.buffer_bytes = array<i64: 64>} {
    %f = llvm.mlir.constant(1.0 : f32) : f32
    // expected-error @+1 {{that does other than to round to the nearest, ties away (rna), is not known to the emulator}}
    %0 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>, sat = #nvvm.sat_mode<satfinite>}
    llvm.return
  }
}
