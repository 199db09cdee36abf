// What a decode entry adds (seq-add-decode): caches hold rows of earlier positions from one call to the next.
// `positions` says where each row of a call stands in its sequence, `counts` how many rows of each sequence are valid:
// the first ones.
#ifndef STRETTO_IR_SEQ_SEQDECODEOPS_TD
#define STRETTO_IR_SEQ_SEQDECODEOPS_TD

include "ir/seq/SeqDialect.td"

def Seq_CacheOp : Seq_Op<"cache", [Symbol]> {
  let summary = "memory for rows of earlier positions";
  let description = [{
    Declares `[batch, capacity, columns]` that keeps its content between calls of the program's entries: the row of
    position `p` lies at `p mod capacity`. A `stacked` cache has a leading dimension that counts the iterations of a
    `seq.scan`.

    ```mlir
    seq.cache @keys stacked : tensor<4x2x64x16xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Seq_StoredTensor>:$type, UnitAttr:$stacked);
  let assemblyFormat = "$sym_name (`stacked` $stacked^)? `:` $type attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() { return ::llvm::cast<::mlir::RankedTensorType>(getType()); }
  }];
}

def Seq_GetCacheOp : Seq_Op<"get_cache", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Seq_AliasOpInterface>]> {
  let summary = "the content of a cache";
  let description = [{
    ```mlir
    seq.cache @keys : tensor<2x64x16xf32>
    %k = seq.get_cache @keys : tensor<2x64x16xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$cache);
  let results = (outs Seq_StoredTensor:$result);
  let assemblyFormat = "$cache `:` type($result) attr-dict";
  let extraClassDefinition = [{
    ::stretto::seq::Alias $cppClass::getAlias() { return ::stretto::seq::Alias::reserved; }
  }];
}

def Seq_WriteCacheOp : Seq_Op<"write_cache", [Pure,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface,
                              ["mixesRows", "onlyMoves", "getUpdatedOperand", "getProfileGroup"]>,
    AllTypesMatch<["cache", "result"]>]> {
  let summary = "a cache with rows added";
  let description = [{
    The valid rows are stored at their positions. The result takes over the memory of the cache, which nothing may read
    any more; nothing but the rows is moved.

    ```mlir
    %new = seq.write_cache %cache, %x at %positions valid %counts : (tensor<2x64x16xf32>, tensor<2x8x16xf32>, tensor<2x8xi32>, tensor<2xi32>) -> tensor<2x64x16xf32>
    ```
  }];
  let arguments = (ins Seq_StoredTensor:$cache, Seq_StoredTensor:$rows, Seq_TokenTensor:$positions,
                       Seq_TokenTensor:$counts);
  let results = (outs Seq_StoredTensor:$result);
  let assemblyFormat = [{
    $cache `,` $rows `at` $positions `valid` $counts attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Seq_ReadCacheOp : Seq_Op<"read_cache", [Pure,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["mixesRows", "onlyMoves", "getProfileGroup"]>]> {
  let summary = "the rows some steps before each position";
  let description = [{
    Row `(b, r)` of the result is the cached row of position `positions[b, r] - back`, zero where that is negative: what
    `seq.tap` by `-back` reads. The capacity must exceed `back` by the rows of the longest call.

    ```mlir
    %p = seq.read_cache %cache at %positions back 1 : (tensor<2x11x16xf32>, tensor<2x8xi32>) -> tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Seq_StoredTensor:$cache, Seq_TokenTensor:$positions, ConfinedAttr<I64Attr, [IntPositive]>:$back);
  let results = (outs Seq_StoredTensor:$result);
  let assemblyFormat = [{
    $cache `at` $positions `back` $back attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Seq_LastRowOp : Seq_Op<"last_row", [Pure,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["mixesRows", "onlyMoves", "getProfileGroup"]>]> {
  let summary = "the last valid row of each sequence";
  let description = [{
    The first row where none is valid.

    ```mlir
    %h = seq.last_row %x valid %counts : (tensor<2x8x16xf32>, tensor<2xi32>) -> tensor<2x1x16xf32>
    ```
  }];
  let arguments = (ins Seq_StoredTensor:$rows, Seq_TokenTensor:$counts);
  let results = (outs Seq_StoredTensor:$result);
  let assemblyFormat = [{
    $rows `valid` $counts attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Seq_AttentionStepOp : Seq_Op<"attention_step", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["mixesRows", "getProfileGroup"]>]> {
  let summary = "causal softmax attention over cached keys and values";
  let description = [{
    `q` is `[batch, rows, heads * head_dim]`; `k` and `v` are caches `[batch, capacity, kv_heads * head_dim]` and
    `[batch, capacity, kv_heads * value_dim]` in which the positions of the queries are written already; `out` is
    `[batch, rows, heads * value_dim]`. The query at position `p` sees keys `0 ... p`, with `window` the
    last so many of them; queries that are not valid give zeros. Heads, `sinks`, `bias`, `alibi` and `cap` are as in
    `seq.attention`; so is `decay`, a cache `[batch, capacity, heads]`. Without a window the capacity is that of all
    positions; with one, it holds at least those that the rows of a call see.

    ```mlir
    %o = seq.attention_step %q, %k, %v at %positions valid %counts heads 4 kv_heads 2 scale 0.5 : (tensor<2x8x16xf32>, tensor<2x64x8xf32>, tensor<2x64x8xf32>, tensor<2x8xi32>, tensor<2xi32>) -> tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Seq_StoredTensor:$q, Seq_StoredTensor:$k, Seq_StoredTensor:$v, Seq_TokenTensor:$positions,
                       Seq_TokenTensor:$counts, Optional<Seq_RealTensor>:$sinks, Optional<Seq_RealTensor>:$decay,
                       Optional<Seq_RealTensor>:$bias, I64Attr:$heads, I64Attr:$kv_heads, F64Attr:$scale,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$window, UnitAttr:$alibi,
                       OptionalAttr<F64Attr>:$cap);
  let results = (outs Seq_StoredTensor:$out);
  let assemblyFormat = [{
    $q `,` $k `,` $v `at` $positions `valid` $counts (`sinks` $sinks^)? (`decay` $decay^)? (`bias` $bias^)?
    `heads` $heads `kv_heads` $kv_heads `scale` $scale (`window` $window^)? (`alibi` $alibi^)? (`cap` $cap^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif
