#ifndef STRETTO_PASSES_BUILD_PASSES_TD
#define STRETTO_PASSES_BUILD_PASSES_TD

include "mlir/Pass/PassBase.td"

def AddLoss : Pass<"seq-add-loss", "::mlir::ModuleOp"> {
  let summary = "make the training and the evaluation function of a model";
  let description = [{
    From `@main(%tokens) -> logits` makes `@gradients(%tokens, %targets, %weights)`, which ends in `seq.backward`,
    and `@evaluate(%tokens, %targets)`. Scan bodies are copied for the evaluation, so that each keeps one
    caller. Targets are the next tokens, so that attention that is not causal is a warning.

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

def AddDecode : Pass<"seq-add-decode", "::mlir::ModuleOp"> {
  let summary = "make the entries that generate text token by token";
  let description = [{
    From `@main(%tokens) -> logits`, with layers written as row operations (`seq-decompose`), makes
    `@decode_one(%tokens, %positions, %counts) -> logits` for one token of each sequence and `@decode_chunk` for `chunk`
    tokens, of which the first `counts` are valid. Logits are those behind the last valid token. What later tokens need of
    earlier ones is kept in caches, which both entries share:

    * keys and values of attention, by position, as many as the sequence is long;
    * values that taps read rows of, as many rows as the furthest tap and a chunk together.

    Rows of tables (rotary positions) are chosen by the positions, once for all layers; everything else is computed as in
    `@main`, for fewer rows, the last product for the last row alone. What a position computes from later ones (attention
    that is not causal, taps into the future) is an error.

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
    func.func @decode_chunk(%arg0: tensor<2x4xi32>, %arg1: tensor<2x4xi32>, %arg2: tensor<2xi32>) -> tensor<2x1x16xf32> {
      ...
      %1 = seq.embed %arg0, %0 : tensor<2x4xi32>, tensor<64x16xf32> -> tensor<2x4x16xf32>
      %2 = seq.get_cache @main.cache0 : tensor<2x5x16xf32>
      %3 = seq.write_cache %2, %1 at %arg1 valid %arg2 : ...
      %4 = seq.read_cache %3 at %arg1 back 1 : ...
      %5 = seq.last_row %4 valid %arg2 : ...
      return %5 : tensor<2x1x16xf32>
    ```
  }];
  let options = [Option<"chunk", "chunk", "int64_t", "64", "tokens of a sequence in one call of @decode_chunk, at most">];
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

def SeparateDocuments : Pass<"seq-separate-documents", "::mlir::ModuleOp"> {
  let summary = "keep the documents of a row apart";
  let description = [{
    Where the module says `seq.documents`, a row of tokens holds several documents one behind the other, which are to be
    computed as if each stood in a row of its own. `@gradients` and `@evaluate` take one more input behind the tokens,
    `positions`: how far each token is from the first one of its document. Then

    * a tap reads what lies in the document: `tap(v, -k)` becomes `select(position >= k, tap(v, -k), 0)`, row operations
      from which autodiff makes the taps of the backward;
    * tables over time give their rows at the positions (`seq.embed`), once for all layers; the second half of what turns is
      made from the first one where pairs are half a head apart;
    * attention gets the positions.

    `seq.documents` is for how many documents of a batch there is room on a device that wants to know where each of them
    starts; if it is not 0, attention also gets these `starts`, another input. What else would look at other rows is an
    error. Bodies of scans get what they need as invariants. Stands behind `seq-decompose`.

    ```mlir
    module attributes {seq.documents = 0 : i64} {
      func.func @evaluate(%tokens: tensor<2x8xi32>, %x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
        %0 = seq.tap %x by -1 : tensor<2x8x16xf32>
        return %0 : tensor<2x8x16xf32>
      }
    }
    ```
    becomes

    ```mlir
    func.func @evaluate(%arg0: tensor<2x8xi32>, %arg1: tensor<2x8xi32> {seq.input = "positions"}, %arg2: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
      %0 = arith.sitofp %arg1 : tensor<2x8xi32> to tensor<2x8xf32>
      %1 = seq.tap %arg2 by -1 : tensor<2x8x16xf32>
      %cst = arith.constant dense<0.000000e+00> : tensor<2x8xf32>
      %2 = arith.cmpf ogt, %0, %cst : tensor<2x8xf32>
      %3 = seq.broadcast %2 dims [0, 1] : tensor<2x8xi1> -> tensor<2x8x16xi1>
      ...
      %4 = arith.select %3, %1, %cst_0 : tensor<2x8x16xi1>, tensor<2x8x16xf32>
    ```
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect", "::mlir::func::FuncDialect"];
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
