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
    // remark: tensor<4x256xf32> is shared
    %c = seq.get_parameter @canon : tensor<4x256xf32>
    ```
  }];
}

#endif
