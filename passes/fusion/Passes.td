// Row operations become kernels: two passes decide, one acts.
//
//   seq.reduce, arith, math, ...  --kern-form-groups-->     {kern.group = n} on each
//                                 --kern-duplicate-producers-->    copies where passing on costs more
//                                 --kern-outline-groups-->  one kern.rowwise per group
#ifndef STRETTO_PASSES_FUSION_PASSES_TD
#define STRETTO_PASSES_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"
include "passes/support/CostModelOptions.td"

def FormGroups : Pass<"kern-form-groups", "::mlir::ModuleOp"> {
  let summary = "decide which row operations share a kernel";
  let description = [{
    Writes `kern.group = n` on row operations; operations of one number become one kernel. Any graph of elementwise
    operations, reductions, taps, permutations, concatenations and column sums over the same rows may share one. What
    costs next to nothing to repeat (constants, comparisons, whole numbers as reals, simple arithmetic on parameters,
    and all that only moves columns or rows: broadcasts, slices, concatenations, permutations, taps, views) carries no
    number and is duplicated in each kernel that reads it, unless something other than a kernel reads it.

    A concatenation of column sums of one kernel joins that kernel, which then sums the concatenated rows.

    Pairs of operations are merged in the order of the bytes that need not move, ties in program order, when

    * no path leads from the one group through another operation to the other (a matmul, a scan, the result of
      a column sum, another group);
    * neither carries `seq.no_fuse`, or both carry its same number: pieces of one layer;
    * the kernel would not leave for others what the backward recomputes (`seq.recomputed`) beside the operation of the
      forward that it repeats: it would be held from the forward on;
    * what both read is more than one number for each row (the place of a token, say), which is not worth that a kernel
      waits for the other's operands;
    * the kernel has at most 2048 loops times stages, so that it compiles in reasonable time: a loop for each operation,
      or several where heads of unlike sizes cut the row at unlike columns;
    * no sum along rows is tapped further away than a kernel keeps rows;
    * the bytes saved outweigh the rows computed twice (a tap makes a block of rows compute what it taps for
      the rows beside the block, or far from it) and what is read again: by later stages where a block does not fit the
      cache, and for taps that reach further than a kernel keeps rows.

    Remarks (category `fusion`): `FusedRows` for each kernel with the operations fused and the bytes not moved,
    `NotFused` for each pair that shares a value and was not merged, with the reason, `Unrelated` for a group that
    shares none with one that might have computed it.

    ```mlir
    func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
      %0 = seq.tap %x by -1 : tensor<2x8x16xf32>
      %1 = arith.addf %x, %0 : tensor<2x8x16xf32>
      %2 = math.exp %1 : tensor<2x8x16xf32>
      %3 = seq.linear %2, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %4 = arith.mulf %1, %3 : tensor<2x8x16xf32>
      return %4 : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    %0 = seq.tap %arg0 by -1 : tensor<2x8x16xf32>
    %1 = arith.addf %arg0, %0 {kern.group = 0 : i64} : tensor<2x8x16xf32>
    %2 = math.exp %1 {kern.group = 0 : i64} : tensor<2x8x16xf32>
    %3 = seq.linear %2, %arg1 : ...
    %4 = arith.mulf %1, %3 {kern.group = 1 : i64} : tensor<2x8x16xf32>
    ```
  }];
  let options = [Option<"fuse", "fuse", "std::string", "\"all\"",
                        "`all`, or `none`: a kernel for each operation">,
                 operationsPerByte, blockRows, heldRows, heldBytes, keptRows];
  let dependentDialects = ["::stretto::kern::KernDialect"];
}

def OutlineGroups : Pass<"kern-outline-groups", "::mlir::ModuleOp"> {
  let summary = "make one kern.rowwise of each group of row operations";
  let description = [{
    The operations that carry one `kern.group` number become the body of one `kern.rowwise`, on one row: batch
    and time are dropped from shapes and broadcasts. Values from outside become operands, read as rows, by time
    or whole, as the operations use them; values used outside become results. A kernel is called
    `<function>.rowwise<n>` and its location holds those of its operations.

    Arithmetic on parameters (a sum of gradients of a tied weight, say) runs over the rows of the parameter, or
    over one row when it has one dimension: its kernel works on reshaped views `[1, rows, columns]`.

    ```mlir
    func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
      %0 = seq.tap %x by -1 : tensor<2x8x16xf32>
      %1 = arith.addf %x, %0 {kern.group = 0 : i64} : tensor<2x8x16xf32>
      %2 = math.exp %1 {kern.group = 0 : i64} : tensor<2x8x16xf32>
      %3 = seq.linear %2, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %4 = arith.mulf %1, %3 {kern.group = 1 : i64} : tensor<2x8x16xf32>
      return %4 : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    %0:2 = kern.rowwise kernel "main.rowwise0"(%arg0) maps [row] {
    ^bb0(%arg2: tensor<16xf32>):
      %3 = seq.tap %arg2 by -1 : tensor<16xf32>
      %4 = arith.addf %arg2, %3 : tensor<16xf32>
      %5 = math.exp %4 : tensor<16xf32>
      kern.yield %4, %5 : tensor<16xf32>, tensor<16xf32>
    } : (tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>)
    %1 = seq.linear %0#1, %arg1 : ...
    %2 = kern.rowwise kernel "main.rowwise1"(%0#0, %1) maps [row, row] {
    ```
  }];
  let dependentDialects = ["::stretto::kern::KernDialect", "::mlir::func::FuncDialect"];
}

def DuplicateProducers : Pass<"kern-duplicate-producers", "::mlir::ModuleOp"> {
  let summary = "recompute in a kernel what is more expensive to pass on from another";
  let description = [{
    Where a kernel reads rows that another one computed, and the operations that lead to them from what is in memory
    anyway (its operands, and the scalars of its reductions) take less time than writing and reading the rows,
    copies of these operations get the `kern.group` of the reader. This is how values that the backward
    computes again stay out of memory when attention lies between the kernels that need them. Operations marked
    `seq.no_fuse` are not duplicated, nor those that read rows further away than a kernel keeps them: taps of their
    results would read such rows for each of theirs. Not part of the pipeline when nothing is to be fused.

    ```mlir
    func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
      %0 = seq.tap %x by -1 : tensor<2x8x16xf32>
      %1 = arith.addf %x, %0 {kern.group = 0 : i64} : tensor<2x8x16xf32>
      %2 = math.exp %1 {kern.group = 0 : i64} : tensor<2x8x16xf32>
      %3 = seq.linear %2, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %4 = arith.mulf %1, %3 {kern.group = 1 : i64} : tensor<2x8x16xf32>
      return %4 : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    %1 = arith.addf %arg0, %0 {kern.group = 0 : i64} : tensor<2x8x16xf32>
    %2 = arith.addf %arg0, %0 {kern.group = 1 : i64} : tensor<2x8x16xf32>
    %3 = math.exp %1 {kern.group = 0 : i64} : tensor<2x8x16xf32>
    %4 = seq.linear %3, %arg1 : ...
    %5 = arith.mulf %2, %4 {kern.group = 1 : i64} : tensor<2x8x16xf32>
    ```
  }];
  let options = [operationsPerByte, keptRows];
}

#endif
