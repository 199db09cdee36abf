// Layers and loops in the forms that later passes know.
#ifndef STRETTO_PASSES_LAYERS_PASSES_TD
#define STRETTO_PASSES_LAYERS_PASSES_TD

include "mlir/Pass/PassBase.td"

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
    autodiff can save and fusion can place. They keep `seq.recompute`; those of a layer with `seq.no_fuse` have that
    with a number of their own, so that they may share a kernel with one another.

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

def GivePositions : Pass<"seq-give-positions", "::mlir::ModuleOp"> {
  let summary = "positions as inputs of entries";
  let description = [{
    Where the entry points of training or evaluation (`seq.entry`) ask for `seq.positions`, themselves or in bodies of
    scans, both take them as one more input behind the tokens. Bodies get it as an invariant. Where the module says
    `seq.documents`, [`seq-mask-documents`](#-seq-mask-documents) does the same.

    ```mlir
    func.func @evaluate(%tokens: tensor<2x8xi32>, %table: tensor<8x16xf32>) -> tensor<2x8x16xf32>
        attributes {seq.entry = #seq<entry_kind evaluation>} {
      %0 = seq.positions : tensor<2x8xi32>
      %1 = seq.embed %0, %table : tensor<2x8xi32>, tensor<8x16xf32> -> tensor<2x8x16xf32>
      return %1 : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    func.func @evaluate(%arg0: tensor<2x8xi32>, %arg1: tensor<2x8xi32> {seq.input = "positions"}, %arg2: tensor<8x16xf32>) -> tensor<2x8x16xf32> attributes {seq.entry = #seq<entry_kind evaluation>} {
      %0 = seq.embed %arg1, %arg2 : tensor<2x8xi32>, tensor<8x16xf32> -> tensor<2x8x16xf32>
    ```
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect", "::mlir::func::FuncDialect"];
}

def GiveDropoutKeys : Pass<"seq-give-dropout-keys", "::mlir::ModuleOp"> {
  let summary = "keys of tokens as an input of training";
  let description = [{
    Where the entry point of training (`seq.entry`) has `seq.dropout`, itself or in bodies of scans, it takes one more
    input behind all others: a key for each token, which the host makes of the seed of the run and the number of the
    token among all that the run trains on. Bodies get it as an invariant.

    ```mlir
    func.func @gradients(%tokens: tensor<2x8xi32>, %x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
        attributes {seq.entry = #seq<entry_kind training>} {
      %place = arith.constant dense<3.0> : tensor<2x8x16xf32>
      %0 = seq.dropout %x at %place rate 1.0e-01 : tensor<2x8x16xf32>
      return %0 : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    func.func @gradients(%arg0: tensor<2x8xi32>, %arg1: tensor<2x8x16xf32>, %arg2: tensor<2x8xi32> {seq.input = "dropout_keys"}) -> tensor<2x8x16xf32> attributes {seq.entry = #seq<entry_kind training>} {
      %cst = arith.constant dense<3.000000e+00> : tensor<2x8x16xf32>
      %0 = seq.broadcast %arg2 dims [0, 1] : tensor<2x8xi32> -> tensor<2x8x16xi32>
      %1 = seq.dropout %arg1 at %cst keys %0 rate 1.000000e-01 : tensor<2x8x16xf32>, tensor<2x8x16xi32>
    ```
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect", "::mlir::func::FuncDialect"];
}

def MaskDocuments : Pass<"seq-mask-documents", "::mlir::ModuleOp"> {
  let summary = "mask packed documents";
  let description = [{
    Where the module says `seq.documents`, a sequence holds several packed documents, which are to be computed as if
    each were a sequence of its own. The entry points of training and evaluation (`seq.entry`) take one more input
    behind the tokens, `positions`: how far each token is from the first one of its document. Then

    * a tap reads what lies in the document: `tap(v, -k)` becomes `select(position >= k, tap(v, -k), 0)`, row operations
      from which autodiff makes the taps of the backward;
    * tables over time give their rows at the positions (`seq.embed`), once for all layers; the second half of what
      turns is made from the first one where pairs are half a head apart;
    * attention gets the positions.

    `seq.documents` is for how many documents of a batch there is room on a device that wants to know where each of them
    starts; if it is not 0, attention also gets these `starts`, another input. What else would look at other rows is an
    error. Bodies of scans get what they need as invariants. Stands behind `seq-decompose`.

    ```mlir
    module attributes {seq.documents = 0 : i64} {
      func.func @evaluate(%tokens: tensor<2x8xi32>, %x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
          attributes {seq.entry = #seq<entry_kind evaluation>} {
        %0 = seq.tap %x by -1 : tensor<2x8x16xf32>
        return %0 : tensor<2x8x16xf32>
      }
    }
    ```
    becomes

    ```mlir
    func.func @evaluate(%arg0: tensor<2x8xi32>, %arg1: tensor<2x8xi32> {seq.input = "positions"}, %arg2: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> attributes {seq.entry = #seq<entry_kind evaluation>} {
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

#endif
