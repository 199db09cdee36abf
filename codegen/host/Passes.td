// The host code of a program.
#ifndef STRETTO_CODEGEN_HOST_PASSES_TD
#define STRETTO_CODEGEN_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmitHost : Pass<"kern-emit-host", "::mlir::ModuleOp"> {
  let summary = "make the host code and the table of the program";
  let description = [{
    Entry points and scan bodies become `llvm.func`s that call the C functions of `runtime/abi/abi.h`: matmuls,
    attention and embeddings directly, each `kern.rowwise` and `kern.sum_partials` by a launch of the kernel
    it names; so are embeddings that name one by the attribute `kern.kernel`. Scans are loops. Parameters, tables,
    kernels, arenas and entry points are described by the global `stretto_compiled_program`. So are
    caches, which have the CACHE arena, and `decode_one` and `decode_chunk` where the module has them.

    Memory must be planned and each kernel must exist as an `llvm.func`, whose attributes `kern.chunks`,
    `kern.scratch_bytes`, `kern.bytes_moved` and `kern.flops` (i64) say what a launch needs. What is known
    about the program otherwise is read from attributes of the module: `seq.model`, `seq.batch`, `seq.length`,
    `seq.vocabulary`, `seq.settings`, `seq.spec_text`, `seq.continued_from` (only of a stage that was continued),
    `kern.target`, `kern.cpu`, `kern.cpu_features`.

    ```mlir
    // stretto-opt --kern-plan-memory --kern-emit-host
    seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>
    func.func @gradients(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
      %w = seq.get_parameter @w : tensor<16x16xf32>
      %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %1 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      return %1 : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    llvm.func @stretto_matmul(!llvm.ptr, !llvm.ptr)
    ...
    llvm.func internal @host.gradients(%arg0: !llvm.ptr) {
    ...
    llvm.call @stretto_matmul(%arg0, ...) : (!llvm.ptr, !llvm.ptr) -> ()
    ...
    llvm.mlir.global external constant @stretto_compiled_program() ...
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
