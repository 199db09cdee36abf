// Matmuls and carried values in forms that move less memory.
#ifndef STRETTO_PASSES_SIMPLIFY_PASSES_TD
#define STRETTO_PASSES_SIMPLIFY_PASSES_TD

include "mlir/Pass/PassBase.td"

def MergeMatmuls : Pass<"seq-merge-matmuls", "::mlir::ModuleOp"> {
  let summary = "compute matmuls of one input as one matmul";
  let description = [{
    Several `seq.linear` of one operand, whose weights are parameters that nothing else reads, become one matmul
    followed by slices. The parameters become one, whose parts keep the names, the initialisation and the order
    in which the matmuls appear. In the body of a scan the weights are arguments; the slices (or invariants) of
    its caller are merged with them.

    Weights that something else reads (tied ones), weights of which only some are frozen, and the matmul that makes the
    logits of `@main` stay; a remark says so.

    ```mlir
    seq.parameter @q parts [#seq.part<"q", 16, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<16x16xf32>
    seq.parameter @k parts [#seq.part<"k", 8, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<8x16xf32>
    func.func @layer(%x: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x8xf32>) {
      %wq = seq.get_parameter @q : tensor<16x16xf32>
      %wk = seq.get_parameter @k : tensor<8x16xf32>
      %q = seq.linear %x, %wq : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %k = seq.linear %x, %wk : tensor<2x8x16xf32>, tensor<8x16xf32> -> tensor<2x8x8xf32>
      return %q, %k : tensor<2x8x16xf32>, tensor<2x8x8xf32>
    }
    ```
    becomes

    ```mlir
    seq.parameter @q.merged parts [#seq.part<"q", 16, ...>, #seq.part<"k", 8, ...>] : tensor<24x16xf32>
    ...
    %0 = seq.get_parameter @q.merged : tensor<24x16xf32>
    %1 = seq.linear %arg0, %0 : tensor<2x8x16xf32>, tensor<24x16xf32> -> tensor<2x8x24xf32>
    %2 = seq.slice %1 at 0 : tensor<2x8x24xf32> -> tensor<2x8x16xf32>
    %3 = seq.slice %1 at 16 : tensor<2x8x24xf32> -> tensor<2x8x8xf32>
    ```
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect"];
}

def FuseResiduals : Pass<"seq-fuse-residuals", "::mlir::ModuleOp"> {
  let summary = "let matmuls add to what they are added to";
  let description = [{
    A sum of rows and of a `seq.linear` that nothing else reads becomes a matmul with a residual, where the rows lie in
    memory anyway: arguments, and results of matmuls, attention and embeddings. Libraries for GPUs read the residual
    while they write; the kernel that would have added need not read the matmul and need not write the sum. What they
    read instead is counted apart. Where a kernel computes the rows, the sum stays, and a remark says so.

    ```mlir
    func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
      %0 = math.tanh %x : tensor<2x8x16xf32>
      %1 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %2 = arith.addf %x, %1 : tensor<2x8x16xf32>
      return %2 : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    func.func @main(%arg0: tensor<2x8x16xf32>, %arg1: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
      %0 = math.tanh %arg0 : tensor<2x8x16xf32>
      %1 = seq.linear %0, %arg1 add %arg0 : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      return %1 : tensor<2x8x16xf32>
    }
    ```
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect"];
}

def SplitCarry : Pass<"seq-split-carry", "::mlir::ModuleOp"> {
  let summary = "carry a sum through a scan as its two parts";
  let description = [{
    A scan body that returns a carried value as `a + b`, where the addition would be a kernel of its own (a matmul
    made `b`, say), carries `a` and `b` instead; the addition is done at the head of the body, in the kernel of the
    row operations that read it there, and once more behind the scan. The second part starts as zero.

    Where the addition shares a kernel with what makes its operands, nothing is gained and nothing changes; where
    no row operation at the head of the body could take it, a remark says so. So it does where a kernel of rows makes a
    carried value that the head reads.

    ```mlir
    func.func private @layer(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>) -> tensor<2x8x16xf32> {
      %0 = math.tanh %x : tensor<2x8x16xf32>
      %1 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %2 = arith.addf %x, %1 : tensor<2x8x16xf32>
      return %2 : tensor<2x8x16xf32>
    }
    func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<3x16x16xf32>) -> tensor<2x8x16xf32> {
      %y = seq.scan @layer trips 3 carry(%x) slices(%w) invariants()
        : (tensor<2x8x16xf32>, tensor<3x16x16xf32>) -> tensor<2x8x16xf32>
      return %y : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    func.func private @layer(%arg0: tensor<2x8x16xf32>, %arg1: tensor<2x8x16xf32>, %arg2: tensor<16x16xf32>) -> ...
      %0 = arith.addf %arg0, %arg1 : tensor<2x8x16xf32>
      %1 = math.tanh %0 : tensor<2x8x16xf32>
      %2 = seq.linear %1, %arg2 : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      return %0, %2 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
    }
    ...
    %0:2 = seq.scan @layer trips 3 carry(%arg0, %cst) ...
    %1 = arith.addf %0#0, %0#1 : tensor<2x8x16xf32>
    ```
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect", "::mlir::arith::ArithDialect"];
}

#endif
