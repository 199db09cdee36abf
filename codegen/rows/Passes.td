#ifndef STRETTO_CODEGEN_ROWS_PASSES_TD
#define STRETTO_CODEGEN_ROWS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitColumnSums : Pass<"kern-split-column-sums"> {
  let summary = "column sums become partial sums and their ordered sum";
  let description = [{
    A scheduled `kern.rowwise` with column sums becomes one with `partial_sums`, whose sums `[chunks, columns...]`
    are added up by a `kern.sum_partials` each. Its kernel is named after the rowwise kernel.

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
