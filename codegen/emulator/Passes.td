// CUDA kernels as code for the CPU.
#ifndef STRETTO_CODEGEN_EMULATOR_PASSES_TD
#define STRETTO_CODEGEN_EMULATOR_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmulateCudaKernels : Pass<"kern-emulate-cuda-kernels", "::mlir::ModuleOp"> {
  let summary = "CUDA kernels become functions that the emulator runs on the CPU";
  let description = [{
    Each kernel of `gpu.module @kernels` becomes a function of one GPU thread, `@<kernel>.thread`, and a function of the
    CPU kernels' type, `@<kernel>`, whose chunks are the blocks and which hands them to the emulator's runtime
    (`runtime/abi/emulator.h`, library `stretto_emulator`). The `gpu.module` is gone. Where a kernel has clusters
    (`nvvm.cluster_dim`), they are the chunks: of 1 to 8 blocks along x, which divide its grid.

    A kernel is an `llvm.func` of the module with `nvvm.kernel`, `kern.kernel`, `kern.grid`, `kern.block` and
    `kern.buffer_bytes`, and with one pointer to global memory for each buffer; `kern.dynamic_shared_bytes` says how
    much memory lies at external variables of no size in shared memory, none where it is not there; `kern.tensor_maps`
    lists the tensor maps that it takes by value behind its buffers. Parameters with
    `llvm.noalias` and `llvm.readonly` are read-only, and the runtime is told so. Special registers
    are read from what the runtime knows of the thread; barriers, operations of a warp and asynchronous copies are
    calls of the runtime; before each load and store of global or shared memory the runtime is asked whether it is
    allowed; variables in shared memory are offsets in that of the block; functions of libdevice are those of libm;
    arithmetic on bf16 is expanded, and bf16 itself is a 16 bit integer. An operation, intrinsic or function that the
    emulator does not know is an error.

    ```mlir
    gpu.module @kernels {
      llvm.func @layer_double(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>,
          kern.kernel = "layer.double", kern.grid = array<i64: 4, 1>, kern.block = 32 : i64,
          kern.buffer_bytes = array<i64: 512>, kern.bytes_moved = 1024 : i64, kern.flops = 128 : i64} {
        %0 = nvvm.read.ptx.sreg.tid.x : i32
        %1 = nvvm.read.ptx.sreg.ctaid.x : i32
        %2 = llvm.mlir.constant(5 : i32) : i32
        %3 = llvm.shl %1, %2 : i32
        %4 = llvm.or %0, %3 : i32
        %5 = llvm.getelementptr %x[%4] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        %6 = llvm.load %5 : !llvm.ptr<1> -> f32
        %7 = llvm.fadd %6, %6 : f32
        llvm.store %7, %5 : f32, !llvm.ptr<1>
        llvm.return
      }
    }
    ```
    becomes

    ```mlir
    llvm.func internal @layer.double.thread(%arg0: !llvm.ptr, %arg1: !llvm.ptr) {
    ...
    llvm.call @stretto_emulator_read_global(%arg0, ...) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    ... = llvm.load ... : !llvm.ptr -> f32
    ...
    llvm.func @layer.double(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: !llvm.ptr) attributes {kern.bytes_moved = 1024 : i64, kern.chunks = 4 : i64, kern.flops = 128 : i64, kern.scratch_bytes = 0 : i64} {
      %0 = llvm.mlir.addressof @layer.double.launch : !llvm.ptr
      llvm.call @stretto_emulate(%0, %arg0, %arg1, %arg2) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
