// Linear mixers: recurrences over a matrix-valued state for each head. What they have in common is said at seq.mixer.
#ifndef STRETTO_IR_SEQ_SEQMIXEROPS_TD
#define STRETTO_IR_SEQ_SEQMIXEROPS_TD

include "ir/seq/SeqDialect.td"

class Seq_MixerBase<string mnemonic, list<string> library, list<Trait> traits>
    : Seq_Op<mnemonic, [Pure, AttrSizedOperandSegments,
          DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["mixesRows", "getOperandName"] # library>] # traits> {
  code helpers = [{
    /// Key columns of a head, and value columns.
    int64_t getKeyColumns() { return columnsOf(getK()) / static_cast<int64_t>(getKeyHeads()); }
    int64_t getValueColumns() { return columnsOf(getV()) / static_cast<int64_t>(getHeads()); }
    /// Whether there is a decay for each key channel, not for each head alone.
    bool decaysByChannel() { return getDecay() && columnsOf(getDecay()) != static_cast<int64_t>(getHeads()); }
    /// Whether something is erased before it is written: the delta rule.
    bool erases() { return getBeta() || getErase(); }
    /// Neighbouring heads that `dq` and `dk` of the gradient have one part for, as is said there.
    int64_t getHeadsOfPart() {
      constexpr int64_t together = 16, mostNumbers = 128;
      bool isNarrow = getKeyColumns() * getValueColumns() <= mostNumbers;
      return isNarrow && getHeads() / getKeyHeads() % together == 0 ? together : 1;
    }
    /// The columns of these parts.
    int64_t getPartColumns() { return static_cast<int64_t>(getHeads()) / getHeadsOfPart() * getKeyColumns(); }
  }];
  let extraClassDeclaration = helpers;
  let hasVerifier = 1;
}

def Seq_MixerOp : Seq_MixerBase<"mixer", ["getMatmulKind", "getFlops", "getResultName"],
    [DeclareOpInterfaceMethods<Seq_DifferentiableOpInterface, ["saveForBackward"]>,
     DeclareOpInterfaceMethods<Seq_DecodableOpInterface>, DeclareOpInterfaceMethods<Seq_DocumentsOpInterface>,
     AllTypesMatch<["q", "k"]>, AllTypesMatch<["v", "out"]>]> {
  let summary = "a linear mixer: linear attention with decay and delta rule";
  let description = [{
    Per head with the state `S`, `[dk, dv]` and zero before the first token, at each token:

    ```
    D = exp(decay) * S                        row d of S times exp(decay[d])
    e = D^T erase      (read_before: S^T erase)
    S = D + k (write * v)^T - erase_write e^T
    out = scale * S^T q
    ```

    `q` and `k` are `[batch, time, key_heads * dk]`, `v` and `out` `[batch, time, heads * dv]`; head `h` reads key head
    `h / (heads / key_heads)`. `decay` is the natural logarithm of what stays, at most 0: `[batch, time, heads]`, or
    `heads * dk` columns for one of each key channel; without batch and time it is the same at each token. `write` is
    `[batch, time, heads]`. `erase` and `erase_write` are `[batch, time, heads * dk]`; `erase_write` is `k` where it is
    not given. `beta`, `[batch, time, heads]`, is the delta rule: `write = beta`, `erase = beta * k`. What is not given
    is left out: no decay, all of `v`, nothing erased.

    With `positions`, `[batch, time]`, the state is zero before each token at position 0: documents do not see each
    other.

    With `exact`, all rows are f32 also where activations are bf16: `kern-round-activations` says so of mixers whose
    result is an angle.

    `states`, `[batch, heads, ceil(time / segment), dk * dv]`, is the state before each segment of that many tokens,
    which the gradient starts from; `seq-choose-segments` chooses how many. Nothing else depends on it. A mixer whose
    states nothing reads has none.

    ```mlir
    %o = seq.mixer %q, %k, %v decay %g : tensor<2x8x4xf32> beta %b : tensor<2x8x4xf32> heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x8x16xf32>, tensor<2x8x32xf32>
    %p, %states = seq.mixer %q, %k, %v heads 4 key_heads 4 scale 0.5 segment 64 : tensor<2x8x16xf32>, tensor<2x8x32xf32> -> tensor<2x4x1x32xf32>
    ```
  }];
  let arguments = (ins Seq_StoredTensor:$q, Seq_StoredTensor:$k, Seq_StoredTensor:$v, Optional<Seq_RealTensor>:$decay,
                       Optional<Seq_RealTensor>:$write, Optional<Seq_RealTensor>:$beta,
                       Optional<Seq_StoredTensor>:$erase, Optional<Seq_StoredTensor>:$erase_write,
                       Optional<Seq_TokenTensor>:$positions, I64Attr:$heads, I64Attr:$key_heads, F64Attr:$scale,
                       I64Attr:$segment, UnitAttr:$read_before, UnitAttr:$exact);
  let results = (outs Seq_StoredTensor:$out, Optional<Seq_RealTensor>:$states);
  let extraClassDeclaration = helpers # [{
    /// What every segment is a multiple of: chunks of all targets divide it.
    static constexpr int64_t segmentMultiple = 64;
    /// The type that states have with segments of that many tokens.
    ::mlir::RankedTensorType getStatesType(int64_t segment);
  }];
  let assemblyFormat = [{
    $q `,` $k `,` $v (`decay` $decay^ `:` type($decay))? (`write` $write^ `:` type($write))?
    (`beta` $beta^ `:` type($beta))? (`erase` $erase^ `:` type($erase))?
    (`erase_write` $erase_write^ `:` type($erase_write))? (`positions` $positions^ `:` type($positions))?
    `heads` $heads `key_heads` $key_heads `scale` $scale `segment` $segment (`read_before` $read_before^)?
    (`exact` $exact^)? `:` type($q) `,` type($v) (`->` type($states)^)? attr-dict
  }];
  let hasCanonicalizer = 1;
}

def Seq_MixerGradOp : Seq_MixerBase<"mixer_grad", ["getMatmulKind", "getFlops", "getResultName"],
    [AttrSizedResultSegments, AllTypesMatch<["q", "k"]>, AllTypesMatch<["v", "grad", "dv"]>,
     AllTypesMatch<["dq", "dk"]>]> {
  let summary = "the gradients of seq.mixer";
  let description = [{
    One for each operand that is given. `dq` and `dk` have a part for each head, `[batch, time, heads * dk]`: those of
    the heads of a key head are still to be added up. Where key heads have a multiple of 16 heads, with states of at
    most 128 numbers, there is a part for each 16 heads, `[batch, time, heads / 16 * dk]`: kernels for such heads
    compute as many side by side. `ddecay` is by token also where the decay is not.

    ```mlir
    %dq, %dk, %dv, %dg = seq.mixer_grad %do, %q, %k, %v decay %g : tensor<2x8x4xf32> states %s heads 4 key_heads 2 scale 0.5 segment 64 : tensor<2x8x8xf32>, tensor<2x8x32xf32>, tensor<2x4x1x32xf32> -> tensor<2x8x16xf32> decay tensor<2x8x4xf32>
    ```
  }];
  let arguments = (ins Seq_StoredTensor:$grad, Seq_StoredTensor:$q, Seq_StoredTensor:$k, Seq_StoredTensor:$v,
                       Optional<Seq_RealTensor>:$decay, Optional<Seq_RealTensor>:$write,
                       Optional<Seq_RealTensor>:$beta, Optional<Seq_StoredTensor>:$erase,
                       Optional<Seq_StoredTensor>:$erase_write, Optional<Seq_TokenTensor>:$positions,
                       Seq_RealTensor:$states, I64Attr:$heads, I64Attr:$key_heads, F64Attr:$scale, I64Attr:$segment,
                       UnitAttr:$read_before, UnitAttr:$exact);
  let results = (outs Seq_StoredTensor:$dq, Seq_StoredTensor:$dk, Seq_StoredTensor:$dv,
                      Optional<Seq_RealTensor>:$ddecay, Optional<Seq_RealTensor>:$dwrite,
                      Optional<Seq_RealTensor>:$dbeta, Optional<Seq_StoredTensor>:$derase,
                      Optional<Seq_StoredTensor>:$derase_write);
  let assemblyFormat = [{
    $grad `,` $q `,` $k `,` $v (`decay` $decay^ `:` type($decay))? (`write` $write^ `:` type($write))?
    (`beta` $beta^ `:` type($beta))? (`erase` $erase^ `:` type($erase))?
    (`erase_write` $erase_write^ `:` type($erase_write))? (`positions` $positions^ `:` type($positions))?
    `states` $states `heads` $heads `key_heads` $key_heads `scale` $scale `segment` $segment
    (`read_before` $read_before^)? (`exact` $exact^)? `:` type($q) `,` type($v) `,` type($states) `->` type($dq)
    (`decay` type($ddecay)^)? (`write` type($dwrite)^)? (`beta` type($dbeta)^)? (`erase` type($derase)^)?
    (`erase_write` type($derase_write)^)? attr-dict
  }];
}

def Seq_MixerStepOp : Seq_MixerBase<"mixer_step", ["getUpdatedOperand"],
    [AllTypesMatch<["q", "k"]>, AllTypesMatch<["v", "out"]>, AllTypesMatch<["state", "next"]>]> {
  let summary = "seq.mixer a few tokens on in each sequence, from a state that is kept";
  let description = [{
    Operands are rows of the tokens of one call, `[batch, rows, columns]`. `state` is a cache, `[batch, heads * dk,
    dv]`, whose memory `next` takes over: the state behind the last valid row of each sequence. It counts as zero where
    the first row of a call is at position 0, and stays as it is where no row is valid. Rows that are not valid give
    zeros.

    ```mlir
    %o, %next = seq.mixer_step %q, %k, %v decay %g : tensor<2x3x4xf32> state %s at %positions valid %counts heads 4 key_heads 4 scale 0.5 : tensor<2x3x16xf32>, tensor<2x3x32xf32>, tensor<2x16x8xf32>, tensor<2x3xi32>, tensor<2xi32>
    ```
  }];
  let arguments = (ins Seq_StoredTensor:$q, Seq_StoredTensor:$k, Seq_StoredTensor:$v, Seq_RealTensor:$state,
                       Seq_TokenTensor:$positions, Seq_TokenTensor:$counts, Optional<Seq_RealTensor>:$decay,
                       Optional<Seq_RealTensor>:$write, Optional<Seq_RealTensor>:$beta,
                       Optional<Seq_StoredTensor>:$erase, Optional<Seq_StoredTensor>:$erase_write, I64Attr:$heads,
                       I64Attr:$key_heads, F64Attr:$scale, UnitAttr:$read_before, UnitAttr:$exact);
  let results = (outs Seq_StoredTensor:$out, Seq_RealTensor:$next);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`decay` $decay^ `:` type($decay))? (`write` $write^ `:` type($write))?
    (`beta` $beta^ `:` type($beta))? (`erase` $erase^ `:` type($erase))?
    (`erase_write` $erase_write^ `:` type($erase_write))? `state` $state `at` $positions `valid` $counts
    `heads` $heads `key_heads` $key_heads `scale` $scale (`read_before` $read_before^)? (`exact` $exact^)?
    `:` type($q) `,` type($v) `,` type($state) `,` type($positions) `,` type($counts) attr-dict
  }];
}

#endif
