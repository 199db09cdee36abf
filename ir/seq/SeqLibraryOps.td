// Operations that a library carries out: no fusion crosses them. Weights are [out, in] as in PyTorch.
// Operands have one type; results have it too, or f32 where they are bf16. Sums are kept in f32 or f64.
#ifndef STRETTO_IR_SEQ_SEQLIBRARYOPS_TD
#define STRETTO_IR_SEQ_SEQLIBRARYOPS_TD

include "ir/seq/SeqDialect.td"

def Seq_LinearOp : Seq_Op<"linear", [Pure,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["getResidualSlot", "getMatmulKind", "getFlops"]>,
    DeclareOpInterfaceMethods<Seq_DifferentiableOpInterface>,
    OptionalTypesMatchWith<"residual and result have one type", "result", "residual", "$_self">]> {
  let summary = "x W^T over the last dimension (+ residual)";
  let description = [{
    With `add`, the matmul is added to that value before it is rounded.

    ```mlir
    %y = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
    %z = seq.linear %x, %w add %y : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
    ```
  }];
  let arguments = (ins Seq_StoredTensor:$operand, Seq_StoredTensor:$weight, Optional<Seq_StoredTensor>:$residual);
  let results = (outs Seq_StoredTensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$operand, "::mlir::Value":$weight), [{
    build($_builder, $_state, result, operand, weight, ::mlir::Value());
  }]>];
  let assemblyFormat = [{
    $operand `,` $weight (`add` $residual^)? `:` type($operand) `,` type($weight) `->` type($result) attr-dict
  }];
  let hasVerifier = 1;
}

def Seq_LinearInputGradOp : Seq_Op<"linear_input_grad", [Pure,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["getMatmulKind", "getFlops"]>]> {
  let summary = "dy W: the gradient of seq.linear with respect to its input";
  let description = [{
    ```mlir
    %dx = seq.linear_input_grad %dy, %w : tensor<2x8x32xf32>, tensor<32x16xf32> -> tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Seq_StoredTensor:$grad, Seq_StoredTensor:$weight);
  let results = (outs Seq_StoredTensor:$result);
  let assemblyFormat = "$grad `,` $weight `:` type($grad) `,` type($weight) `->` type($result) attr-dict";
  let hasVerifier = 1;
}

def Seq_LinearWeightGradOp : Seq_Op<"linear_weight_grad", [Pure,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["getAccumulatorSlot", "getMatmulKind", "getFlops"]>]> {
  let summary = "dy^T x summed over rows (+ accumulator): the gradient of seq.linear with respect to its weight";
  let description = [{
    With `accumulate`, the matmul is added to that value, whose buffer the result takes over. The result is f32
    where the operands are bf16.

    ```mlir
    %dw = seq.linear_weight_grad %dy, %x : tensor<2x8x32xf32>, tensor<2x8x16xf32> -> tensor<32x16xf32>
    ```
  }];
  let arguments = (ins Seq_StoredTensor:$grad, Seq_StoredTensor:$operand, Optional<Seq_RealTensor>:$accumulator);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = [{
    $grad `,` $operand (`accumulate` $accumulator^ `:` type($accumulator))?
    `:` type($grad) `,` type($operand) `->` type($result) attr-dict
  }];
  let hasVerifier = 1;
}

def Seq_AttentionOp : Seq_Op<"attention", [Pure,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["mixesRows", "getOperandName", "getMatmulKind", "getFlops"]>,
    DeclareOpInterfaceMethods<Seq_DifferentiableOpInterface>, DeclareOpInterfaceMethods<Seq_DecodableOpInterface>,
    DeclareOpInterfaceMethods<Seq_DocumentsOpInterface>, AttrSizedOperandSegments]> {
  let summary = "softmax attention with grouped key/value heads";
  let description = [{
    `q` is `[batch, time, heads * head_dim]`, `k` `[batch, time, kv_heads * head_dim]`, `v`
    `[batch, time, kv_heads * value_dim]`, `out` `[batch, time, heads * value_dim]`; query head `h`
    reads key/value head `h / (heads / kv_heads)`. `lse` is the log-sum-exp of the scores,
    `[batch, heads, time]`, kept for the gradient; f32 where the others are bf16.

    With `positions`, `[batch, time]`, a sequence holds packed documents: a token is at its position in its
    document, and sees that document alone. `starts` says the same in another way, for devices that
    want it so: the number of the first token of each document, over all tokens of the batch, then the number of
    tokens up to its end.

    With `window`, a token sees itself and so many tokens less one before it; only where it is `causal`.

    With `alibi`, `2^(-8 (h + 1) / heads)` times the distance of query and key is taken from the scores of head `h`
    (O. Press et al., arXiv 2108.12409); only where it is `causal`.

    With `cap`, a score is `cap * tanh(score / cap)`, before distances are taken from it (Gemma 2, arXiv 2408.00118).

    With `decay`, `[batch, time, heads]`, the sum of a head's numbers of the tokens behind the key, up to the query, is
    added to the score, as distances are taken from it (the Forgetting Transformer, arXiv 2503.02130); only where it is
    `causal`. It is f32 where the others are bf16.

    With `bias`, `[heads, reach]`, the score of head `h` gets `bias[h, min(d, reach - 1)]`, where the query is `d`
    tokens behind the key, as distances are taken from it (T5, arXiv 1910.10683; KERPLE, arXiv 2205.09921); only where
    it is `causal`. It is f32 where the others are bf16.

    With `sinks`, `[heads]`, the softmax of head `h` has `exp(sinks[h])` in its sum besides, for no value (gpt-oss,
    arXiv 2508.10925). `lse` has it, too, so that gradients of q, k and v are as without; `share`,
    `[batch, time, heads]`, is its part of the sum, which the gradient of the sinks is made of.

    ```mlir
    %o, %lse = seq.attention %q, %k, %v heads 4 kv_heads 2 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
    %p, %sums = seq.attention %q, %k, %u positions %at : tensor<2x8xi32> heads 4 kv_heads 2 scale 0.5 causal window 3 : tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x8x12xf32> -> tensor<2x8x24xf32>, tensor<2x4x8xf32>
    %r, %all, %share = seq.attention %q, %k, %v sinks %s : tensor<4xf32> heads 4 kv_heads 2 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>, tensor<2x8x4xf32>
    %f, %sum = seq.attention %q, %k, %v decay %d : tensor<2x8x4xf32> heads 4 kv_heads 2 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
    %n, %own = seq.attention %q, %k, %v bias %b : tensor<4x6xf32> heads 4 kv_heads 2 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32> -> tensor<2x8x16xf32>, tensor<2x4x8xf32>
    ```
  }];
  let arguments = (ins Seq_StoredTensor:$q, Seq_StoredTensor:$k, Seq_StoredTensor:$v, Optional<Seq_RealTensor>:$sinks,
                       Optional<Seq_RealTensor>:$decay, Optional<Seq_RealTensor>:$bias,
                       Optional<Seq_TokenTensor>:$positions, Optional<Seq_TokenTensor>:$starts, I64Attr:$heads,
                       I64Attr:$kv_heads, F64Attr:$scale, UnitAttr:$causal,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$window, UnitAttr:$alibi,
                       OptionalAttr<F64Attr>:$cap);
  let results = (outs Seq_StoredTensor:$out, Seq_RealTensor:$lse, Optional<Seq_RealTensor>:$share);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`sinks` $sinks^ `:` type($sinks))? (`decay` $decay^ `:` type($decay))?
    (`bias` $bias^ `:` type($bias))? (`positions` $positions^ `:` type($positions))?
    (`starts` $starts^ `:` type($starts))? `heads` $heads `kv_heads` $kv_heads `scale` $scale (`causal` $causal^)?
    (`window` $window^)? (`alibi` $alibi^)? (`cap` $cap^)?
    `:` type($q) `,` type($k) `,` type($v) `->` type($out) `,` type($lse) (`,` type($share)^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Seq_AttentionGradOp : Seq_Op<"attention_grad", [Pure,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["mixesRows", "getMatmulKind", "getFlops"]>,
    AttrSizedOperandSegments, AttrSizedResultSegments, AllTypesMatch<["q", "dq"]>, AllTypesMatch<["k", "dk"]>,
    AllTypesMatch<["v", "dv"]>, AllTypesMatch<["out", "grad"]>]> {
  let summary = "the gradients of seq.attention";
  let description = [{
    `decay`, `bias`, `positions`, `starts`, `window`, `alibi` and `cap` as there; a decay and a bias have gradients,
    too, in this order. With sinks, `out` and `lse` are those with them.

    ```mlir
    %dq, %dk, %dv = seq.attention_grad %do, %q, %k, %v, %o, %lse heads 4 kv_heads 2 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>, tensor<2x8x16xf32>, tensor<2x4x8xf32>
    %eq, %ek, %ev, %ed = seq.attention_grad %do, %q, %k, %v, %o, %lse decay %d : tensor<2x8x4xf32> -> tensor<2x8x4xf32> heads 4 kv_heads 2 scale 0.5 causal : tensor<2x8x16xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>, tensor<2x8x16xf32>, tensor<2x4x8xf32>
    ```
  }];
  let arguments = (ins Seq_StoredTensor:$grad, Seq_StoredTensor:$q, Seq_StoredTensor:$k, Seq_StoredTensor:$v,
                       Seq_StoredTensor:$out, Seq_RealTensor:$lse, Optional<Seq_RealTensor>:$decay,
                       Optional<Seq_RealTensor>:$bias, Optional<Seq_TokenTensor>:$positions,
                       Optional<Seq_TokenTensor>:$starts, I64Attr:$heads, I64Attr:$kv_heads, F64Attr:$scale,
                       UnitAttr:$causal,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$window, UnitAttr:$alibi,
                       OptionalAttr<F64Attr>:$cap);
  let results = (outs Seq_StoredTensor:$dq, Seq_StoredTensor:$dk, Seq_StoredTensor:$dv,
                      Optional<Seq_RealTensor>:$ddecay, Optional<Seq_RealTensor>:$dbias);
  let assemblyFormat = [{
    $grad `,` $q `,` $k `,` $v `,` $out `,` $lse (`decay` $decay^ `:` type($decay) `->` type($ddecay))?
    (`bias` $bias^ `:` type($bias) `->` type($dbias))? (`positions` $positions^ `:` type($positions))?
    (`starts` $starts^ `:` type($starts))? `heads` $heads `kv_heads` $kv_heads `scale` $scale (`causal` $causal^)?
    (`window` $window^)? (`alibi` $alibi^)? (`cap` $cap^)?
    `:` type($q) `,` type($k) `,` type($v) `,` type($out) `,` type($lse) attr-dict
  }];
  let hasVerifier = 1;
}

def Seq_PositionsOp : Seq_Op<"positions", [Pure, DeclareOpInterfaceMethods<Seq_DecodableOpInterface>,
    DeclareOpInterfaceMethods<Seq_DocumentsOpInterface>]> {
  let summary = "where each token stands in its sequence";
  let description = [{
    0, 1, 2, ..., `[batch, time]`; with masked documents, in its document. For a table with a row for each position
    (`seq.embed`): learned positions. Entries get them as an input (`seq-give-positions`, `seq-mask-documents`).

    ```mlir
    %p = seq.positions : tensor<2x8xi32>
    ```
  }];
  let results = (outs Seq_TokenTensor:$result);
  let assemblyFormat = "`:` type($result) attr-dict";
  let hasVerifier = 1;
}

def Seq_EmbedOp : Seq_Op<"embed", [Pure,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["getBytesRead", "getProfileGroup"]>,
    DeclareOpInterfaceMethods<Seq_DifferentiableOpInterface>]> {
  let summary = "rows of a table chosen by tokens";
  let description = [{
    ```mlir
    %x = seq.embed %tokens, %table : tensor<2x8xi32>, tensor<512x16xf32> -> tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Seq_TokenTensor:$tokens, Seq_StoredTensor:$table);
  let results = (outs Seq_StoredTensor:$result);
  let assemblyFormat = "$tokens `,` $table `:` type($tokens) `,` type($table) `->` type($result) attr-dict";
  let hasVerifier = 1;
}

def Seq_EmbedGradOp : Seq_Op<"embed_grad", [Pure,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["getAccumulatorSlot", "getFlops", "getProfileGroup"]>]> {
  let summary = "the gradient of seq.embed with respect to its table";
  let description = [{
    Sums the rows of `grad` of each token in the order of positions; with `accumulate`, adds to that value, whose
    buffer the result takes over (a table tied to the head). The result is f32 where `grad` is bf16.

    ```mlir
    %dt = seq.embed_grad %tokens, %dx : tensor<2x8xi32>, tensor<2x8x16xf32> -> tensor<512x16xf32>
    ```
  }];
  let arguments = (ins Seq_TokenTensor:$tokens, Seq_StoredTensor:$grad, Optional<Seq_RealTensor>:$accumulator);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = [{
    $tokens `,` $grad (`accumulate` $accumulator^ `:` type($accumulator))?
    `:` type($tokens) `,` type($grad) `->` type($result) attr-dict
  }];
  let hasVerifier = 1;
}

def Seq_CrossEntropyOp : Seq_Op<"cross_entropy", [Pure, AllTypesMatch<["logits", "dlogits"]>,
                                                AllTypesMatch<["weights", "loss"]>]> {
  let summary = "weighted loss of the targets, with the gradient of the logits";
  let description = [{
    `loss = weights * (n + nll_square * n^2 + z_loss * z^2)` at each position, where `z = log sum exp(logits)` and
    `n = z - logits[target]` is the negative log-likelihood of the target; a term without a coefficient is left out.
    `dlogits` is the gradient of the sum of all losses. With `p = softmax(logits)`, and `e` one at the target and zero
    elsewhere, it is `weights * ((1 + 2 nll_square n) (p - e) + 2 z_loss z p)`. Decomposed into row operations.

    ```mlir
    %loss, %dlogits = seq.cross_entropy %logits, %targets, %weights : tensor<2x8x64xf32>, tensor<2x8xi32>, tensor<2x8xf32>
    %all, %dall = seq.cross_entropy %logits, %targets, %weights nll_square 1.0e-4 z_loss 1.0e-4 : tensor<2x8x64xf32>, tensor<2x8xi32>, tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$logits, Seq_TokenTensor:$targets, Seq_RealTensor:$weights,
                       OptionalAttr<F64Attr>:$nll_square, OptionalAttr<F64Attr>:$z_loss);
  let results = (outs Seq_RealTensor:$loss, Seq_RealTensor:$dlogits);
  let assemblyFormat = [{
    $logits `,` $targets `,` $weights (`nll_square` $nll_square^)? (`z_loss` $z_loss^)?
    `:` type($logits) `,` type($targets) `,` type($weights) attr-dict
  }];
  let hasVerifier = 1;
}

def Seq_TokenLossOp : Seq_Op<"token_loss", [Pure]> {
  let summary = "negative log-likelihood of the next token";
  let description = [{
    `log sum exp(logits) - logits[target]` at each position, a number for what a model adds to its loss. A model has no
    targets: `seq-add-loss` gives those of the entry. Decomposed into row operations, as which it is differentiated.

    ```mlir
    %n = seq.token_loss %logits : tensor<2x8x64xf32> -> tensor<2x8x1xf32>
    %m = seq.token_loss %logits of %targets : tensor<2x8x64xf32>, tensor<2x8xi32> -> tensor<2x8x1xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$logits, Optional<Seq_TokenTensor>:$targets);
  let results = (outs Seq_RealTensor:$nll);
  let assemblyFormat = [{
    $logits (`of` $targets^)? `:` type($logits) (`,` type($targets)^)? `->` type($nll) attr-dict
  }];
  let hasVerifier = 1;
}

def Seq_PredictOp : Seq_Op<"predict", [Pure, AllTypesMatch<["targets", "predicted"]>]> {
  let summary = "negative log-likelihood of the targets and the most likely token of each position";
  let description = [{
    Used by the evaluation step. Ties go to the smallest token. Decomposed into row operations.

    ```mlir
    %nll, %predicted = seq.predict %logits, %targets : tensor<2x8x64xf32>, tensor<2x8xi32> -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$logits, Seq_TokenTensor:$targets);
  let results = (outs Seq_RealTensor:$nll, Seq_TokenTensor:$predicted);
  let assemblyFormat = [{
    $logits `,` $targets `:` type($logits) `,` type($targets) `->` type($nll) attr-dict
  }];
  let hasVerifier = 1;
}

#endif
