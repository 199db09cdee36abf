#ifndef STRETTO_CODEGEN_CUDA_PASSES_TD
#define STRETTO_CODEGEN_CUDA_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerCudaKernels : Pass<"kern-lower-cuda-kernels", "::mlir::ModuleOp"> {
  let summary = "fused kernels become functions in the NVVM dialect";
  let description = [{
    Adds a `gpu.module @kernels` with one function for each `kern.rowwise`, `kern.sum_partials`, `seq.embed` and
    `seq.embed_grad`; the operations stay. A function takes one pointer to global memory for each operand and result,
    consists of operations of the LLVM and NVVM dialects alone, and says by attributes how it is launched:

    * `kern.kernel`: the name of the kernel; the symbol has underscores for what assemblers do not take;
    * `kern.grid`, `kern.block`: blocks in x and y, threads of a block;
    * `kern.buffer_bytes`: bytes behind each pointer;
    * `kern.bytes_moved`, `kern.flops`: what a launch costs.

    Rowwise kernels need a schedule with threads. See docs/kernels-cuda.md.

    ```mlir
    func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
      %y = kern.rowwise kernel "main.double"(%x) maps [row] schedule <rows 2, lanes 4, chunk 8, threads 32, teams 1, strips 1> {
      ^bb0(%row: tensor<16xf32>):
        %0 = arith.addf %row, %row : tensor<16xf32>
        kern.yield %0 : tensor<16xf32>
      } : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
      return %y : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    gpu.module @kernels {
    ...
    llvm.func @main_double(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>) attributes {gpu.kernel, ...
    ...
    nvvm.read.ptx.sreg.tid.x
    ...
    llvm.fadd ... : vector<4xf32>
    ```
  }];
  let dependentDialects = ["::stretto::kern::KernDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

#endif
