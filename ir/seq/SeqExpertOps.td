// Matmuls of experts: a row goes only to those whose gates are not zero. Weights of all experts lie one below the
// other, each [out, in] as in seq.linear.
#ifndef STRETTO_IR_SEQ_SEQEXPERTOPS_TD
#define STRETTO_IR_SEQ_SEQEXPERTOPS_TD

include "ir/seq/SeqDialect.td"

class Seq_ExpertOp<string mnemonic, list<string> moreLibraryMethods, list<Trait> traits>
    : Seq_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<Seq_LibraryOpInterface,
        ["getMatmulKind", "getFlops"] # moreLibraryMethods>] # traits> {
  let hasVerifier = 1;
}

/// Rows times the weights of their experts.
class Seq_ExpertMatmulOp<string mnemonic, list<Trait> traits = []> : Seq_ExpertOp<mnemonic, [], traits> {
  let arguments = (ins Seq_StoredTensor:$operand, Seq_RealTensor:$gates, Seq_StoredTensor:$weight,
                       ConfinedAttr<I64Attr, [IntPositive]>:$chosen);
  let results = (outs Seq_StoredTensor:$result);
  let assemblyFormat = [{
    $operand `,` $gates `,` $weight `chosen` $chosen
    `:` type($operand) `,` type($gates) `,` type($weight) `->` type($result) attr-dict
  }];
}

/// Of each expert, sums of products of its rows.
class Seq_ExpertWeightGradOp<string mnemonic>
    : Seq_ExpertOp<mnemonic, ["getAccumulatorSlot", "getOperandName"], []> {
  let arguments = (ins Seq_StoredTensor:$grad, Seq_RealTensor:$gates, Seq_StoredTensor:$operand,
                       Optional<Seq_RealTensor>:$accumulator, ConfinedAttr<I64Attr, [IntPositive]>:$chosen);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = [{
    $grad `,` $gates `,` $operand (`accumulate` $accumulator^ `:` type($accumulator))? `chosen` $chosen
    `:` type($grad) `,` type($gates) `,` type($operand) `->` type($result) attr-dict
  }];
}

def Seq_ExpertLinearOp : Seq_ExpertMatmulOp<"expert_linear", [
    DeclareOpInterfaceMethods<Seq_DifferentiableOpInterface>]> {
  let summary = "x W^T by the weights of the experts that each row goes to, one result beside the other";
  let description = [{
    `gates` is `[batch, time, experts]`. A row goes to the experts whose gates are not zero, in the order of their
    numbers; if these are more than `chosen`, to the first ones. Part `j` of the `chosen` equal parts of a row of the
    result is by the `j`-th of its experts, and zero where it has fewer. The numbers of the gates do not matter, and get
    no gradient: they are factors of seq.expert_sum.

    ```mlir
    %y = seq.expert_linear %x, %g, %w chosen 2 : tensor<2x8x16xf32>, tensor<2x8x4xf32>, tensor<128x16xf32> -> tensor<2x8x64xf32>
    ```
  }];
}

def Seq_ExpertLinearInputGradOp : Seq_ExpertMatmulOp<"expert_linear_input_grad"> {
  let summary = "the gradient of seq.expert_linear with respect to its input";
  let description = [{
    The sum of `dy W` over the experts of a row, of the part of `dy` that is by each.

    ```mlir
    %dx = seq.expert_linear_input_grad %dy, %g, %w chosen 2 : tensor<2x8x64xf32>, tensor<2x8x4xf32>, tensor<128x16xf32> -> tensor<2x8x16xf32>
    ```
  }];
}

def Seq_ExpertLinearWeightGradOp : Seq_ExpertWeightGradOp<"expert_linear_weight_grad"> {
  let summary = "the gradient of seq.expert_linear with respect to its weights";
  let description = [{
    `dy^T x` of each expert, summed over its rows; zero for one that has none. `accumulate` as in
    seq.linear_weight_grad.

    ```mlir
    %dw = seq.expert_linear_weight_grad %dy, %g, %x chosen 2 : tensor<2x8x64xf32>, tensor<2x8x4xf32>, tensor<2x8x16xf32> -> tensor<128x16xf32>
    ```
  }];
}

def Seq_ExpertSumOp : Seq_ExpertMatmulOp<"expert_sum", [
    DeclareOpInterfaceMethods<Seq_DifferentiableOpInterface>]> {
  let summary = "the sum of gate * x W^T over the experts that each row goes to, of a part of x for each";
  let description = [{
    Experts and parts as in seq.expert_linear, whose result, or what is computed from it column by column, `operand` is.

    ```mlir
    %y = seq.expert_sum %u, %g, %w chosen 2 : tensor<2x8x64xf32>, tensor<2x8x4xf32>, tensor<64x32xf32> -> tensor<2x8x16xf32>
    ```
  }];
}

def Seq_ExpertSumInputGradOp : Seq_ExpertOp<"expert_sum_input_grad", [], [
    AllTypesMatch<["operand", "result"]>, AllTypesMatch<["gates", "dgates"]>]> {
  let summary = "the gradients of seq.expert_sum with respect to its input and to the gates";
  let description = [{
    With `z = dy W` of an expert, `result` is `gate * z` in the part that is by it, and `dgates` the inner product of
    `z` and that part of `operand`; zero where a row does not go.

    ```mlir
    %du, %dg = seq.expert_sum_input_grad %dy, %u, %g, %w chosen 2 : tensor<2x8x16xf32>, tensor<2x8x64xf32>, tensor<2x8x4xf32>, tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Seq_StoredTensor:$grad, Seq_StoredTensor:$operand, Seq_RealTensor:$gates,
                       Seq_StoredTensor:$weight, ConfinedAttr<I64Attr, [IntPositive]>:$chosen);
  let results = (outs Seq_StoredTensor:$result, Seq_RealTensor:$dgates);
  let assemblyFormat = [{
    $grad `,` $operand `,` $gates `,` $weight `chosen` $chosen
    `:` type($grad) `,` type($operand) `,` type($gates) `,` type($weight) attr-dict
  }];
}

def Seq_ExpertSumWeightGradOp : Seq_ExpertWeightGradOp<"expert_sum_weight_grad"> {
  let summary = "the gradient of seq.expert_sum with respect to its weights";
  let description = [{
    `gate * dy^T x` of each expert, summed over its rows, `x` the part that is by it; zero for one that has none.
    `accumulate` as in seq.linear_weight_grad.

    ```mlir
    %dw = seq.expert_sum_weight_grad %dy, %g, %u chosen 2 : tensor<2x8x16xf32>, tensor<2x8x4xf32>, tensor<2x8x64xf32> -> tensor<64x32xf32>
    ```
  }];
}

#endif
