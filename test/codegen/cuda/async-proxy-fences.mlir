// RUN: stretto-opt %s -kern-check-async-proxies -split-input-file -verify-diagnostics
// RUN: stretto-opt %S/matmul.mlir -kern-lower-cuda-kernels -kern-check-async-proxies -o /dev/null

// A thread fences what it stores, another one copies; the list from byte 4096 on is for threads alone, and the fence on
// the way of the turn before counts.
#map = #kern.tensor_map<buffer 0, f32, sizes [64, 32], strides [128], box [8, 32], swizzle 128>
gpu.module @kernels {
  llvm.mlir.global external @m() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @k(%v: f32, %n: i32, %more: i1, %map: !llvm.ptr) attributes {nvvm.kernel, kern.tensor_maps = [#map]} {
    %m = llvm.mlir.addressof @m : !llvm.ptr<3>
    %list = llvm.getelementptr %m[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.br ^turn
  ^turn:
    %p = llvm.getelementptr %m[%n] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %v, %p : f32, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    %q = llvm.getelementptr %list[%n] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %v, %q : f32, !llvm.ptr<3>
    nvvm.barrier0
    llvm.cond_br %more, ^copy, ^copied
  ^copy:
    %box = llvm.getelementptr %m[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %box, box[%n, %n] : !llvm.ptr, !llvm.ptr<3>
    llvm.br ^copied
  ^copied:
    llvm.cond_br %more, ^turn, ^end
  ^end:
    llvm.return
  }
}

// -----

// A fence on one way only; and none at all between a store and the next turn of a loop.
gpu.module @kernels {
  llvm.mlir.global internal @m() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<2048 x i8>
  llvm.func @k(%v: f32, %n: i32, %more: i1, %map: !llvm.ptr) attributes {nvvm.kernel} {
    %m = llvm.mlir.addressof @m : !llvm.ptr<3>
    llvm.br ^turn
  ^turn:
    // expected-note @+1 {{such a store}}
    llvm.store %v, %m : f32, !llvm.ptr<3>
    llvm.cond_br %more, ^fence, ^copy
  ^fence:
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
    llvm.br ^copy
  ^copy:
    // expected-error @+1 {{'nvvm.cp.async.bulk.tensor.global.shared.cta' op must have nvvm.fence.proxy of async or async.shared on every way to it from stores to the shared memory that it accesses}}
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %m, box[%n, %n] : !llvm.ptr, !llvm.ptr<3>
    llvm.return
  }
  llvm.func @loop(%n: i32, %more: i1, %to: !llvm.ptr<7>, %map: !llvm.ptr) attributes {nvvm.kernel} {
    %m = llvm.mlir.addressof @m : !llvm.ptr<3>
    llvm.br ^turn
  ^turn:
    // expected-error @+1 {{'nvvm.cp.async.bulk.tensor.shared.cluster.global' op must have nvvm.fence.proxy of async}}
    nvvm.cp.async.bulk.tensor.shared.cluster.global %m, %map, %m, box[%n, %n] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
    // expected-note @+1 {{such a store}}
    nvvm.stmatrix %m, %n {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32
    llvm.cond_br %more, ^turn, ^end
  ^end:
    llvm.return
  }
}

// -----

// One role stores, another one copies. Of those that wait at other barriers nothing is asked.
gpu.module @kernels {
  llvm.mlir.global internal @m() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<2048 x i8>
  llvm.mlir.global internal @full() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<8 x i8>
  llvm.mlir.global internal @empty() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<8 x i8>
  llvm.func @k(%v: f32, %n: i32, %first: i1, %map: !llvm.ptr) attributes {nvvm.kernel} {
    %m = llvm.mlir.addressof @m : !llvm.ptr<3>
    %full = llvm.mlir.addressof @full : !llvm.ptr<3>
    %empty = llvm.mlir.addressof @empty : !llvm.ptr<3>
    %one = llvm.mlir.constant(1 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    llvm.cond_br %first, ^store, ^copy
  ^store:
    // expected-note @+1 {{such a store}}
    llvm.store %v, %m : f32, !llvm.ptr<3>
    %0 = nvvm.mbarrier.arrive %full : !llvm.ptr<3> -> i64
    nvvm.barrier.arrive id = %one number_of_threads = %n
    llvm.return
  ^copy:
    nvvm.mbarrier.try_wait.parity %empty, %n, %n : !llvm.ptr<3>, i32, i32
    nvvm.barrier id = %two number_of_threads = %n
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %m, box[%n, %n] : !llvm.ptr, !llvm.ptr<3>
    nvvm.mbarrier.try_wait.parity %full, %n, %n : !llvm.ptr<3>, i32, i32
    // expected-error @+1 {{must have nvvm.fence.proxy of async}}
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %m, box[%n, %n] : !llvm.ptr, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %m, box[%n, %n] : !llvm.ptr, !llvm.ptr<3>
    nvvm.barrier id = %one number_of_threads = %n
    // expected-error @+1 {{must have nvvm.fence.proxy of async}}
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %m, box[%n, %n] : !llvm.ptr, !llvm.ptr<3>
    llvm.return
  }
}

// -----

// The descriptors of a matmul are numbers that are made from addresses; an asynchronous copy stores when it is awaited.
!d = !llvm.struct<(f32, f32, f32, f32)>
gpu.module @kernels {
  llvm.mlir.global internal @a() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<4096 x i8>
  llvm.mlir.global internal @b() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<4096 x i8>
  llvm.func @k(%x: !llvm.ptr<1>, %v: f32) attributes {nvvm.kernel} {
    %a = llvm.mlir.addressof @a : !llvm.ptr<3>
    %b = llvm.mlir.addressof @b : !llvm.ptr<3>
    %four = llvm.mlir.constant(4 : i64) : i64
    %z = llvm.mlir.zero : !d
    // expected-note @+1 {{such a store}}
    nvvm.cp.async.shared.global %a, %x, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
    %address = llvm.ptrtoint %a : !llvm.ptr<3> to i64
    %units = llvm.lshr %address, %four : i64
    llvm.store %v, %b : f32, !llvm.ptr<3>
    nvvm.wgmma.fence.aligned
    %d = nvvm.wgmma.mma_async %units, %units, %z, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !d -> !d
    nvvm.cp.async.wait.group 0
    // expected-error @+1 {{'nvvm.wgmma.mma_async' op must have nvvm.fence.proxy of async}}
    %e = nvvm.wgmma.mma_async %units, %units, %d, #nvvm.shape<m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !d -> !d
    llvm.return
  }
}
