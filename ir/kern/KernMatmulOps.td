// Matmuls with an epilogue of rows, their schedules, and weights that are packed for them.
#ifndef STRETTO_IR_KERN_KERNMATMULOPS_TD
#define STRETTO_IR_KERN_KERNMATMULOPS_TD

include "ir/kern/KernOps.td"

def Kern_WeightForm : I32EnumAttr<"WeightForm", "how the right operand of a matmul lies in memory", [
  I32EnumAttrCase<"rows", 0>, I32EnumAttrCase<"transposed", 1>, I32EnumAttrCase<"panels", 2>]> {
  let cppNamespace = "::stretto::kern";
  let genSpecializedAttr = 0;
}
def Kern_WeightFormAttr : EnumAttr<Kern_Dialect, Kern_WeightForm, "weight_form"> {
  let assemblyFormat = "`<` $value `>`";
}

def Kern_StripScheduleAttr : Kern_ScheduleAttr<"StripSchedule", "strip_schedule"> {
  let summary = "how a matmul with an epilogue walks its rows and columns";
  let description = [{
    The columns of the matmul are cut into `pieces` of one length, and these into strips of `strip` columns: strip `s`
    is the columns from `s * strip` on of each piece, which the epilogue may bring together. A chunk of `chunk` rows of
    one sequence and a strip are the unit of parallel work; chunks alone are the unit of the ordered partial sums. The
    matmul computes `block` rows of a strip at a time, 4096 at most, the epilogue `rows` of these, 32 at most, `lanes`
    columns at a time.

    ```mlir
    #kern.strip_schedule<pieces 2, strip 64, block 64, rows 8, lanes 16, chunk 512>
    ```
  }];
  let parameters = (ins "int64_t":$pieces, "int64_t":$strip, "int64_t":$block, "int64_t":$rows, "int64_t":$lanes,
                        "int64_t":$chunk);
  let assemblyFormat = [{
    `<` `pieces` $pieces `,` `strip` $strip `,` `block` $block `,` `rows` $rows `,` `lanes` $lanes `,`
    `chunk` $chunk `>`
  }];
}

def Kern_TileScheduleAttr : Kern_ScheduleAttr<"TileSchedule", "tile_schedule"> {
  let summary = "how a matmul on tensor cores is cut into tiles";
  let description = [{
    The columns of the matmul are cut into `pieces` of one length, and these into strips of `strip` columns, as
    `#kern.strip_schedule` says; the rows of all sequences, one behind the other, into runs of `run` rows, which a
    thread block computes in tiles of `tile_rows` rows and a strip of columns, one after the other. A strip and a run
    are an item; `blocks` thread blocks go over all items. Each `cluster` of them, 1 where nothing is said, go together
    over items of one strip, in runs side by side: each brings its rows, and a part of the strip's weight for all of
    them. The operands of a tile come through `stages` places in shared memory. Of the threads of `warps` warps, each
    group of `threads` computes the epilogue of a part of the tile's rows, and adds up ordered partial sums of its own:
    `rows` rows together, 32 at most, `lanes` neighbouring columns in a thread.

    ```mlir
    #kern.tile_schedule<run 2048, tile_rows 128, pieces 2, strip 128, stages 3, blocks 132, warps 3, threads 32, rows 2, lanes 4>
    ```
  }];
  let extraClassDeclaration = [{
    static constexpr int64_t warpThreads = 32, mostWarps = 32;
    /// Groups of threads of the epilogue.
    int64_t getGroups() const { return getWarps() * warpThreads / getThreads(); }
  }];
  let parameters = (ins "int64_t":$run, "int64_t":$tileRows, "int64_t":$pieces, "int64_t":$strip, "int64_t":$stages,
                        "int64_t":$blocks, "int64_t":$warps, "int64_t":$threads, "int64_t":$rows, "int64_t":$lanes,
                        DefaultValuedParameter<"int64_t", "1">:$cluster);
  let assemblyFormat = [{
    `<` `run` $run `,` `tile_rows` $tileRows `,` `pieces` $pieces `,` `strip` $strip `,` `stages` $stages `,`
    `blocks` $blocks `,` `warps` $warps `,` `threads` $threads `,` `rows` $rows `,` `lanes` $lanes
    (`,` `cluster` $cluster^)? `>`
  }];
}

def Kern_Factor : Stretto_TensorOf<[F32, F64, BF16]>;

def Kern_MatmulOp : Kern_Op<"matmul", [Pure, IsolatedFromAbove, SingleBlock, Kern_RowKernelInterface,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["getMatmulKind", "getProfileGroup", "getFlops"]>]> {
  let summary = "a matmul with row operations in its epilogue";
  let description = [{
    `lhs`, rows `[batch, time, k]`, times `rhs`: `[k, n]` as `rows`, `[n, k]` as `transposed`, or in the `panels` that
    `kern.pack` made of either. Argument 0 of the body is a row of the result, `n` columns, of f32 where the operands
    are bf16; the other ones are what `maps` says of the operands of the epilogue, as in `kern.rowwise`, and so are the
    rest of the body and the results.
    The matmul itself is stored where the body yields argument 0. `gradient` tells profiles what the matmul is for.

    ```mlir
    %p, %m = kern.matmul %x by %w as transposed epilogue(%g) maps [shared] {
    ^bb0(%row: tensor<16xf32>, %gain: tensor<16xf32>):
      %0 = seq.tap %row by -1 : tensor<16xf32>
      %1 = arith.mulf %0, %gain : tensor<16xf32>
      kern.yield %row, %1 : tensor<16xf32>, tensor<16xf32>
    } : (tensor<2x8x32xf32>, tensor<16x32xf32>, tensor<16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x16xf32>)
    ```
  }];
  let arguments = (ins Kern_Factor:$lhs, Kern_Factor:$rhs, Kern_WeightFormAttr:$form, Variadic<Kern_Tensor>:$inputs,
                       TypedArrayAttrBase<Kern_RowMapAttr, "row maps">:$maps, UnitAttr:$gradient,
                       UnitAttr:$partial_sums, OptionalAttr<StrAttr>:$kernel, OptionalAttr<Kern_AnySchedule>:$schedule,
                       OptionalAttr<Kern_ResourcesAttr>:$resources);
  let results = (outs Variadic<Kern_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`kernel` $kernel^)? $lhs `by` $rhs `as` custom<WeightForm>($form) `epilogue` `(` $inputs `)`
    `maps` custom<RowMaps>($maps)
    (`gradient` $gradient^)? (`schedule` $schedule^)? (`resources` $resources^)? (`partial_sums` $partial_sums^)? $body
    attr-dict `:` functional-type(operands, $results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The operand that an argument of the body is; null for argument 0, which the matmul computes.
    ::mlir::OpOperand *getOperandOf(unsigned argument) {
      return argument == 0 ? nullptr : &getOperation()->getOpOperand(argument + 1);
    }
    RowMap getMap(unsigned argument) {
      return argument == 0 ? RowMap::row : ::llvm::cast<RowMapAttr>(getMaps()[argument - 1]).getValue();
    }
    /// Batch and time of the left operand.
    std::pair<int64_t, int64_t> getRows();
    /// Terms of each sum.
    int64_t getDepth();
    /// Columns of the matmul.
    int64_t getColumns();
  }];
}

def Kern_PackOp : Kern_Op<"pack", [Pure, Kern_KernelOpInterface,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["onlyMoves"]>]> {
  let summary = "the weight of a matmul in the order in which it is read";
  let description = [{
    The columns of a weight, `[k, n]` as `rows` or `[n, k]` as `transposed`, cut into `pieces` and these into strips of
    `strip` columns, as `#kern.strip_schedule` says, and strips into panels of 32 columns: `[strips * pieces, panels,
    k, 32]`. What is beyond the columns of a piece or of a strip is zero. The order within a panel is
    the runtime's: on CPUs without AVX-512 two panels of 16 columns, one behind the other.

    ```mlir
    %p = kern.pack %w as transposed pieces 2 strip 64 : tensor<1360x256xf32> -> tensor<22x2x256x32xf32>
    ```
  }];
  let arguments = (ins Kern_Real:$operand, Kern_WeightFormAttr:$form, I64Attr:$pieces, I64Attr:$strip,
                       OptionalAttr<StrAttr>:$kernel, OptionalAttr<Kern_ResourcesAttr>:$resources);
  let results = (outs Kern_Real:$result);
  let assemblyFormat = [{
    (`kernel` $kernel^)? (`resources` $resources^)? $operand `as` custom<WeightForm>($form)
    `pieces` $pieces `strip` $strip `:` type($operand) `->` type($result) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Columns of a panel.
    static constexpr int64_t panelColumns = 32;
    /// The panels of a weight.
    static ::mlir::RankedTensorType typeOfPanels(::mlir::RankedTensorType weight, WeightForm form, int64_t pieces,
                                                 int64_t strip);
  }];
}

#endif
