// What a spec says. seq-decompose rewrites these into rows and elementwise operations before autodiff.
#ifndef STRETTO_IR_SEQ_SEQLAYEROPS_TD
#define STRETTO_IR_SEQ_SEQLAYEROPS_TD

include "ir/seq/SeqDialect.td"

def Seq_RmsNormOp : Seq_Op<"rms_norm", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "x * rsqrt(mean(x^2) + eps) * gain";
  let description = [{
    The mean runs over the columns, or over the columns of each of `heads` heads alone; the gain then has one
    entry per column of a head and is shared by the heads.

    ```mlir
    %y = seq.rms_norm %x, %g eps 1.0e-5 heads 1 : tensor<2x8x16xf32>, tensor<16xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$operand, Seq_RealTensor:$gain, F64Attr:$eps, I64Attr:$heads);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "$operand `,` $gain `eps` $eps `heads` $heads `:` type($operand) `,` type($gain) attr-dict";
  let hasVerifier = 1;
}

def Seq_LayerNormOp : Seq_Op<"layer_norm", [Pure, AllTypesMatch<["operand", "result"]>,
                                            AllTypesMatch<["gain", "bias"]>]> {
  let summary = "(x - mean(x)) * rsqrt(variance(x) + eps) * gain + bias";
  let description = [{
    The variance is the biased one (divided by the number of columns). `heads` as in `seq.rms_norm`.

    ```mlir
    %y = seq.layer_norm %x, %g, %b eps 1.0e-5 heads 1 : tensor<2x8x16xf32>, tensor<16xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$operand, Seq_RealTensor:$gain, Seq_RealTensor:$bias, F64Attr:$eps,
                       I64Attr:$heads);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = [{
    $operand `,` $gain `,` $bias `eps` $eps `heads` $heads `:` type($operand) `,` type($gain) attr-dict
  }];
  let hasVerifier = 1;
}

def Seq_L2NormOp : Seq_Op<"l2_norm", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "x * rsqrt(sum(x^2) + eps)";
  let description = [{
    The sum runs over the columns of each of `heads` heads alone.

    ```mlir
    %y = seq.l2_norm %x eps 1.0e-6 heads 4 : tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$operand, F64Attr:$eps, I64Attr:$heads);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "$operand `eps` $eps `heads` $heads `:` type($operand) attr-dict";
  let hasVerifier = 1;
}

def Seq_SpreadOp : Seq_Op<"spread", [Pure]> {
  let summary = "each column several times, side by side";
  let description = [{
    Column `i` of the operand becomes as many columns of the result as make it as wide as that: one number for each head
    becomes one for each of its columns.

    ```mlir
    %y = seq.spread %x : tensor<2x8x4xf32> -> tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$operand);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "$operand `:` type($operand) `->` type($result) attr-dict";
  let hasVerifier = 1;
}

def Seq_SumOp : Seq_Op<"sum", [Pure]> {
  let summary = "the sum of the columns of each head";
  let description = [{
    The operand has as many heads, equal parts of its columns side by side, as the result has columns.

    ```mlir
    %y = seq.sum %x : tensor<2x8x16xf32> -> tensor<2x8x4xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$operand);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "$operand `:` type($operand) `->` type($result) attr-dict";
  let hasVerifier = 1;
}

def Seq_SoftmaxOp : Seq_Op<"softmax", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "exp(x) / sum(exp(x))";
  let description = [{
    The sum runs over the columns of each of `heads` heads alone. The largest of them is subtracted first, so that no
    exponential is above 1.

    ```mlir
    %y = seq.softmax %x heads 4 : tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$operand, I64Attr:$heads);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "$operand `heads` $heads `:` type($operand) attr-dict";
  let hasVerifier = 1;
}

def Seq_KeepTopOp : Seq_Op<"keep_top", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "the largest columns of each head, the others times zero";
  let description = [{
    Of the columns of each of `heads` heads `count` keep their numbers, the largest ones, and the first of equal ones.
    The gradient is that of those columns.

    ```mlir
    %y = seq.keep_top %x count 2 heads 4 : tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$operand, I64Attr:$count, I64Attr:$heads);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "$operand `count` $count `heads` $heads `:` type($operand) attr-dict";
  let hasVerifier = 1;
}

def Seq_FullOp : Seq_Op<"full", [Pure]> {
  let summary = "activations that are one number everywhere";
  let description = [{
    What a constant is inside of kernels; this is stored where a matmul, a scan or the loss reads it.

    ```mlir
    %y = seq.full 0.5 : tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins F64Attr:$value);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "$value `:` type($result) attr-dict";
  let hasVerifier = 1;
}

def Seq_HeavisideOp : Seq_Op<"heaviside", [Pure, SameOperandsAndResultType]> {
  let summary = "1 where x is above 0, elsewhere 0";
  let description = [{
    It has no gradient.

    ```mlir
    %y = seq.heaviside %x : tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$operand);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "$operand `:` type($operand) attr-dict";
}

def Seq_BatchMeanOp : Seq_Op<"batch_mean", [Pure]> {
  let summary = "the mean of each column over all positions of all sequences";
  let description = [{
    Positions count alike, those of other documents and of padding, too. Each position sees what comes behind it, so
    only what is added to the loss may depend on it.

    ```mlir
    %m = seq.batch_mean %x : tensor<2x8x16xf32> -> tensor<16xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$operand);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = "$operand `:` type($operand) `->` type($result) attr-dict";
  let hasVerifier = 1;
}

def Seq_CanonOp : Seq_Op<"canon", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "Canon layer: a causal depthwise convolution over neighbouring positions";
  let description = [{
    `y[t] = x[t] + act(bias + sum over k of weight[k] * x[t-k])`, per column, zero before the start of the sequence;
    without `residual`, `x[t]` is left out. `weight` is `[kernel, columns]`, row `k` multiplying the position `k` steps
    back. (The paper's layout, a Conv1d weight `[columns, 1, kernel]`, holds the rows in reverse order.)

    ```mlir
    %y = seq.canon %x, %w residual none : tensor<2x8x16xf32>, tensor<4x16xf32>
    ```
  }];
  let arguments = (ins Seq_RealTensor:$operand, Seq_RealTensor:$weight, Optional<Seq_RealTensor>:$bias,
                       UnitAttr:$residual, Seq_ActivationAttr:$activation);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = [{
    $operand `,` $weight (`bias` $bias^ `:` type($bias))? (`residual` $residual^)? `` $activation
    `:` type($operand) `,` type($weight) attr-dict
  }];
  let hasVerifier = 1;
}

def Seq_RotaryOp : Seq_Op<"rotary", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "rotary position embedding";
  let description = [{
    Rotates the first `rotated` columns of each of the first `rotated_heads` heads (of `heads`) by angles
    proportional to the position; pairs by `style`. Frequencies are `theta^(-2p/rotated)`.

    ```mlir
    %y = seq.rotary half_split %x heads 4 rotated 4 rotated_heads 4 theta 1.0e4 : tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Seq_PairStyleAttr:$style, Seq_RealTensor:$operand, I64Attr:$heads, I64Attr:$rotated,
                       I64Attr:$rotated_heads, F64Attr:$theta);
  let results = (outs Seq_RealTensor:$result);
  let assemblyFormat = [{
    `` $style $operand `heads` $heads `rotated` $rotated `rotated_heads` $rotated_heads `theta` $theta
    `:` type($operand) attr-dict
  }];
  let hasVerifier = 1;
}

#endif
