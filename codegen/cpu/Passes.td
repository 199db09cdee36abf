// Kernels for the CPU: how they walk their rows, how weights lie for them, and their code.
#ifndef STRETTO_CODEGEN_CPU_PASSES_TD
#define STRETTO_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseSchedule : Pass<"kern-choose-schedule"> {
  let summary = "decide how each fused kernel walks its rows";
  let description = [{
    Writes a `schedule` on each `kern.rowwise` that has none:

    * `lanes`: the vector width of the machine;
    * `rows`: 4 where the rows of a block share work (taps, constants of expanded functions, the ends of short loops),
      otherwise 1: memory serves one row after another faster than several at once. So many fewer that a block has at
      most 1500 operations, a function counted as many, once in each loop over columns;
    * `chunk`: rows of one sequence in one unit of parallel work. Independent of the number of threads, as it
      decides in which order column sums are added. So large that its data fill about `chunk-bytes` and that
      its column sums are at most a sixteenth of its data, but so small that a launch has `least-chunks` chunks
      where it has rows enough for chunks of 8;
    * `pieces`, `strip`: strips of columns, for a kernel without reductions that adds up columns. With each block of its
      rows these sums are read and written again, and operands that all rows share are read again: where both are
      `kept-bytes` or more, they would drive the rows out of the first-level cache. Strips have about two thirds of
      that, and no element is computed twice: columns that meet in one lie in one strip.

    Marks with `kern.rolling` the values of columns that taps ask for at several rows and that are more expensive to
    compute again for each block than to keep in scratch memory from one block to the next, and with `kern.cached` those
    that a later stage (behind a reduction) asks for as well and that are more expensive to recompute than to load:
    operations are counted, a function or a division as many, against loads and stores.

    An option that is not 0 overrides the decision, and `overrides` does for kernels of some names, with the fields
    `rows`, `lanes`, `chunk` and `strip`: what it leaves open is chosen, and what cannot serve is an error. A remark
    says what was chosen.

    ```mlir
    // stretto-opt --kern-choose-schedule=cpu=x86-64-v4
    func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
      %y = kern.rowwise kernel "k"(%x) maps [row] {
      ^bb0(%row: tensor<16xf32>):
        %0 = math.exp %row : tensor<16xf32>
        %1 = seq.tap %0 by -2 : tensor<16xf32>
        %2 = arith.addf %0, %1 : tensor<16xf32>
        kern.yield %2 : tensor<16xf32>
      } : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
      return %y : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    %0 = kern.rowwise kernel "k"(%arg0) maps [row] schedule #kern.vector_schedule<rows 4, lanes 16, chunk 8> {
    ^bb0(%arg1: tensor<16xf32>):
      %1 = math.exp %arg1 {kern.rolling} : tensor<16xf32>
      %2 = seq.tap %1 by -2 : tensor<16xf32>
    ```
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"native\"", "the machine, as LLVM names it">,
    Option<"rows", "rows", "int64_t", "0", "rows of a block">,
    Option<"chunk", "chunk", "int64_t", "0", "rows of a chunk">,
    Option<"overrides", "overrides", "std::string", "\"\"",
           "PATTERN:FIELD=NUMBER,FIELD=NUMBER; several apart by semicolons">,
    Option<"keptBytes", "kept-bytes", "int64_t", "12288",
           "column sums and operands that all rows share, in bytes, from which on rows are cut into strips">,
    Option<"chunkBytes", "chunk-bytes", "int64_t", "524288", "data of a chunk, in bytes">,
    Option<"leastChunks", "least-chunks", "int64_t", "16", "chunks of a launch, where it has rows enough">
  ];
  let dependentDialects = ["::stretto::kern::KernDialect"];
}

def PackWeights : Pass<"kern-pack-weights"> {
  let summary = "weights of matmuls with an epilogue are packed before them";
  let description = [{
    The right operand of each `kern.matmul` with a schedule of strips becomes panels of these strips (`kern.pack`), in
    which the matmul reads it in order.

    ```mlir
    func.func @main(%x: tensor<2x64x16xf32>, %w: tensor<32x16xf32>) -> tensor<2x64x32xf32> {
      %0 = kern.matmul kernel "k" %x by %w as transposed epilogue() maps []
          schedule #kern.strip_schedule<pieces 1, strip 32, block 64, rows 8, lanes 16, chunk 64> {
      ^bb0(%row: tensor<32xf32>):
        %1 = arith.negf %row : tensor<32xf32>
        kern.yield %1 : tensor<32xf32>
      } : (tensor<2x64x16xf32>, tensor<32x16xf32>) -> tensor<2x64x32xf32>
      return %0 : tensor<2x64x32xf32>
    }
    ```
    becomes

    ```mlir
    %0 = kern.pack kernel "k.pack" %arg1 as transposed pieces 1 strip 32 : tensor<32x16xf32> -> tensor<1x1x16x32xf32>
    %1 = kern.matmul kernel "k" %arg0 by %0 as panels epilogue() maps [] ...
    ```
  }];
  let dependentDialects = ["::stretto::kern::KernDialect"];
}

def LowerKernels : Pass<"kern-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "fused kernels become functions in the LLVM dialect";
  let description = [{
    Adds `llvm.func @<kernel>(ptr buffers, i64 begin, i64 end, ptr scratch)` for each `kern.rowwise`,
    `kern.matmul`, `kern.pack` and `kern.sum_partials`; the operations stay. See `codegen/cpu/LowerKernels.h`.

    ```mlir
    // stretto-opt --kern-lower-kernels=cpu=x86-64-v4
    func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
      %y = kern.rowwise kernel "k"(%x) maps [row] schedule #kern.vector_schedule<rows 8, lanes 16, chunk 8> {
      ^bb0(%row: tensor<16xf32>):
        %0 = arith.mulf %row, %row : tensor<16xf32>
        kern.yield %0 : tensor<16xf32>
      } : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
      return %y : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    llvm.func @k(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: !llvm.ptr) attributes {kern.bytes_moved = 2048 : i64, kern.chunks = 2 : i64, ...
    ...
    ... = llvm.fmul ... : vector<16xf32>
    ```
  }];
  let options = [Option<"cpu", "cpu", "std::string", "\"native\"", "the machine, as LLVM names it">];
  let dependentDialects = ["::stretto::kern::KernDialect", "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif
