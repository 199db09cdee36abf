// Kernels of rows, where values lie in memory, and how kernels walk their rows.
#ifndef STRETTO_IR_KERN_KERNOPS_TD
#define STRETTO_IR_KERN_KERNOPS_TD

include "ir/kern/KernDeviceOps.td"
include "ir/kern/KernWalkOps.td"

def Kern_RowMap : I32EnumAttr<"RowMap", "which part of an operand a row sees", [
  I32EnumAttrCase<"row", 0>, I32EnumAttrCase<"time", 1>, I32EnumAttrCase<"shared", 2>]> {
  let cppNamespace = "::stretto::kern";
  let genSpecializedAttr = 0;
}
def Kern_RowMapAttr : EnumAttr<Kern_Dialect, Kern_RowMap, "row_map"> {
  let assemblyFormat = "`<` $value `>`";
}

def Kern_Arena : I32EnumAttr<"Arena", "an arena of the ABI (stretto_arena)", [
  I32EnumAttrCase<"activations", 0>, I32EnumAttrCase<"parameters", 1>, I32EnumAttrCase<"gradients", 2>,
  I32EnumAttrCase<"moment1", 3>, I32EnumAttrCase<"moment2", 4>, I32EnumAttrCase<"accumulator", 5>,
  I32EnumAttrCase<"inputs", 6>, I32EnumAttrCase<"outputs", 7>, I32EnumAttrCase<"tables", 8>,
  I32EnumAttrCase<"hyper", 9>, I32EnumAttrCase<"rounded", 10>, I32EnumAttrCase<"cache", 11>,
  I32EnumAttrCase<"squares", 12>, I32EnumAttrCase<"factors", 13>]> {
  let cppNamespace = "::stretto::kern";
  let genSpecializedAttr = 0;
}

def Kern_SlotAttr : AttrDef<Kern_Dialect, "Slot"> {
  let mnemonic = "slot";
  let summary = "where a value lives";
  let description = [{
    Byte `offset` in `arena`. Inside the body of a scan a value may move with the iteration `i`: its address
    is `offset + i * stride`; when `parity` is set, `offset + (i mod 2) * stride` (carried values that
    alternate between two buffers). Outside of scan bodies `stride` is the distance between the entries of a
    stack (0: the value is contiguous).

    ```mlir
    #kern.slot<activations, 4096, stride 0, parity 0>
    ```
  }];
  let parameters = (ins EnumParameter<Kern_Arena>:$arena, "int64_t":$offset, "int64_t":$stride, "int64_t":$parity);
  let assemblyFormat = "`<` $arena `,` $offset `,` `stride` $stride `,` `parity` $parity `>`";
}

class Kern_ScheduleAttr<string name, string attrMnemonic> : AttrDef<Kern_Dialect, name,
    [DeclareAttrInterfaceMethods<Kern_ScheduleInterface>]> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def Kern_VectorScheduleAttr : Kern_ScheduleAttr<"VectorSchedule", "vector_schedule"> {
  let summary = "how a rowwise kernel walks its rows with vectors";
  let description = [{
    `rows`, 32 at most, are computed together (a block), `lanes` columns at a time; a chunk of `chunk` rows of one
    sequence is the unit of parallel work and of the ordered partial sums.

    With `pieces` and `strip`, which may be left out, the columns of the widest `row` operand are cut into strips, as
    `#kern.strip_schedule` cuts those of a matmul, and with them what the body computes from them. A chunk and a strip
    are the unit of parallel work then.

    ```mlir
    #kern.vector_schedule<rows 4, lanes 16, chunk 128, pieces 2, strip 128>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$lanes, "int64_t":$chunk,
                        DefaultValuedParameter<"int64_t", "0">:$pieces, DefaultValuedParameter<"int64_t", "0">:$strip);
  let assemblyFormat = [{
    `<` `rows` $rows `,` `lanes` $lanes `,` `chunk` $chunk (`,` `pieces` $pieces^ `,` `strip` $strip)? `>`
  }];
}

def Kern_ThreadScheduleAttr : Kern_ScheduleAttr<"ThreadSchedule", "thread_schedule"> {
  let summary = "how a rowwise kernel walks its rows with threads";
  let description = [{
    `threads` threads, a group, share the columns of a chunk of `chunk` rows of one sequence, which is the unit of the
    ordered partial sums; each computes `rows` rows together, 32 at most, and `lanes` neighbouring columns. A thread
    block holds `groups` groups, and with `tiles` of more than one, several groups share a chunk, each with its own
    columns. What a step loads goes to registers or, with `places` of more than one, through a ring of so many in shared
    memory: it is on its way for a step less.

    ```mlir
    #kern.thread_schedule<rows 2, lanes 8, chunk 128, threads 96, groups 1, tiles 1, places 4>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$lanes, "int64_t":$chunk, "int64_t":$threads, "int64_t":$groups,
                        "int64_t":$tiles, DefaultValuedParameter<"int64_t", "1">:$places);
  let assemblyFormat = [{
    `<` `rows` $rows `,` `lanes` $lanes `,` `chunk` $chunk `,` `threads` $threads `,` `groups` $groups `,`
    `tiles` $tiles (`,` `places` $places^)? `>`
  }];
}

// Of any kind of device.
def Kern_AnySchedule : Attr<CPred<"::llvm::isa<::stretto::kern::Schedule>($_self)">, "a schedule"> {
  let storageType = "::stretto::kern::Schedule";
  let returnType = "::stretto::kern::Schedule";
  let convertFromStorage = "$_self";
}

def Kern_BucketAttr : AttrDef<Kern_Dialect, "Bucket"> {
  let mnemonic = "bucket";
  let summary = "rows of gradients that ranks exchange together";
  let description = [{
    `rows` rows of the flat arenas from row `first` on. The attribute `kern.buckets` of the module lists all of them, in
    the order in which their gradients become final in an entry point.

    ```mlir
    #kern.bucket<first 2, rows 12>
    ```
  }];
  let parameters = (ins "int64_t":$first, "int64_t":$rows);
  let assemblyFormat = "`<` `first` $first `,` `rows` $rows `>`";
}

def Kern_RowwiseOp : Kern_Op<"rowwise", [Pure, IsolatedFromAbove, SingleBlock, Kern_RowKernelInterface]> {
  let summary = "one fused pass over the rows of [batch, time, columns...] values";
  let description = [{
    The body computes one row: argument `i` is what `maps[i]` says of operand `i`: `row` the row `(b, t)` of
    `[batch, time, columns...]` (a scalar `tensor<f32>` for `[batch, time]`), `time` row `t` of
    `[time, columns...]`, `shared` the whole operand for each row. Allowed in the body: elementwise `arith`
    and `math`, constants, and the row operations of `seq`; `seq.tap` may be applied to any value that depends
    on a `row` operand.

    Yielded values become results in order: `[batch, time, columns...]`, or, when produced by
    `seq.column_sum`, the sum over all rows; with `partial_sums` one sum per chunk of the schedule,
    `[chunks, columns...]`, which `kern.sum_partials` adds up in order. Batch and time are those of the `row`
    operands. Operands and results may be bf16; the body extends what it reads (`arith.extf`), computes in f32 and
    rounds what it yields (`arith.truncf`).

    ```mlir
    %y, %dg = kern.rowwise(%x, %g) maps [row, shared] {
    ^bb0(%row: tensor<16xf32>, %gain: tensor<16xf32>):
      %0 = arith.mulf %row, %gain : tensor<16xf32>
      %1 = seq.tap %0 by -1 : tensor<16xf32>
      %2 = arith.addf %0, %1 : tensor<16xf32>
      %3 = seq.column_sum %2 : tensor<16xf32> -> tensor<16xf32>
      kern.yield %2, %3 : tensor<16xf32>, tensor<16xf32>
    } : (tensor<2x8x16xf32>, tensor<16xf32>) -> (tensor<2x8x16xf32>, tensor<16xf32>)
    ```
  }];
  let arguments = (ins Variadic<Kern_Tensor>:$inputs, TypedArrayAttrBase<Kern_RowMapAttr, "row maps">:$maps,
                       UnitAttr:$partial_sums, OptionalAttr<StrAttr>:$kernel,
                       OptionalAttr<Kern_AnySchedule>:$schedule, OptionalAttr<Kern_ResourcesAttr>:$resources);
  let results = (outs Variadic<Kern_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`kernel` $kernel^)? `(` $inputs `)` `maps` custom<RowMaps>($maps) (`schedule` $schedule^)?
    (`resources` $resources^)? (`partial_sums` $partial_sums^)? $body
    attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    RowMap getMap(unsigned input) { return ::llvm::cast<RowMapAttr>(getMaps()[input]).getValue(); }
    YieldOp getYield();
    /// Batch and time of the rows: the two leading dimensions of the `row` operands or results.
    std::pair<int64_t, int64_t> getRows();
  }];
}

def Kern_SumPartialsOp : Kern_Op<"sum_partials", [Pure, AttrSizedOperandSegments, Kern_KernelOpInterface,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["getAccumulatorSlot", "getFlops"]>]> {
  let summary = "ordered sums of the partial column sums of kernels of rows";
  let description = [{
    Each result is the sum of the entries of one operand, along its leading dimension, in an order that its shape alone
    decides. Several sums are one kernel, so one launch. One sum by itself may `accumulate`: it is added to that value,
    whose buffer the result takes over.

    ```mlir
    %dg = kern.sum_partials %partials : tensor<64x16xf32> -> tensor<16xf32>
    %dh, %di = kern.sum_partials %p, %q : tensor<64x16xf32>, tensor<8x4x16xf32> -> tensor<16xf32>, tensor<4x16xf32>
    ```
  }];
  let arguments = (ins Variadic<Kern_Real>:$partials, Optional<Kern_Real>:$accumulator, OptionalAttr<StrAttr>:$kernel,
                       OptionalAttr<Kern_ResourcesAttr>:$resources);
  let results = (outs Variadic<Kern_Real>:$sums);
  let assemblyFormat = [{
    (`kernel` $kernel^)? (`resources` $resources^)? $partials (`accumulate` $accumulator^ `:` type($accumulator))?
    `:` type($partials) `->` type($sums) attr-dict
  }];
  let hasVerifier = 1;
}

def Kern_CopyOp : Kern_Op<"copy", [Pure, AllTypesMatch<["operand", "result"]>,
    DeclareOpInterfaceMethods<Seq_LibraryOpInterface, ["onlyMoves"]>]> {
  let summary = "the same value at another place";
  let description = [{
    Inserted by `kern-plan-memory` where a value must lie somewhere it cannot be computed directly, e.g. when one
    value is the gradient of two parameters, or a range of columns is read by a kernel.

    ```mlir
    %y = kern.copy %x : tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Kern_Tensor:$operand);
  let results = (outs Kern_Tensor:$result);
  let assemblyFormat = "$operand `:` type($result) attr-dict";
}

def Kern_PadOp : Kern_Op<"pad", [Pure, DeclareOpInterfaceMethods<Seq_AliasOpInterface>]> {
  let summary = "a value as the first columns of wider rows";
  let description = [{
    The operand lies in the memory of the result. The columns behind it are memory that nobody has written: a kernel
    reads them together with the others, and selects what stands for them. Inserted by `kern-pad-logits`, so that rows
    begin at aligned addresses.

    ```mlir
    %y = kern.pad %x : tensor<2x8x13xf32> -> tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Kern_Tensor:$operand);
  let results = (outs Kern_Tensor:$result);
  let assemblyFormat = "$operand `:` type($operand) `->` type($result) attr-dict";
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::stretto::seq::Alias $cppClass::getAlias() { return ::stretto::seq::Alias::pieces; }
  }];
}

def Kern_ReadyOp : Kern_Op<"ready", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Seq_AliasOpInterface>]> {
  let summary = "gradients are final";
  let description = [{
    From here to the end of the entry point nothing writes to the gradients of these parameters; in the body of a scan,
    to those of the iteration. `buckets` tells for each iteration (once outside of scans) how many of the `kern.buckets`
    of the module are final then: ranks exchange these while the backward goes on.

    ```mlir
    seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>
    func.func @gradients(%dw: tensor<16x16xf32>) {
      kern.ready [@w](%dw) buckets [1] : tensor<16x16xf32>
      return
    }
    ```
  }];
  let arguments = (ins TypedArrayAttrBase<FlatSymbolRefAttr, "parameters">:$parameters, Variadic<Kern_Real>:$gradients,
                       DenseI64ArrayAttr:$buckets);
  let assemblyFormat = "$parameters `(` $gradients `)` `buckets` $buckets `:` type($gradients) attr-dict";
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::stretto::seq::Alias $cppClass::getAlias() { return ::stretto::seq::Alias::reserved; }
  }];
}

def Kern_AwaitOp : Kern_Op<"await", [DeclareOpInterfaceMethods<Seq_AliasOpInterface>]> {
  let summary = "weights must have come";
  let description = [{
    What comes after it reads weights that other ranks may have updated. `buckets` tells for each iteration (once
    outside of scans) how many of the `kern.buckets` of the module must have come, counted from the last: in this order
    ranks hand them out, while the forward begins.

    ```mlir
    func.func @gradients() {
      kern.await buckets [2]
      return
    }
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$buckets);
  let assemblyFormat = "`buckets` $buckets attr-dict";
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::stretto::seq::Alias $cppClass::getAlias() { return ::stretto::seq::Alias::reserved; }
  }];
}

def Kern_YieldOp : Kern_Op<"yield", [Pure, Terminator, ParentOneOf<["RowwiseOp", "MatmulOp", "WalkOp"]>]> {
  let summary = "what a kernel stores";
  let description = [{
    Ends the body of `kern.rowwise`, `kern.matmul` or `kern.walk`: value `i` becomes result `i`; those behind them are
    carried on.

    ```mlir
    %y = kern.rowwise(%x) maps [row] {
    ^bb0(%row: tensor<16xf32>):
      %0 = math.tanh %row : tensor<16xf32>
      kern.yield %0 : tensor<16xf32>
    } : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Variadic<Kern_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif
