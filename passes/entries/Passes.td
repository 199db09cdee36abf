// The entry points of a program beside the model itself: loss, optimizer, generation.
#ifndef STRETTO_PASSES_ENTRIES_PASSES_TD
#define STRETTO_PASSES_ENTRIES_PASSES_TD

include "mlir/Pass/PassBase.td"

def AddDecode : Pass<"seq-add-decode", "::mlir::ModuleOp"> {
  let summary = "make the entries that generate text token by token";
  let description = [{
    From `@main(%tokens) -> logits`, with layers written as row operations (`seq-decompose`), makes
    `@decode_one(%tokens, %positions, %counts) -> logits` for one token of each sequence and `@decode_chunk` for `chunk`
    tokens, of which the first `counts` are valid. Logits are those behind the last valid token. What later tokens need
    of earlier ones is kept in caches, which both entries share:

    * keys and values of attention, by position, as many as the sequence is long;
    * values that taps read rows of, as many rows as the furthest tap and a chunk together.

    Rows of tables (rotary positions) are chosen by the positions, once for all layers; everything else is computed as
    in `@main`, for fewer rows, the last matmul for the last row alone. What a position computes from later ones
    (attention that is not causal, taps into the future, means over a batch) is an error. What `@main` adds to the loss
    is left out, with all that only it needs.

    ```mlir
    // stretto-opt --seq-add-decode=chunk=4
    seq.parameter @e parts [#seq.part<"embed", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>
    func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x16xf32> {
      %e = seq.get_parameter @e : tensor<64x16xf32>
      %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
      %1 = seq.tap %0 by -1 : tensor<2x8x16xf32>
      return %1 : tensor<2x8x16xf32>
    }
    ```
    becomes, besides

    ```mlir
    seq.cache @main.cache0 : tensor<2x5x16xf32>
    func.func @decode_chunk(%arg0: tensor<2x4xi32>, %arg1: tensor<2x4xi32>, %arg2: tensor<2xi32>) -> tensor<2x1x16xf32> attributes {seq.entry = #seq<entry_kind decoding>} {
      ...
      %1 = seq.embed %arg0, %0 : tensor<2x4xi32>, tensor<64x16xf32> -> tensor<2x4x16xf32>
      %2 = seq.get_cache @main.cache0 : tensor<2x5x16xf32>
      %3 = seq.write_cache %2, %1 at %arg1 valid %arg2 : ...
      %4 = seq.read_cache %3 at %arg1 back 1 : ...
      %5 = seq.last_row %4 valid %arg2 : ...
      return %5 : tensor<2x1x16xf32>
    ```
  }];
  let options = [
    Option<"chunk", "chunk", "int64_t", "64", "tokens of a sequence in one call of @decode_chunk, at most">
  ];
  let dependentDialects = ["::stretto::seq::SeqDialect", "::mlir::func::FuncDialect"];
}

def AddLoss : Pass<"seq-add-loss", "::mlir::ModuleOp"> {
  let summary = "make the training and the evaluation function of a model";
  let description = [{
    From `@main(%tokens) -> logits` makes `@gradients(%tokens, %targets, %weights)`, which ends in `seq.backward`,
    and `@evaluate(%tokens, %targets)`. The loss has the terms that the module attributes `seq.nll_square` and
    `seq.z_loss` (coefficients, f64) ask for; a second result of `@main`, a number for each token, is added to the
    loss of that token, and may be made of the loss of other logits (`seq.token_loss`), which gets the targets here. The
    evaluation gives the negative log-likelihood alone; it has copies of the scan bodies, so
    that each keeps one caller, and in them nothing that only the second result needs. Targets are the next tokens, so
    that logits of attention that is not causal, or of means over a batch, are a warning.

    Where the model ends in a matmul and its logits exceed `head-bytes`, the matmul and the loss (or the
    prediction) become a `seq.scan` over chunks of rows; the training scan also computes the gradients of its
    input and weight, chunk by chunk, so that the logits are never all held. A remark says what was chosen.

    ```mlir
    seq.parameter @e parts [#seq.part<"embed", 64, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<64x16xf32>
    func.func @main(%t: tensor<2x8xi32>) -> tensor<2x8x64xf32> {
      %e = seq.get_parameter @e : tensor<64x16xf32>
      %0 = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
      %1 = seq.linear %0, %e : tensor<2x8x16xf32>, tensor<64x16xf32> -> tensor<2x8x64xf32>
      return %1 : tensor<2x8x64xf32>
    }
    ```
    becomes

    ```mlir
    func.func @evaluate(%arg0: tensor<2x8xi32>, %arg1: tensor<2x8xi32>) -> (tensor<2x8xf32>, tensor<2x8xi32>) attributes {seq.entry = #seq<entry_kind evaluation>} {
    ...
    func.func @gradients(%arg0: tensor<2x8xi32>, %arg1: tensor<2x8xi32>, %arg2: tensor<2x8xf32>) -> tensor<1xf32> attributes {seq.entry = #seq<entry_kind training>} {
      ...
      %loss, %dlogits = seq.cross_entropy %2, %arg1, %arg2 : ...
      seq.backward of(%2) from(%dlogits) : tensor<2x8x64xf32>
      %3 = seq.reshape %loss : tensor<2x8xf32> -> tensor<2x8x1xf32>
      %4 = seq.column_sum %3 : tensor<2x8x1xf32> -> tensor<1xf32>
      return %4 : tensor<1xf32>
    }
    ```
  }];
  let options = [Option<"headBytes", "head-bytes", "int64_t", "4194304",
                        "largest logits, in bytes, that are held at once">];
  let dependentDialects = ["::stretto::seq::SeqDialect", "::mlir::func::FuncDialect"];
}

def AddOptimizer : Pass<"kern-add-optimizer", "::mlir::ModuleOp"> {
  let summary = "add the update of the parameters and the accumulation of gradients";
  let description = [{
    Adds entry points that work on the flat arenas, seen as `[1, rows, columns]`:

    * `@squares`: the sum of squares of each row of the gradients, written to SQUARES;
    * `@norm`: the sum of these sums (in order) and its root, the global 2-norm of the gradients, written to OUTPUTS;
    * `@apply`: AdamW on gradients scaled by `min(1, clip / (norm + 1e-6))`, in place. As in PyTorch the weight decay is
      decoupled: `p *= 1 - rate * decay`, `m = b1 m + (1 - b1) g`, `v = b2 v + (1 - b2) g^2`, `p -= rate / c1 * m /
      (sqrt(v) / sqrt(c2) + eps)`. All numbers are read from HYPER, the norm from what `@norm` left. Where weights have
      factors, the rate and the decay of each are multiplied by these, read from FACTORS;
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
    func.func @norm(%arg0: tensor<1x1x512xf32> {kern.slot = #kern.slot<squares, 0, stride 0, parity 0>}) ...
    %0 = kern.rowwise kernel "norm.sum"(%arg0) maps [row] {
    ...
    %2 = kern.rowwise kernel "norm.root"(%1) maps [row] {
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
