// Tile programs: kernels that go over the chunks of a sequence in order and compute on tiles, tensors that a block of
// threads holds. Their bodies consist of elementwise operations of `arith` and `math`, constants, `seq.broadcast`,
// `seq.reduce`, `seq.column_index` and the operations on tiles below.
#ifndef STRETTO_IR_KERN_KERNWALKOPS_TD
#define STRETTO_IR_KERN_KERNWALKOPS_TD

include "ir/kern/KernDialect.td"

def Kern_Tile : Stretto_TensorOf<[F32, F64, BF16]>;

def Kern_WindowKind : I32EnumAttr<"WindowKind", "what a tile is a part of", [
  I32EnumAttrCase<"rows", 0>, I32EnumAttrCase<"shared", 1>, I32EnumAttrCase<"states", 2>,
  I32EnumAttrCase<"ends", 3>]> {
  let cppNamespace = "::stretto::kern";
  let genSpecializedAttr = 0;
}

def Kern_WindowAttr : AttrDef<Kern_Dialect, "Window"> {
  let mnemonic = "window";
  let summary = "which part of a value a program of a walk has as a tile";
  let description = [{
    The columns are cut into `parts` of one width; program `p` of `n` has part `p * parts / n`.

    * `rows`: of `[batch, time, columns]` or `[batch, time]` the rows of the chunk and the columns of the part.
    * `shared`: of `[columns]` the columns of the part, for each chunk the same.
    * `states`: of `[batch, heads, entries, rows * columns]` one matrix, cut by columns into `parts / heads` parts of
      `width` columns; chunk `c` has entry `c / every` and, where it is a result, stores it if `every` divides `c`.
    * `ends`, of results: the same, but stored by the last chunk of those that have an entry.

    A part of one column is a tile without that dimension. A tile may be larger than what it is a part of: behind the
    last row of a sequence, and behind the rows and columns of the part, zeros are read and nothing is stored.

    ```mlir
    #kern.window<states 4 width 16 every 4>
    ```
  }];
  let parameters = (ins EnumParameter<Kern_WindowKind>:$kind, "int64_t":$parts,
                        DefaultValuedParameter<"int64_t", "0">:$width, DefaultValuedParameter<"int64_t", "1">:$every);
  let assemblyFormat = "`<` $kind $parts (`width` $width^)? (`every` $every^)? `>`";
  let genVerifyDecl = 1;
}
def Kern_WindowArray : TypedArrayAttrBase<Kern_WindowAttr, "windows">;

def Kern_WalkOp : Kern_Op<"walk", [Pure, IsolatedFromAbove, SingleBlock, AttrSizedOperandSegments,
    Kern_KernelOpInterface,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["mixesRows", "getMatmulKind", "getProfileGroup", "getFlops"]>]> {
  let summary = "programs that go over the chunks of sequences and carry tiles";
  let description = [{
    For each sequence there are `programs`, side by side. Each goes over chunks of `chunk` rows in order, with `reverse`
    from the last to the first; `span` chunks of a sequence make a walk of their own. The body computes one chunk: its
    first arguments are tiles of the inputs, as the windows say, the others what is carried; it yields the tiles of the
    results and what is carried on. What is carried is zero before the first chunk of a span, or the tiles of `initial`,
    one for each, at that chunk; their windows follow those of the inputs.

    Values with rows say how long sequences are. Where there are none, the first value of states does: it has an entry
    for each `every` chunks.

    No two programs write the same part of a result. `gradient` tells profiles what the matmuls are for. With
    `shared_state` what is carried lies in the shared memory of a block, else in registers. `held` is an estimate of how
    many registers of a thread hold tiles where they are most.

    ```mlir
    %y, %sums = kern.walk (%x) windows [<rows 2>] -> [<rows 2>, <states 2 width 16 every 4>] programs 2 chunk 16 span 4 {
    ^bb0(%rows: tensor<16x16xf32>, %sum: tensor<16x16xf32>):
      %0 = arith.addf %rows, %sum : tensor<16x16xf32>
      kern.yield %0, %sum, %0 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    } : (tensor<3x64x32xf32>) -> (tensor<3x64x32xf32>, tensor<3x2x1x256xf32>)
    ```
  }];
  let arguments = (ins Variadic<Kern_Tensor>:$inputs, Variadic<Kern_Tensor>:$initial, Kern_WindowArray:$windows,
                       Kern_WindowArray:$result_windows, I64Attr:$programs, I64Attr:$chunk, I64Attr:$span,
                       UnitAttr:$reverse, UnitAttr:$gradient, UnitAttr:$shared_state, OptionalAttr<I64Attr>:$held,
                       OptionalAttr<StrAttr>:$kernel, OptionalAttr<Kern_ResourcesAttr>:$resources);
  let results = (outs Variadic<Kern_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`kernel` $kernel^)? `(` $inputs `)` (`from` `(` $initial^ `)`)? `windows` custom<Windows>($windows) `->`
    custom<Windows>($result_windows) `programs` $programs `chunk` $chunk `span` $span (`reverse` $reverse^)?
    (`gradient` $gradient^)? (`shared_state` $shared_state^)? (`held` $held^)? (`resources` $resources^)?
    $body attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    YieldOp getYield();
    /// Tiles that go from chunk to chunk: the last arguments of the body.
    ::mlir::ValueRange getCarried() { return getBody().getArguments().drop_front(getInputs().size()); }
    /// Of an operand: an input, or behind them one of `initial`.
    WindowAttr getWindow(unsigned operand) { return ::llvm::cast<WindowAttr>(getWindows()[operand]); }
    WindowAttr getResultWindow(unsigned result) { return ::llvm::cast<WindowAttr>(getResultWindows()[result]); }
    /// Batch and time: of the values that have rows, else of those that the first value of states has entries for.
    std::pair<int64_t, int64_t> getRows();
    /// Chunks of a sequence, and walks over them.
    int64_t getChunks() { return ::llvm::divideCeil(getRows().second, getChunk()); }
    int64_t getSpans() { return ::llvm::divideCeil(getChunks(), getSpan()); }
  }];
}

def Kern_TileMatmulOp : Kern_Op<"tile_matmul", [Pure]> {
  let summary = "the matmul of two tiles";
  let description = [{
    `a b`, either of them transposed. Of bf16 the products are exact and added up in f32.

    ```mlir
    %c = kern.tile_matmul %a, %b transpose_b : tensor<16x32xbf16>, tensor<16x32xbf16> -> tensor<16x16xf32>
    ```
  }];
  let arguments = (ins Kern_Tile:$a, Kern_Tile:$b, UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Kern_Real:$result);
  let assemblyFormat = [{
    $a `,` $b (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)? `:` type($a) `,` type($b) `->` type($result)
    attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Terms of each sum.
    int64_t getDepth();
  }];
}

def Kern_PrefixSumOp : Kern_Op<"prefix_sum", [Pure, SameOperandsAndResultType]> {
  let summary = "sums over the rows of a tile up to each row";
  let description = [{
    The first dimension is cut into blocks of `rows`; row `i` becomes the sum of the rows of its block up to its own,
    with `exclusive` without it; with `reverse` of those from it on. Added one by one.

    ```mlir
    %s = kern.prefix_sum %x rows 64 : tensor<64xf32>
    ```
  }];
  let arguments = (ins Kern_Real:$operand, I64Attr:$rows, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Kern_Real:$result);
  let assemblyFormat = [{
    $operand `rows` $rows (`exclusive` $exclusive^)? (`reverse` $reverse^)? `:` type($result) attr-dict
  }];
  let hasVerifier = 1;
}

def Kern_UnitSolveOp : Kern_Op<"unit_solve", [Pure, AllTypesMatch<["right", "result"]>]> {
  let summary = "solves a unit lower triangular system";
  let description = [{
    X of `(I + strict(M)) X = right`, where strict(M) is what lies below the diagonal of `matrix`; with `transpose` of
    `(I + strict(M))^T X = right`.

    ```mlir
    %x = kern.unit_solve %m, %y : tensor<64x64xf32>, tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Kern_Real:$matrix, Kern_Real:$right, UnitAttr:$transpose);
  let results = (outs Kern_Real:$result);
  let assemblyFormat = "$matrix `,` $right (`transpose` $transpose^)? `:` type($matrix) `,` type($right) attr-dict";
  let hasVerifier = 1;
}

def Kern_ProgramIndexOp : Kern_Op<"program_index", [Pure]> {
  let summary = "which of the programs of a walk this is";
  let description = [{
    A number from 0 to `programs - 1`.

    ```mlir
    %p = kern.program_index : tensor<f32>
    ```
  }];
  let results = (outs Kern_Real:$result);
  let assemblyFormat = "`:` type($result) attr-dict";
  let hasVerifier = 1;
}

def Kern_UnitInverseOp : Kern_Op<"unit_inverse", [Pure, SameOperandsAndResultType]> {
  let summary = "inverts a unit lower triangular matrix";
  let description = [{
    `(I + strict(M))^-1`, where strict(M) is what lies below the diagonal of the operand. Device code is for f32:
    squares of 16 x 16 on the diagonal are inverted in f32, what is below them is made by matmuls of factors rounded to
    tf32.

    ```mlir
    %t = kern.unit_inverse %m : tensor<64x64xf32>
    ```
  }];
  let arguments = (ins Kern_Real:$operand);
  let results = (outs Kern_Real:$result);
  let assemblyFormat = "$operand `:` type($result) attr-dict";
  let hasVerifier = 1;
}

def Kern_TileRowOp : Kern_Op<"tile_row", [Pure]> {
  let summary = "one row of a tile";
  let description = [{
    ```mlir
    %last = kern.tile_row %x[63] : tensor<64x32xf32> -> tensor<32xf32>
    ```
  }];
  let arguments = (ins Kern_Real:$operand, I64Attr:$row);
  let results = (outs Kern_Real:$result);
  let assemblyFormat = "$operand `[` $row `]` `:` type($operand) `->` type($result) attr-dict";
  let hasVerifier = 1;
}

def Kern_TileSumOp : Kern_Op<"tile_sum", [Pure]> {
  let summary = "the sum of the rows of a tile";
  let description = [{
    ```mlir
    %s = kern.tile_sum %x : tensor<64x32xf32> -> tensor<32xf32>
    ```
  }];
  let arguments = (ins Kern_Real:$operand);
  let results = (outs Kern_Real:$result);
  let assemblyFormat = "$operand `:` type($operand) `->` type($result) attr-dict";
  let hasVerifier = 1;
}

#endif
