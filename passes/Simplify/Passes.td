#ifndef STRETTO_PASSES_SIMPLIFY_PASSES_TD
#define STRETTO_PASSES_SIMPLIFY_PASSES_TD

include "mlir/Pass/PassBase.td"

def MergeProducts : Pass<"seq-merge-products", "::mlir::ModuleOp"> {
  let summary = "compute products of one input as one product";
  let description = [{
    Several `seq.linear` of one operand, whose weights are parameters that nothing else reads, become one product
    followed by slices. The parameters become one, whose parts keep the names, the initialisation and the order
    in which the products appear. In the body of a scan the weights are arguments; the slices (or invariants) of
    its caller are merged with them.

    Weights that something else reads (tied ones), and weights of which only some are frozen, stay; a remark
    says so.

    ```mlir
    // %q = seq.linear %x, %wq   %k = seq.linear %x, %wk
    %qk = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<32x16xf32> -> tensor<2x8x32xf32>
    %q = seq.slice %qk at 0 : tensor<2x8x32xf32> -> tensor<2x8x16xf32>
    %k = seq.slice %qk at 16 : tensor<2x8x32xf32> -> tensor<2x8x16xf32>
    ```
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect"];
}

def SplitCarry : Pass<"seq-split-carry", "::mlir::ModuleOp"> {
  let summary = "carry a sum through a scan as its two parts";
  let description = [{
    A scan body that returns a carried value as `a + b`, where the addition would be a kernel of its own (a product
    made `b`, say), carries `a` and `b` instead; the addition is done at the head of the body, in the kernel of the
    row operations that read it there, and once more behind the scan. The second part starts as zero.

    Where the addition shares a kernel with what makes its operands, nothing is gained and nothing changes; where
    no row operation at the head of the body could take it, a remark says so.

    ```mlir
    // from: func @layer(%x, %w) { %f = seq.linear %x.., %w   %y = arith.addf %x, %f   return %y }
    // to:   func @layer(%x, %f, %w) { %s = arith.addf %x, %f   %g = seq.linear %s.., %w   return %s, %g }
    ```
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect", "::mlir::arith::ArithDialect"];
}

#endif
