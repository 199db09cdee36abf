// The dialect `seq`, what a model is: the dialect itself, its types and enums.
#ifndef STRETTO_IR_SEQ_SEQDIALECT_TD
#define STRETTO_IR_SEQ_SEQDIALECT_TD

include "ir/seq/SeqInterfaces.td"
include "ir/seq/SeqTypes.td"

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Seq_Dialect : Dialect {
  let name = "seq";
  let cppNamespace = "::stretto::seq";
  let summary = "what a sequence model is: blocks, layers, rows";
  let description = [{
    A model is a set of block functions (`func.func`) over activations of shape `[batch, time, columns...]`.
    Layers are one `seq.scan`; weights are `seq.parameter` symbols. Elementwise work is ordinary `arith` and
    `math` on tensors. Four families of operations are added:

    * *layers* say what the spec says (`rms_norm`, `canon`, `rotary`); they are decomposed before autodiff;
    * *rows* are the primitives that work on the row of one position: reductions, broadcasts, taps in time,
      permutations, column slices. They are shape-polymorphic in the leading dimensions: the same operation
      stands on `tensor<8x512x256xf32>` in a block and on `tensor<256xf32>` in the body of `kern.rowwise`,
      where batch and time are implicit;
    * *library* operations are matmuls, attention, linear mixers and embeddings with their gradients;
    * *decode* operations keep rows of earlier positions in caches, for the entries that generate token by token.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

class Seq_Op<string mnemonic, list<Trait> traits = []> : Op<Seq_Dialect, mnemonic, traits>;

// What is computed with; what lies in memory may be rounded to bf16 (kern-round-activations).
def Seq_RealTensor : Stretto_TensorOf<[F32, F64]>;
def Seq_StoredTensor : Stretto_TensorOf<[F32, F64, BF16]>;
def Seq_TokenTensor : Stretto_TensorOf<[I32]>;
def Seq_Tensor : Stretto_TensorOf<[F32, F64, BF16, I32]>;
def Seq_RowTensor : Stretto_TensorOf<[F32, F64, I32, I1]>;

//===- Enumerations ---------------------------------------------------------===//

class Seq_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::stretto::seq";
  let genSpecializedAttr = 0;
}
class Seq_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<Seq_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def Seq_InitKind : Seq_Enum<"InitKind", "how a parameter is initialised", [
  I32EnumAttrCase<"constant", 0>, I32EnumAttrCase<"normal", 1>,
  I32EnumAttrCase<"truncated_normal", 2>, I32EnumAttrCase<"uniform", 3>, I32EnumAttrCase<"log_of_uniform", 4>,
  I32EnumAttrCase<"step_bias", 5>]>;

def Seq_ReduceKind : Seq_Enum<"ReduceKind", "what a reduction computes", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"max", 1>, I32EnumAttrCase<"min", 2>]>;
def Seq_ReduceKindAttr : Seq_EnumAttr<Seq_ReduceKind, "reduce_kind">;

def Seq_PairStyle : Seq_Enum<"PairStyle", "which columns of a head form a rotary pair", [
  I32EnumAttrCase<"half_split", 0>, I32EnumAttrCase<"interleaved", 1>]>;
def Seq_PairStyleAttr : Seq_EnumAttr<Seq_PairStyle, "pair_style">;

def Seq_TableKind : Seq_Enum<"TableKind", "a constant table over time", [
  I32EnumAttrCase<"rotary_cos", 0>, I32EnumAttrCase<"rotary_sin", 1>]>;
def Seq_TableKindAttr : Seq_EnumAttr<Seq_TableKind, "table_kind">;

def Seq_Activation : Seq_Enum<"Activation", "what the sum of a Canon layer goes through", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"silu", 1>]>;
def Seq_ActivationAttr : Seq_EnumAttr<Seq_Activation, "activation">;

def Seq_EntryKind : Seq_Enum<"EntryKind", "what an entry point of a program is for", [
  I32EnumAttrCase<"training", 0>, I32EnumAttrCase<"evaluation", 1>, I32EnumAttrCase<"decoding", 2>,
  I32EnumAttrCase<"optimizer", 3>]>;
def Seq_EntryKindAttr : Seq_EnumAttr<Seq_EntryKind, "entry_kind">;

//===- Attributes -----------------------------------------------------------===//

class Seq_Attr<string name, string attrMnemonic> : AttrDef<Seq_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Seq_InitAttr : Seq_Attr<"Init", "init"> {
  let summary = "initial distribution of a parameter";
  let description = [{
    `constant` (value a), `normal` (mean a, deviation b), `truncated_normal` (mean 0, deviation a, bound b
    deviations), `uniform` (low a, high b), `log_of_uniform` (the logarithm of a number that is uniform between a and b,
    0 <= a < b), `step_bias` (the inverse of softplus at a number whose logarithm is uniform between those of a and b,
    0 < a < b); as `stretto_init_kind` in the ABI. Deviations are not negative, bounds positive.

    ```mlir
    #seq.init<normal, 0.0 : f64, 0.02 : f64>
    ```
  }];
  let parameters = (ins EnumParameter<Seq_InitKind>:$kind, "::mlir::FloatAttr":$a, "::mlir::FloatAttr":$b);
  let assemblyFormat = "`<` $kind `,` $a `,` $b `>`";
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "InitKind":$kind, "double":$a, "double":$b), [{
    auto f64 = ::mlir::Float64Type::get($_ctxt);
    return $_get($_ctxt, kind, ::mlir::FloatAttr::get(f64, a), ::mlir::FloatAttr::get(f64, b));
  }]>];
}

def Seq_FactorsAttr : Seq_Attr<"Factors", "factors"> {
  let summary = "by what a weight's learning rate and weight decay are multiplied";
  let description = [{
    The first is of the learning rate, the second of the weight decay; both are finite and not negative.

    ```mlir
    #seq.factors<1.0 : f64, 0.0 : f64>
    ```
  }];
  let parameters = (ins "::mlir::FloatAttr":$learning_rate, "::mlir::FloatAttr":$weight_decay);
  let assemblyFormat = "`<` $learning_rate `,` $weight_decay `>`";
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "double":$learningRate, "double":$weightDecay), [{
    auto f64 = ::mlir::Float64Type::get($_ctxt);
    return $_get($_ctxt, ::mlir::FloatAttr::get(f64, learningRate), ::mlir::FloatAttr::get(f64, weightDecay));
  }]>];
}

def Seq_PartAttr : Seq_Attr<"Part", "part"> {
  let summary = "a named range of rows of a parameter";
  let description = [{
    Parameters that are used together are stored as one; each keeps its name as a part. `rows` counts entries
    of the first dimension (behind the layer dimension of a stacked parameter). In the name of a stacked
    parameter `{}` stands for the number of the layer. It has one initial distribution, or one for each layer, in
    their order: `<normal, 0.0 : f64, 0.02 : f64>, <normal, 0.0 : f64, 0.01 : f64>`; and so with the factors of its
    learning rate and its weight decay, which are 1 where there are none: `factors <1.0 : f64, 0.0 : f64>` behind these.

    ```mlir
    #seq.part<"layers.{}.a_log", 8, <log_of_uniform, 1.0 : f64, 16.0 : f64> factors <1.0 : f64, 0.0 : f64>>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$rows, ArrayRefParameter<"InitAttr">:$inits,
                        OptionalArrayRefParameter<"FactorsAttr">:$factors);
  let assemblyFormat = "`<` $name `,` $rows `,` custom<Inits>($inits) (`factors` custom<Factors>($factors)^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Of the layer in this place of the stack.
    InitAttr getInit(int64_t layer) { return getInits().size() == 1 ? getInits()[0] : getInits()[layer]; }
    /// In the layer of this number, which `{}` stands for.
    std::string getNameIn(int64_t layer);
    /// Those of the layer in this place of the stack; null where both are 1.
    FactorsAttr getFactors(int64_t layer) {
      return getFactors().empty() ? FactorsAttr() : getFactors()[getFactors().size() == 1 ? 0 : layer];
    }
  }];
}

#endif
