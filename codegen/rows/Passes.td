// Kernels of rows before the target chooses their schedules: epilogues of matmuls, padded logits, column sums.
#ifndef STRETTO_CODEGEN_ROWS_PASSES_TD
#define STRETTO_CODEGEN_ROWS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseEpilogues : Pass<"kern-choose-epilogues", "::mlir::ModuleOp"> {
  let summary = "decide which kernels lie in the epilogue of a matmul";
  let description = [{
    Writes `kern.epilogue = n` on a matmul and on the `kern.rowwise` that is to be its epilogue: a kernel that reads the
    rows of its result. Those that save the most bytes come first; a kernel lies in one matmul. All must hold:

    * the matmul and its result are of one of the `types`, it adds nothing, and neither carries `seq.no_fuse`;
    * what else the kernel reads does not depend on the matmul through anything else;
    * the columns of the matmul that the kernel brings together fit a strip of at most `most-columns` (Strips.h), and
      each reduction depends on it;
    * taps reach over at most 15 rows, sequences have at least `least-rows`, rows `least-strips`, and sums of the
      matmul `least-depth` terms;
    * the kernel is not the loss;
    * nothing is said why all matmuls stay `apart`.

    Remarks (category `fusion`): `FusedEpilogue` with the bytes that do not move, `NotInEpilogue` with the reason.

    ```mlir
    // stretto-opt --kern-choose-epilogues
    func.func @main(%x: tensor<2x64x16xf32>, %w: tensor<32x16xf32>) -> tensor<2x64x32xf32> {
      %0 = seq.linear %x, %w : tensor<2x64x16xf32>, tensor<32x16xf32> -> tensor<2x64x32xf32>
      %1 = kern.rowwise kernel "main.rowwise0"(%0) maps [row] {
      ^bb0(%row: tensor<32xf32>):
        %2 = seq.tap %row by -1 : tensor<32xf32>
        %3 = arith.addf %row, %2 : tensor<32xf32>
        kern.yield %3 : tensor<32xf32>
      } : (tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
      return %1 : tensor<2x64x32xf32>
    }
    ```
    becomes

    ```mlir
    %0 = seq.linear %arg0, %arg1 : ... {kern.epilogue = 0 : i64}
    %1 = kern.rowwise kernel "main.rowwise0"(%0) maps [row] {
    ...
    } {kern.epilogue = 0 : i64} : (tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
    ```
  }];
  let options = [
    ListOption<"types", "types", "std::string", "of numbers that are multiplied so; f32 and f64 unless they are given">,
    Option<"wantedColumns", "wanted-columns", "int64_t", "128", "columns that a strip has best">,
    Option<"mostColumns", "most-columns", "int64_t", "128", "columns that it has at most">,
    Option<"leastRows", "least-rows", "int64_t", "4", "tokens of a sequence">,
    Option<"leastStrips", "least-strips", "int64_t", "1", "strips of a row">,
    Option<"leastDepth", "least-depth", "int64_t", "1", "terms of a sum of the matmul">,
    Option<"apart", "apart", "std::string", "", "why matmuls of the machine have no epilogue, if they have none">
  ];
  let dependentDialects = ["::stretto::kern::KernDialect"];
}

def FuseEpilogues : Pass<"kern-fuse-epilogues", "::mlir::ModuleOp"> {
  let summary = "matmuls and their epilogues become one kern.matmul";
  let description = [{
    The matmul and the kernel that carry one number `kern.epilogue` become a `kern.matmul`. The body moves as it is;
    what else reads the result of the matmul reads what the kernel yields of it.

    ```mlir
    func.func @main(%x: tensor<2x64x16xf32>, %w: tensor<32x16xf32>) -> tensor<2x64x32xf32> {
      %0 = seq.linear %x, %w : tensor<2x64x16xf32>, tensor<32x16xf32> -> tensor<2x64x32xf32>
          {kern.epilogue = 0 : i64}
      %1 = kern.rowwise kernel "main.rowwise0"(%0) maps [row] {
      ^bb0(%row: tensor<32xf32>):
        %2 = seq.tap %row by -1 : tensor<32xf32>
        %3 = arith.addf %row, %2 : tensor<32xf32>
        kern.yield %3 : tensor<32xf32>
      } {kern.epilogue = 0 : i64} : (tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
      return %1 : tensor<2x64x32xf32>
    }
    ```
    becomes

    ```mlir
    %0 = kern.matmul kernel "main.matmul0" %arg0 by %arg1 as transposed epilogue() maps [] {
    ^bb0(%arg2: tensor<32xf32>):
      %1 = seq.tap %arg2 by -1 : tensor<32xf32>
      %2 = arith.addf %arg2, %1 : tensor<32xf32>
      kern.yield %2 : tensor<32xf32>
    } : (tensor<2x64x16xf32>, tensor<32x16xf32>) -> tensor<2x64x32xf32>
    ```
  }];
  let dependentDialects = ["::stretto::kern::KernDialect", "::mlir::arith::ArithDialect"];
}

def PadLogits : Pass<"kern-pad-logits", "::mlir::ModuleOp"> {
  let summary = "rows of logits begin at aligned addresses";
  let description = [{
    Where the rows of the logits that a loss (`seq.loss`) reads, or of their gradient, are no multiples of `alignment`
    bytes, the kernel gets rows of a few more columns: the matmul writes the first columns of a wider value
    (`kern.pad`), and what reads the gradient reads the first columns (`seq.slice`). Both are views, so matmuls read
    and write rows with gaps.

    Nobody writes what lies behind the columns of the logits. Each reduction of the kernel sees a number there that
    changes nothing (0 in a sum), so losses do not depend on it. Behind the columns of the gradient the kernel stores
    zeros, whatever it has read; matmuls do not read them.

    A remark (category `memory`): `PadLogits` with the bytes that the padding takes, or why rows stay as they are. Only
    the result of a matmul is padded that nothing but the loss reads, and whose loss goes column by column.

    ```mlir
    // stretto-opt --kern-pad-logits
    func.func @evaluate(%h: tensor<2x8x16xf32>, %w: tensor<13x16xf32>) -> tensor<2x8xf32> {
      %0 = seq.linear %h, %w : tensor<2x8x16xf32>, tensor<13x16xf32> -> tensor<2x8x13xf32>
      %1 = kern.rowwise kernel "evaluate.rowwise0"(%0) maps [row] {
      ^bb0(%row: tensor<13xf32>):
        %2 = seq.reduce max %row : tensor<13xf32> -> tensor<f32>
        kern.yield %2 : tensor<f32>
      } {seq.loss} : (tensor<2x8x13xf32>) -> tensor<2x8xf32>
      return %1 : tensor<2x8xf32>
    }
    ```
    becomes

    ```mlir
    %0 = seq.linear %arg0, %arg1 : tensor<2x8x16xf32>, tensor<13x16xf32> -> tensor<2x8x13xf32>
    %1 = kern.pad %0 : tensor<2x8x13xf32> -> tensor<2x8x16xf32>
    %2 = kern.rowwise kernel "evaluate.rowwise0"(%1) maps [row] {
    ^bb0(%arg2: tensor<16xf32>):
      %3 = seq.column_index : tensor<16xf32>
      %cst = arith.constant dense<1.300000e+01> : tensor<16xf32>
      %4 = arith.cmpf olt, %3, %cst : tensor<16xf32>
      %cst_0 = arith.constant dense<0xFF800000> : tensor<16xf32>
      %5 = arith.select %4, %arg2, %cst_0 : tensor<16xi1>, tensor<16xf32>
      %6 = seq.reduce max %5 : tensor<16xf32> -> tensor<f32>
      kern.yield %6 : tensor<f32>
    } {seq.loss} : (tensor<2x8x16xf32>) -> tensor<2x8xf32>
    ```
  }];
  let options = [Option<"alignment", "alignment", "int64_t", "16", "bytes that addresses of rows are multiples of">];
  let dependentDialects = ["::stretto::kern::KernDialect"];
}

def SplitColumnSums : Pass<"kern-split-column-sums"> {
  let summary = "column sums become partial sums and their ordered sum";
  let description = [{
    A scheduled `kern.rowwise` or `kern.matmul` with column sums becomes one with `partial_sums`, whose sums
    `[chunks, columns...]` are added up by a `kern.sum_partials` each. Its kernel is named after the rowwise kernel.

    ```mlir
    func.func @main(%x: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<16xf32>) {
      %y, %s = kern.rowwise kernel "k"(%x) maps [row] schedule #kern.vector_schedule<rows 8, lanes 16, chunk 8> {
      ^bb0(%row: tensor<16xf32>):
        %0 = arith.mulf %row, %row : tensor<16xf32>
        %1 = seq.column_sum %0 : tensor<16xf32> -> tensor<16xf32>
        kern.yield %0, %1 : tensor<16xf32>, tensor<16xf32>
      } : (tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<16xf32>)
      return %y, %s : tensor<2x8x16xf32>, tensor<16xf32>
    }
    ```
    becomes

    ```mlir
    %0:2 = kern.rowwise kernel "k"(%arg0) maps [row] schedule #kern.vector_schedule<rows 8, lanes 16, chunk 8> partial_sums {
    ...
    } : (tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x16xf32>)
    %1 = kern.sum_partials kernel "k.sum1" %0#1 : tensor<2x16xf32> -> tensor<16xf32>
    ```
  }];
  let dependentDialects = ["::stretto::kern::KernDialect"];
}

#endif
