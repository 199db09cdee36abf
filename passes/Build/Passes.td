#ifndef STRETTO_PASSES_BUILD_PASSES_TD
#define STRETTO_PASSES_BUILD_PASSES_TD

include "mlir/Pass/PassBase.td"

def AddLoss : Pass<"seq-add-loss", "::mlir::ModuleOp"> {
  let summary = "make the training and the evaluation function of a model";
  let description = [{
    From `@main(%tokens) -> logits` makes `@gradients(%tokens, %targets, %weights)`, which ends in `seq.backward`,
    and `@evaluate(%tokens, %targets)`. Scan bodies are copied for the evaluation, so that each keeps one
    caller.

    Where the model ends in a product and its logits exceed `head-bytes`, the product and the loss (or the
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
    func.func @evaluate(%arg0: tensor<2x8xi32>, %arg1: tensor<2x8xi32>) -> (tensor<2x8xf32>, tensor<2x8xi32>) {
    ...
    func.func @gradients(%arg0: tensor<2x8xi32>, %arg1: tensor<2x8xi32>, %arg2: tensor<2x8xf32>) -> tensor<1xf32> {
      ...
      %nll, %dlogits = seq.cross_entropy %2, %arg1, %arg2 : ...
      seq.backward of(%2) from(%dlogits) : tensor<2x8x64xf32>
      %3 = seq.reshape %nll : tensor<2x8xf32> -> tensor<2x8x1xf32>
      %4 = seq.column_sum %3 : tensor<2x8x1xf32> -> tensor<1xf32>
      return %4 : tensor<1xf32>
    }
    ```
  }];
  let options = [Option<"headBytes", "head-bytes", "int64_t", "4194304",
                        "largest logits, in bytes, that are held at once">];
  let dependentDialects = ["::stretto::seq::SeqDialect", "::mlir::func::FuncDialect"];
}

def SeparateScans : Pass<"seq-separate-scans", "::mlir::ModuleOp"> {
  let summary = "give every scan a body of its own";
  let description = [{
    A stack of layers with different ones among them (`repeat` with choices by layer) runs one body in several scans.
    The first keeps the function, each further one gets a copy, so that later passes may change a body together with
    its caller.

    ```mlir
    func.func private @layer(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
      %0 = math.tanh %x : tensor<2x8x16xf32>
      return %0 : tensor<2x8x16xf32>
    }
    func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
      %0 = seq.scan @layer trips 3 carry(%x) slices() invariants() : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
      %1 = seq.scan @layer trips 2 carry(%0) slices() invariants() : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
      return %1 : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    func.func private @layer_0(%arg0: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
    ...
    %0 = seq.scan @layer trips 3 carry(%arg0) ...
    %1 = seq.scan @layer_0 trips 2 carry(%0) ...
    ```
  }];
}

def Decompose : Pass<"seq-decompose"> {
  let summary = "write layers as row operations";
  let description = [{
    Norms, Canon layers, rotary embeddings, the loss and the prediction become elementwise operations and the row
    primitives of `seq`, so that every intermediate (the scalar of a norm, say) is a value of its own that
    autodiff can save and fusion can place.

    ```mlir
    func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<2x16xf32>) -> tensor<2x8x16xf32> {
      %y = seq.canon %x, %w residual none : tensor<2x8x16xf32>, tensor<2x16xf32>
      return %y : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    %0 = seq.reshape %arg1 : tensor<2x16xf32> -> tensor<32xf32>
    %1 = seq.slice %0 at 0 : tensor<32xf32> -> tensor<16xf32>
    %2 = seq.broadcast %1 dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
    %3 = arith.mulf %arg0, %2 : tensor<2x8x16xf32>
    %4 = arith.addf %arg0, %3 : tensor<2x8x16xf32>
    %5 = seq.tap %arg0 by -1 : tensor<2x8x16xf32>
    %6 = seq.slice %0 at 16 : tensor<32xf32> -> tensor<16xf32>
    %7 = seq.broadcast %6 dims [2] : tensor<16xf32> -> tensor<2x8x16xf32>
    %8 = arith.mulf %5, %7 : tensor<2x8x16xf32>
    %9 = arith.addf %4, %8 : tensor<2x8x16xf32>
    ```
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect"];
}

#endif
