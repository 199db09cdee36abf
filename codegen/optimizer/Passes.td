#ifndef STRETTO_CODEGEN_OPTIMIZER_PASSES_TD
#define STRETTO_CODEGEN_OPTIMIZER_PASSES_TD

include "mlir/Pass/PassBase.td"

def AddOptimizer : Pass<"kern-add-optimizer", "::mlir::ModuleOp"> {
  let summary = "add the update of the parameters and the accumulation of gradients";
  let description = [{
    Adds entry points that work on the flat arenas, seen as `[1, rows, columns]`:

    * `@update`: the global 2-norm of the gradients (ordered sums), written to OUTPUTS before clipping; then AdamW on
      gradients scaled by `min(1, clip / (norm + 1e-6))`, in place. As in PyTorch the weight decay is decoupled:
      `p *= 1 - rate * decay`, `m = b1 m + (1 - b1) g`, `v = b2 v + (1 - b2) g^2`,
      `p -= rate / c1 * m / (sqrt(v) / sqrt(c2) + eps)`. All numbers are read from HYPER;
    * `@accumulate`: ACCUMULATOR += GRADIENTS;
    * `@take_accumulated`: GRADIENTS = ACCUMULATOR, ACCUMULATOR = 0.

    The kernels are ordinary `kern.rowwise` operations without a schedule.
  }];
  let dependentDialects = ["::stretto::kern::KernDialect", "::mlir::func::FuncDialect"];
}

#endif
