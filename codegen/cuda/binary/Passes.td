// The machine code of CUDA kernels, and what they take of a GPU.
#ifndef STRETTO_CODEGEN_CUDA_BINARY_PASSES_TD
#define STRETTO_CODEGEN_CUDA_BINARY_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmbedCudaBinaries : Pass<"kern-embed-cuda-binaries", "::mlir::ModuleOp"> {
  let summary = "kernels become machine code in the program";
  let description = [{
    Each `gpu.module` becomes images, byte by byte in constants `stretto.image.<n>`: machine code for the chip (a cubin,
    by ptxas), and PTX that the driver of a newer GPU can compile, of the oldest architecture from sm_80 on that has all
    that the kernels use; where they use what the chip alone has, there is no PTX. Each kernel becomes a
    `kern.device_kernel`, which says how to launch it and what it takes. `kern.images` on the module lists the images.

    A kernel that spills registers is assembled again, in ways that take more time and fewer registers: with the number
    of the thread renewed more often (`kern.renewed_steps`, where the kernel offers it), then with registers for fewer
    blocks on a multiprocessor (`nvvm.minctasm`), down to one; a remark says which. One that spills in all of these is
    made in the way in which it spills least, and is a warning. Errors: an unknown chip; no ptxas, or one too old for
    the chip; more shared memory than the chip has for a block (`kern.dynamic_shared_bytes` and static arrays), more
    than 48 KiB of static shared memory; what ptxas refuses.

    ```mlir
    // stretto-opt --kern-embed-cuda-binaries=chip=sm_90a
    gpu.module @kernels {
      llvm.func @layers_zero(%values: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel,
          nvvm.reqntid = array<i32: 32, 1, 1>, kern.kernel = "layers.zero", kern.grid = array<i64: 4, 1>,
          kern.block = 32 : i64, kern.bytes_moved = 4 : i64, kern.flops = 0 : i64} {
        %zero = llvm.mlir.constant(0.0 : f32) : f32
        llvm.store %zero, %values : f32, !llvm.ptr<1>
        llvm.return
      }
    }
    ```
    becomes

    ```mlir
    module attributes {kern.images = [#kern.image<@stretto.image.0, cubin, "sm_90a">, #kern.image<@stretto.image.1, ptx, "compute_80">]} {
    llvm.mlir.global internal constant @stretto.image.0("\7FELF...
    llvm.mlir.global internal constant @stretto.image.1("//\0A...
    kern.device_kernel @layers.zero symbol "layers_zero" grid [4, 1] block 32 shared 0 registers ... spills 0 local 0 bytes_moved 4 flops 0
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "the GPU architecture, as ptxas names it">,
    Option<"cudaPath", "cuda-path", "std::string", "\"\"", "folder of the CUDA toolkit; empty: look for it">
  ];
  let dependentDialects = ["::stretto::kern::KernDialect", "::mlir::LLVM::LLVMDialect"];
}

def ReportCudaResources : Pass<"kern-report-cuda-resources", "::mlir::ModuleOp"> {
  let summary = "note what each kernel takes of the GPU";
  let description = [{
    Behind `kern-lower-cuda-kernels`: makes machine code of each `gpu.module`, reads the registers, spills and shared
    memory of each kernel from it, and writes them on the operations that the kernels compute (`resources` of
    `kern.rowwise` and `kern.sum_partials`, `kern.resources` of others). The `gpu.module` goes again, so that the module
    is as it was before. Where there is no assembler, nothing is noted, and a warning says why.

    ```mlir
    // stretto-opt --kern-lower-cuda-kernels --kern-report-cuda-resources=chip=sm_90a
    func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
      %y = kern.rowwise kernel "double"(%x) maps [row] schedule #kern.thread_schedule<rows 2, lanes 4, chunk 8, threads 32, groups 1, tiles 1> {
      ^bb0(%row: tensor<16xf32>):
        %0 = arith.addf %row, %row : tensor<16xf32>
        kern.yield %0 : tensor<16xf32>
      } : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
      return %y : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    %0 = kern.rowwise kernel "double"(%arg0) maps [row] schedule #kern.thread_schedule<rows 2, lanes 4, chunk 8, threads 32, groups 1, tiles 1> resources <registers ..., spill_bytes 0, shared_bytes 0> {
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "the GPU architecture, as ptxas names it">,
    Option<"cudaPath", "cuda-path", "std::string", "\"\"", "folder of the CUDA toolkit; empty: look for it">
  ];
  let dependentDialects = ["::stretto::kern::KernDialect"];
}

#endif
