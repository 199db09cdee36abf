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
  }];
}

def Decompose : Pass<"seq-decompose"> {
  let summary = "write layers as row operations";
  let description = [{
    Norms, Canon layers, rotary embeddings, the loss and the prediction become elementwise operations and the row
    primitives of `seq`, so that every intermediate (the scalar of a norm, say) is a value of its own that
    autodiff can save and fusion can place.
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect"];
}

#endif
