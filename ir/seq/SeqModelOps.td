// What a model is made of beside its arithmetic: parameters, their gradients, and loops over layers.
#ifndef STRETTO_IR_SEQ_SEQMODELOPS_TD
#define STRETTO_IR_SEQ_SEQMODELOPS_TD

include "ir/seq/SeqDialect.td"

def Seq_ParameterOp : Seq_Op<"parameter", [Symbol]> {
  let summary = "a trainable (or frozen) weight of the model";
  let description = [{
    Declares storage for a weight. A `stacked` parameter has a leading dimension that counts iterations of a
    `seq.scan`; iteration `i` holds layer `first + i * step`, and `{}` in the names of its parts stands for
    that number. `parts` divide the first dimension (behind the stacked one) into named ranges.

    ```mlir
    seq.parameter @q parts [#seq.part<"layers.{}.q.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] stacked first 0 step 1 : tensor<4x64x64xf32>
    seq.parameter @embed parts [#seq.part<"embed.weight", 512, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<512x64xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Seq_RealTensor>:$type,
                       TypedArrayAttrBase<Seq_PartAttr, "named ranges">:$parts,
                       UnitAttr:$stacked, DefaultValuedAttr<I64Attr, "0">:$first,
                       DefaultValuedAttr<I64Attr, "1">:$step, UnitAttr:$frozen);
  let assemblyFormat = [{
    $sym_name `parts` $parts (`stacked` $stacked^)? (`first` $first^)? (`step` $step^)? (`frozen` $frozen^)?
    `:` $type attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() { return ::llvm::cast<::mlir::RankedTensorType>(getType()); }
    /// How many layers have an entry of it; 1 where it is not stacked.
    int64_t getLayers() { return getStacked() ? getTensorType().getDimSize(0) : 1; }
    /// The shape of one layer: that of the type without the stacked dimension.
    ::llvm::ArrayRef<int64_t> getLayerShape() {
      return getTensorType().getShape().drop_front(getStacked() ? 1 : 0);
    }
  }];
}

def Seq_GetParameterOp : Seq_Op<"get_parameter", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Seq_AliasOpInterface>]> {
  let summary = "the value of a parameter";
  let description = [{
    With `rounded`, its copy in bf16, which matmuls read (the ROUNDED arena).

    ```mlir
    seq.parameter @embed parts [#seq.part<"embed.weight", 512, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<512x64xf32>
    %w = seq.get_parameter @embed : tensor<512x64xf32>
    %r = seq.get_parameter @embed rounded : tensor<512x64xbf16>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter, UnitAttr:$rounded);
  let results = (outs Seq_StoredTensor:$result);
  let assemblyFormat = "$parameter (`rounded` $rounded^)? `:` type($result) attr-dict";
  let extraClassDefinition = [{
    ::stretto::seq::Alias $cppClass::getAlias() { return ::stretto::seq::Alias::reserved; }
  }];
}

def Seq_GradientOp : Seq_Op<"gradient", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Seq_AliasOpInterface>]> {
  let summary = "the gradient of a parameter";
  let description = [{
    Says that the value is the gradient of the loss with respect to a trainable parameter: it is stored at that
    parameter's place in the gradient arena. Each trainable parameter has exactly one in the backward.

    ```mlir
    seq.parameter @embed parts [#seq.part<"embed.weight", 512, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<512x64xf32>
    func.func @backward(%dw: tensor<512x64xf32>) {
      seq.gradient @embed, %dw : tensor<512x64xf32>
      return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter, Seq_RealTensor:$value);
  let assemblyFormat = "$parameter `,` $value `:` type($value) attr-dict";
  let extraClassDefinition = [{
    ::stretto::seq::Alias $cppClass::getAlias() { return ::stretto::seq::Alias::reserved; }
  }];
}

def Seq_BackwardOp : Seq_Op<"backward", [SameVariadicOperandSize, AllTypesMatch<["values", "gradients"]>]> {
  let summary = "where differentiation starts";
  let description = [{
    Gives the gradients of the loss with respect to some values; `seq-differentiate` replaces the operation by the
    backward of everything that leads to those values.

    ```mlir
    seq.backward of(%logits) from(%dlogits) : tensor<2x8x64xf32>
    ```
  }];
  let arguments = (ins Variadic<Seq_RealTensor>:$values, Variadic<Seq_RealTensor>:$gradients);
  let assemblyFormat = "`of` `(` $values `)` `from` `(` $gradients `)` `:` type($values) attr-dict";
}

def Seq_ScanOp : Seq_Op<"scan", [Pure, AttrSizedOperandSegments,
                                 DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the loop over layers (or over chunks of rows)";
  let description = [{
    Calls the function `body` `trips` times. The body takes one iteration's view of everything,
    `(carry..., slices..., invariants...)`, and returns `(carry..., stacked...)`. Carried values go from one
    iteration to the next; iteration `i` sees entry `i` of the leading dimension of each slice and writes
    entry `i` of each stacked result; invariants are the same each time. With `reverse` the iterations run
    from `trips - 1` down to 0. Results are the last carry, then the stacks.

    The derivative of a scan is a scan over the reversed iterations whose slices are what the forward stacked.

    ```mlir
    func.func private @layer(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
      %y = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      return %y : tensor<2x8x16xf32>
    }
    func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<4x16x16xf32>) -> tensor<2x8x16xf32> {
      %y = seq.scan @layer trips 4 carry(%x) slices(%w) invariants() : (tensor<2x8x16xf32>, tensor<4x16x16xf32>) -> tensor<2x8x16xf32>
      return %y : tensor<2x8x16xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$body, ConfinedAttr<I64Attr, [IntPositive]>:$trips, UnitAttr:$reverse,
                       Variadic<Seq_Tensor>:$carry, Variadic<Seq_Tensor>:$slices,
                       Variadic<Seq_Tensor>:$invariants);
  let results = (outs Variadic<Seq_Tensor>:$results);
  let assemblyFormat = [{
    $body `trips` $trips (`reverse` $reverse^)? `carry` `(` $carry `)` `slices` `(` $slices `)`
    `invariants` `(` $invariants `)` attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    ::mlir::ResultRange getCarryResults() { return getResults().take_front(getCarry().size()); }
    ::mlir::ResultRange getStackResults() { return getResults().drop_front(getCarry().size()); }
    /// The iteration that is done at a step, both counted from 0 on.
    int64_t getIteration(int64_t step) { return getReverse() ? static_cast<int64_t>(getTrips()) - 1 - step : step; }
    /// What an operand is, and the argument of the body that has its number.
    bool isCarry(unsigned number) { return number < getCarry().size(); }
    bool isSlice(unsigned number) { return !isCarry(number) && number - getCarry().size() < getSlices().size(); }
    bool isInvariant(unsigned number) { return !isCarry(number) && !isSlice(number); }
    /// Takes away a slice or an invariant; the body keeps its argument.
    void eraseRead(unsigned number);
  }];
}

#endif
