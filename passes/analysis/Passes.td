// Passes that only look and print.
#ifndef STRETTO_PASSES_ANALYSIS_PASSES_TD
#define STRETTO_PASSES_ANALYSIS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrintRowKinds : Pass<"seq-print-row-kinds", "::mlir::ModuleOp"> {
  let summary = "prints what RowAnalysis knows of every value";
  let description = [{
    Writes one remark per value (`row`, `time`, `shared` or `other`, see `RowAnalysis.h`) at the place of the operation
    that makes it, or of the function whose argument it is.

    ```mlir
    seq.parameter @c parts [#seq.part<"c", 4, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<4x16xf32>
    func.func @main(%t: tensor<4x16xi32>, %e: tensor<64x16xf32>) -> tensor<4x16xf32> {
      %c = seq.get_parameter @c : tensor<4x16xf32>
      %x = seq.embed %t, %e : tensor<4x16xi32>, tensor<64x16xf32> -> tensor<4x16x16xf32>
      %s = seq.reduce add %x : tensor<4x16x16xf32> -> tensor<4x16xf32>
      return %s : tensor<4x16xf32>
    }
    ```
    says, among other things,

    ```text
    ...:3:8: remark: 'tensor<4x16xf32>' is shared
    ...
    ...:5:8: remark: 'tensor<4x16xf32>' is row
    ```
  }];
}

#endif
