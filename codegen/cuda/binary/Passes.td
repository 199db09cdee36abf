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

    A kernel that spills registers is a warning. Errors: an unknown chip; no ptxas, or one too old for the chip; dynamic
    shared memory, more than 48 KiB of static shared memory; what ptxas refuses.

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

#endif
