// What phases of a pipeline need of each other.
#ifndef STRETTO_CODEGEN_PIPELINES_PASSES_TD
#define STRETTO_CODEGEN_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpectStage : Pass<"stretto-expect-stage", "::mlir::ModuleOp"> {
  let summary = "an error where a module is not at the stage that what follows needs";
  let description = [{
    Each phase opens with it. A module is at one of the stages `seq`, `train`, `fused`, `kernels`, `nvvm` and `llvm`,
    which is seen by what the phases leave behind, or in the middle of a phase, where the passes that are left must be
    named one by one. Weights must have names of their own, as files have them by their names.

    ```mlir
    // stretto-opt --stretto-expect-stage=stage=fused
    func.func @main(%tokens: tensor<2x8xi32>) -> tensor<2x8xi32> {
      return %tokens : tensor<2x8xi32>
    }
    ```
    says

    ```text
    ... error: the module must be at the stage 'fused', but is at 'seq'
    ```
  }];
  let options = [Option<"stage", "stage", "std::string", "\"seq\"", "seq, or the name of a phase">];
}

#endif
