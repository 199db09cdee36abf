// REQUIRES: ptxas
// RUN: stretto-compile %s --target=cuda --emit=ptx --chip=sm_80 | FileCheck %s
// RUN: stretto-compile %s --target=cuda --emit=sass | FileCheck %s --check-prefix=SASS
// RUN: stretto-opt %s --kern-embed-cuda-binaries | FileCheck %s --check-prefix=IMAGES --dump-input=never

// What the emulator knows of tensor cores and asynchronous copies is code for every chip.

// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, {{%r[0-9]+}};
// CHECK: cp.async.commit_group;
// CHECK: cp.async.wait_group 1;
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: cvt.rna.tf32.f32
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// SASS: LDGSTS.E.BYPASS
// SASS-DAG: LDSM.16.M88.4
// SASS-DAG: LDSM.16.MT88.2
// SASS-DAG: HMMA.16816.F32.BF16
// SASS-DAG: HMMA.1688.F32.TF32
// SASS-DAG: DMMA.8x8x4
// IMAGES: kern.images = [#kern.image<@stretto.image.0, cubin, "sm_90a">, #kern.image<@stretto.image.1, ptx, "compute_80">]
gpu.module @kernels {
  llvm.mlir.global external @dynamic_shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  llvm.func @k(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>, %more: !llvm.ptr<1>, %bytes: i32) attributes {gpu.kernel, nvvm.kernel,
      nvvm.reqntid = array<i32: 32, 1, 1>, kern.kernel = "k", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64,
      kern.bytes_moved = 0 : i64, kern.flops = 0 : i64, kern.dynamic_shared_bytes = 4096 : i64} {
    %first = llvm.mlir.addressof @dynamic_shared : !llvm.ptr<3>
    %lane = nvvm.read.ptx.sreg.tid.x range <i32, 0, 32> : i32
    %row = llvm.getelementptr %first[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<16 x i8>
    nvvm.cp.async.shared.global %row, %from, 16, cache = cg, %bytes : !llvm.ptr<3>, !llvm.ptr<1>, i32
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 1
    %a = nvvm.ldmatrix %row {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
    %b = nvvm.ldmatrix %row {num = 2 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    %a0 = llvm.extractvalue %a[0] : !llvm.struct<(i32, i32, i32, i32)>
    %a1 = llvm.extractvalue %a[1] : !llvm.struct<(i32, i32, i32, i32)>
    %a2 = llvm.extractvalue %a[2] : !llvm.struct<(i32, i32, i32, i32)>
    %a3 = llvm.extractvalue %a[3] : !llvm.struct<(i32, i32, i32, i32)>
    %b0 = llvm.extractvalue %b[0] : !llvm.struct<(i32, i32)>
    %b1 = llvm.extractvalue %b[1] : !llvm.struct<(i32, i32)>
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %c = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%zero, %zero, %zero, %zero] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %c0 = llvm.extractvalue %c[0] : !llvm.struct<(f32, f32, f32, f32)>
    %c1 = llvm.extractvalue %c[1] : !llvm.struct<(f32, f32, f32, f32)>
    %c2 = llvm.extractvalue %c[2] : !llvm.struct<(f32, f32, f32, f32)>
    %c3 = llvm.extractvalue %c[3] : !llvm.struct<(f32, f32, f32, f32)>
    %t = nvvm.convert.float.to.tf32 %c0 {rnd = #nvvm.fp_rnd_mode<rna>}
    %s = nvvm.mma.sync A[%t, %a1, %a2, %a3] B[%b0, %b1] C[%c0, %c1, %c2, %c3] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    llvm.store %s, %to : !llvm.struct<(f32, f32, f32, f32)>, !llvm.ptr<1>
    %d = llvm.load %more : !llvm.ptr<1> -> f64
    %p = nvvm.mma.sync A[%d] B[%d] C[%d, %d] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 8, n = 8, k = 4>} : (f64, f64, f64) -> !llvm.struct<(f64, f64)>
    llvm.store %p, %more : !llvm.struct<(f64, f64)>, !llvm.ptr<1>
    llvm.return
  }
}
