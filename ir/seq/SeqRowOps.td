// The primitives of rows. Each works on the trailing dimensions only, so that it stands both on whole
// activations [batch, time, columns...] and, in kern.rowwise, on one row [columns...].
#ifndef STRETTO_IR_SEQ_SEQROWOPS_TD
#define STRETTO_IR_SEQ_SEQROWOPS_TD

include "ir/seq/SeqDialect.td"

class Seq_ElementwiseUnary<string mnemonic> : Seq_Op<mnemonic, [Pure, SameOperandsAndResultType, Elementwise]> {
  let arguments = (ins Seq_RealTensor:$operand);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "$operand `:` type($result) attr-dict";
}

def Seq_SigmoidOp : Seq_ElementwiseUnary<"sigmoid"> {
  let summary = "1 / (1 + exp(-x))";
  let description = [{
    ```mlir
    %s = seq.sigmoid %x : tensor<2x8x16xf32>
    ```
  }];
}

def Seq_SoftplusOp : Seq_ElementwiseUnary<"softplus"> {
  let summary = "log(1 + exp(x)), computed as max(x, 0) + log1p(exp(-|x|))";
  let description = [{
    ```mlir
    %s = seq.softplus %x : tensor<2x8x16xf32>
    ```
  }];
}

def Seq_StopGradientOp : Seq_ElementwiseUnary<"stop_gradient"> {
  let summary = "x, which has no gradient here";
  let description = [{
    What is read here counts as a constant for the backward. `seq-differentiate` leaves none of them.

    ```mlir
    %y = seq.stop_gradient %x : tensor<2x8x16xf32>
    ```
  }];
}

def Seq_ReduceOp : Seq_Op<"reduce", [Pure,
    Seq_RowOpInterface]> {
  let summary = "reduces the last dimension";
  let description = [{
    `add`, `max` or `min` over the columns of a row (or of each head, when the row is `[heads, head_dim]`). Marked
    `seq.held_constant` it has no gradient: what is computed from it would be the same without it. Marked
    `seq.choice` it says which column was chosen.

    ```mlir
    %s = seq.reduce add %x : tensor<2x8x16xf32> -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Seq_ReduceKindAttr:$kind, Seq_RealTensor:$operand);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "`` $kind $operand `:` type($operand) `->` type($result) attr-dict";
  let hasVerifier = 1;
}

def Seq_BroadcastOp : Seq_Op<"broadcast", [Pure,
    DeclareOpInterfaceMethods<Seq_RowOpInterface, ["onlyMoves"]>,
    DeclareOpInterfaceMethods<Seq_MovementOpInterface>]> {
  let summary = "repeats a value along the dimensions it lacks";
  let description = [{
    Dimension `i` of the operand is dimension `dims[i]` of the result (ascending). A gain is broadcast over
    rows (`dims [2]`), the scalar of a row over its columns (`dims [0, 1]`), a table over batch and heads
    (`dims [1, 3]`). What a comparison found out about a row, and the key of a token, is repeated as numbers are.

    ```mlir
    %b = seq.broadcast %r dims [0, 1] : tensor<2x8xf32> -> tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Seq_RowTensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Seq_RowTensor:$result);
  let assemblyFormat = "$operand `dims` $dims `:` type($operand) `->` type($result) attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDefinition = [{
    bool $cppClass::onlyMoves() { return true; }
  }];
}

def Seq_TapOp : Seq_Op<"tap", [Pure,
    DeclareOpInterfaceMethods<Seq_RowOpInterface, ["getReach", "onlyMoves"]>, SameOperandsAndResultType]> {
  let summary = "the value of a row some steps earlier or later";
  let description = [{
    `result[t] = operand[t + offset]` where that position lies in the same sequence, else 0. A negative offset
    looks into the past (forward), a positive one into the future (its gradient). The zero is selected on the
    tapped value; the operand's inputs are never masked.

    ```mlir
    %p = seq.tap %x by -1 : tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$operand, I64Attr:$offset);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "$operand `by` $offset `:` type($result) attr-dict";
  let hasFolder = 1;
  let extraClassDefinition = [{
    ::stretto::seq::RowReach $cppClass::getReach() { return ::stretto::seq::RowReach::shifted; }
    bool $cppClass::onlyMoves() { return true; }
  }];
}

def Seq_PermuteOp : Seq_Op<"permute", [Pure,
    DeclareOpInterfaceMethods<Seq_RowOpInterface, ["onlyMoves"]>,
    DeclareOpInterfaceMethods<Seq_MovementOpInterface>, AllTypesMatch<["operand", "result"]>]> {
  let summary = "exchanges the two members of each rotary pair in the last dimension";
  let description = [{
    `half_split` exchanges columns `j` and `j + rotated/2` for `j < rotated/2`; `interleaved` exchanges `2j`
    and `2j + 1` for `2j < rotated`; columns from `rotated` on stay. Its own inverse.

    ```mlir
    %p = seq.permute half_split %x rotated 16 : tensor<2x8x4x16xf32>
    ```
  }];
  let arguments = (ins Seq_PairStyleAttr:$style, Seq_RealTensor:$operand, I64Attr:$rotated);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "`` $style $operand `rotated` $rotated `:` type($result) attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDefinition = [{
    bool $cppClass::onlyMoves() { return true; }
  }];
}

def Seq_SliceOp : Seq_Op<"slice", [Pure,
    DeclareOpInterfaceMethods<Seq_RowOpInterface, ["onlyMoves"]>,
    DeclareOpInterfaceMethods<Seq_MovementOpInterface>,
    DeclareOpInterfaceMethods<Seq_AliasOpInterface, ["getFirstColumn"]>]> {
  let summary = "a range of columns";
  let description = [{
    Columns `[offset, offset + n)` of the last dimension, n being that of the result.

    ```mlir
    %q = seq.slice %x at 4 : tensor<2x8x16xf32> -> tensor<2x8x8xf32>
    ```
  }];
  let arguments = (ins Seq_StoredTensor:$operand, I64Attr:$offset);
  let results = (outs Seq_StoredTensor:$result);
  let assemblyFormat = "$operand `at` $offset `:` type($operand) `->` type($result) attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDefinition = [{
    ::stretto::seq::Alias $cppClass::getAlias() { return ::stretto::seq::Alias::columns; }
    bool $cppClass::onlyMoves() { return true; }
  }];
}

def Seq_ConcatOp : Seq_Op<"concat", [Pure,
    DeclareOpInterfaceMethods<Seq_RowOpInterface, ["onlyMoves"]>,
    DeclareOpInterfaceMethods<Seq_MovementOpInterface>,
    DeclareOpInterfaceMethods<Seq_AliasOpInterface, ["getFirstColumn"]>]> {
  let summary = "columns side by side";
  let description = [{
    Joins values along the last dimension.

    ```mlir
    %qk = seq.concat %q, %k : tensor<2x8x4xf32>, tensor<2x8x12xf32> -> tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Variadic<Seq_StoredTensor>:$inputs);
  let results = (outs Seq_StoredTensor:$result);
  let assemblyFormat = "$inputs `:` type($inputs) `->` type($result) attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDefinition = [{
    ::stretto::seq::Alias $cppClass::getAlias() { return ::stretto::seq::Alias::pieces; }
    bool $cppClass::onlyMoves() { return true; }
  }];
}

def Seq_ReshapeOp : Seq_Op<"reshape", [Pure,
    Seq_RowOpInterface, DeclareOpInterfaceMethods<Seq_MovementOpInterface>,
    DeclareOpInterfaceMethods<Seq_AliasOpInterface>]> {
  let summary = "the same elements under another shape";
  let description = [{
    Row-major order stays, so it is a view. Splits columns into heads and back, or rows into chunks and back.

    ```mlir
    %h = seq.reshape %x : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
    ```
  }];
  let arguments = (ins Seq_Tensor:$operand);
  let results = (outs Seq_Tensor:$result);
  let assemblyFormat = "$operand `:` type($operand) `->` type($result) attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDefinition = [{
    ::stretto::seq::Alias $cppClass::getAlias() { return ::stretto::seq::Alias::whole; }
  }];
}

def Seq_ColumnSumOp : Seq_Op<"column_sum", [Pure,
    DeclareOpInterfaceMethods<Seq_RowOpInterface, ["getReach"]>]> {
  let summary = "the sum over rows, for means over a batch and gradients of parameters";
  let description = [{
    Sums over the leading dimensions that the result lacks: `[batch, time, columns]` to `[columns]`, and
    `[batch, time, heads, head_dim]` to `[head_dim]` for a gain shared by heads. In the body of `kern.rowwise`
    it stands for the sum over all rows of the kernel; there its result may only be yielded. The order of
    the additions is fixed by the schedule: the same bits each time.

    ```mlir
    %d = seq.column_sum %x : tensor<2x8x16xf32> -> tensor<16xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$operand);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "$operand `:` type($operand) `->` type($result) attr-dict";
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::stretto::seq::RowReach $cppClass::getReach() { return ::stretto::seq::RowReach::all; }
  }];
}

def Seq_ColumnIndexOp : Seq_Op<"column_index", [Pure,
    DeclareOpInterfaceMethods<Seq_RowOpInterface, ["onlyMoves"]>]> {
  let summary = "the number of each column of the last dimension, as a real number";
  let description = [{
    ```mlir
    %i = seq.column_index : tensor<2x8x16xf32>
    ```
  }];
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "`:` type($result) attr-dict";
  let extraClassDefinition = [{
    bool $cppClass::onlyMoves() { return true; }
  }];
}

def Seq_DropoutOp : Seq_Op<"dropout", [Pure, Elementwise, AllTypesMatch<["operand", "place", "result"]>,
    DeclareOpInterfaceMethods<Seq_DecodableOpInterface>]> {
  let summary = "in training, zero with some probability and else x / (1 - rate)";
  let description = [{
    Which numbers are zero is a function of the key of the token, the place of the operation in the model and the number
    of the element in its row, and of nothing else: nothing is saved for the backward, which asks again. `place` is a
    whole number, the same in all columns, that no other dropout of the model and no other layer has; keys are given by
    `seq-give-dropout-keys`, the same for all columns of a token. In `uint32`, of key k, place p and column c:

        mix(x):  x ^= x >> 16;  x *= 0x21f0aaad;  x ^= x >> 15;  x *= 0xd35a2d97;  return x ^ (x >> 15)
        a = mix(k ^ p * 0x9e3779b9),  b = mix(a + 0x9e3779b9)
        x = a ^ c;  x ^= x >> 16;  x *= 0x21f0aaad;  x = (x ^ x >> 15) + b;  x *= 0xd35a2d97;  x ^= x >> 15

    and the number is zero where the last x is less than `rate * 2^32`, rounded; else it is multiplied by
    `1 / (1 - rate)`, which is rounded to its type.

    ```mlir
    %y = seq.dropout %x at %place keys %keys rate 1.000000e-01 : tensor<2x8x16xf32>, tensor<2x8x16xi32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$operand, Seq_RealTensor:$place, Optional<Seq_TokenTensor>:$keys, F64Attr:$rate);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = [{
    $operand `at` $place (`keys` $keys^)? `rate` $rate `:` type($result) (`,` type($keys)^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Seq_TableOp : Seq_Op<"table", [Pure, DeclareOpInterfaceMethods<Seq_AliasOpInterface>]> {
  let summary = "a constant over time, computed once when the program starts";
  let description = [{
    Cosines or signed sines of rotary positions, `[time, head_dim]`: row `t`, column `j` holds
    `cos(t * theta^(-2p/rotated))`, `p` the pair of `j`; the sine is negative for the first member of a pair,
    so that `x * cos + permute(x) * sin` is the rotation. Columns from `rotated` on hold 1 (cos) or 0 (sin).

    ```mlir
    %c = seq.table rotary_cos half_split rotated 8 theta 1.0e4 : tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Seq_TableKindAttr:$kind, Seq_PairStyleAttr:$style, I64Attr:$rotated, F64Attr:$theta);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "`` $kind `` $style `rotated` $rotated `theta` $theta `:` type($result) attr-dict";
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::stretto::seq::Alias $cppClass::getAlias() { return ::stretto::seq::Alias::reserved; }
  }];
}

def Seq_LayerNumbersOp : Seq_Op<"layer_numbers", [Pure, DeclareOpInterfaceMethods<Seq_AliasOpInterface>]> {
  let summary = "numbers that are known, one for each layer of a loop, stored once when the program starts";
  let description = [{
    `[layers, 1]`, the slices of a `seq.scan` whose layers differ by a number alone. Not rounded to bf16.

    ```mlir
    %s = seq.layer_numbers [1.0, 0.5, 0.25] : tensor<3x1xf32>
    ```
  }];
  let arguments = (ins F64ArrayAttr:$values);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "$values `:` type($result) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<double> getNumbers();
  }];
  let extraClassDefinition = [{
    ::stretto::seq::Alias $cppClass::getAlias() { return ::stretto::seq::Alias::reserved; }
  }];
}

#endif
