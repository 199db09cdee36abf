#ifndef STRETTO_CODEGEN_OPTIMIZER_PASSES_TD
#define STRETTO_CODEGEN_OPTIMIZER_PASSES_TD

include "mlir/Pass/PassBase.td"

def AddOptimizer : Pass<"kern-add-optimizer", "::mlir::ModuleOp"> {
  let summary = "add the update of the parameters and the accumulation of gradients";
  let description = [{
    Adds entry points that work on the flat arenas, seen as `[1, rows, columns]`:

    * `@squares`: the sum of squares of the gradients (an ordered sum) and its root, their global 2-norm, written to OUTPUTS;
    * `@apply`: AdamW on gradients scaled by `min(1, clip / (norm + 1e-6))`, in place. As in PyTorch the weight decay is
      decoupled: `p *= 1 - rate * decay`, `m = b1 m + (1 - b1) g`, `v = b2 v + (1 - b2) g^2`,
      `p -= rate / c1 * m / (sqrt(v) / sqrt(c2) + eps)`. All numbers are read from HYPER, the norm from what `@squares` left;
    * `@accumulate`: ACCUMULATOR += GRADIENTS;
    * `@take_accumulated`: GRADIENTS = ACCUMULATOR, ACCUMULATOR = 0;
    * `@round_parameters`, where activations are bf16 (`seq.activation_type`): ROUNDED = PARAMETERS in bf16, the frozen
      ones too. `@apply` then writes the new parameters to ROUNDED as well.

    The kernels are ordinary `kern.rowwise` operations without a schedule.

    ```mlir
    seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>
    func.func @gradients(%dw: tensor<16x16xf32>) {
      seq.gradient @w, %dw : tensor<16x16xf32>
      return
    }
    ```
    becomes

    ```mlir
    func.func @squares(%arg0: tensor<1x1x512xf32> {kern.slot = #kern.slot<gradients, 0, stride 0, parity 0>}) ...
    %0 = kern.rowwise kernel "squares.sum"(%arg0) maps [row] {
    ...
    %2 = kern.rowwise kernel "squares.norm"(%1) maps [row] {
    ...
    func.func @apply(%arg0: tensor<1x1x512xf32> {kern.slot = #kern.slot<parameters, 0, stride 0, parity 0>}, ...
    %0:3 = kern.rowwise kernel "apply.adamw"(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) maps [row, row, row, row, shared, shared] {
    ...
    func.func @accumulate(...
    ...
    func.func @take_accumulated(...
    ```
  }];
  let dependentDialects = ["::stretto::kern::KernDialect", "::mlir::func::FuncDialect"];
}

#endif
