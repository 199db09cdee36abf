// Which values are held in bf16.
#ifndef STRETTO_PASSES_PRECISION_PASSES_TD
#define STRETTO_PASSES_PRECISION_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetActivationType : Pass<"seq-set-activation-type", "::mlir::ModuleOp"> {
  let summary = "say that activations are to be held in bf16";
  let description = [{
    Sets `seq.activation_type` on the module. Passes that weigh bytes count with it, `kern-round-activations` carries it
    out. Parameters must be f32.

    ```mlir
    func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
      return %x : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    module attributes {seq.activation_type = bf16} {
    func.func @main(%arg0: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
    ```
  }];
  let options = [Option<"type", "type", "std::string", "\"bf16\"", "the type of activations: bf16">];
}

def RoundActivations : Pass<"kern-round-activations", "::mlir::ModuleOp"> {
  let summary = "hold activations in bf16";
  let description = [{
    Does what the module attribute `seq.activation_type = bf16` asks for, nothing where it is absent.

    Activations that pass from one kernel, matmul or iteration to another, `[batch, time, columns...]`, become bf16,
    with the arguments and results of functions, carried values, slices and stacks. Kernels compute in f32: they extend
    what they read and round what they store. Matmuls read weights, and embeddings their table, from the copies of the
    parameters in bf16 (`seq.get_parameter ... rounded`); a weight that a kernel reads too is passed in both forms. A
    weight that is computed is rounded by a kernel of its own.

    In f32 stay: angles that a linear mixer sums over tokens, that is, kernels take sines or cosines of them (all rows
    of that mixer and of its gradient are `exact`), one number per row or head (statistics of norms, losses, their
    weights, log-sum-exp), sums over rows, gradients of parameters and what is computed from parameters alone,
    tables, and logits, that is, a matmul whose columns a kernel compares with targets. Remarks (category `precision`)
    say so for logits and mixers.

    ```mlir
    module attributes {seq.activation_type = bf16} {
    seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>
    func.func @main(%tokens: tensor<2x8xi32>) -> tensor<2x8x16xf32> {
      %w = seq.get_parameter @w : tensor<16x16xf32>
      %0 = seq.embed %tokens, %w : tensor<2x8xi32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %1 = kern.rowwise kernel "main.rowwise0"(%0) maps [row] {
      ^bb0(%row: tensor<16xf32>):
        %3 = math.exp %row : tensor<16xf32>
        kern.yield %3 : tensor<16xf32>
      } : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
      %2 = seq.linear %1, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      return %2 : tensor<2x8x16xf32>
    }
    }
    ```
    becomes

    ```mlir
    func.func @main(%arg0: tensor<2x8xi32>) -> tensor<2x8x16xbf16> {
    %0 = seq.get_parameter @w rounded : tensor<16x16xbf16>
    %1 = seq.embed %arg0, %0 : tensor<2x8xi32>, tensor<16x16xbf16> -> tensor<2x8x16xbf16>
    %2 = kern.rowwise kernel "main.rowwise0"(%1) maps [row] {
    ^bb0(%arg1: tensor<16xbf16>):
      %4 = arith.extf %arg1 : tensor<16xbf16> to tensor<16xf32>
      %5 = math.exp %4 : tensor<16xf32>
      %6 = arith.truncf %5 : tensor<16xf32> to tensor<16xbf16>
      kern.yield %6 : tensor<16xbf16>
    } : (tensor<2x8x16xbf16>) -> tensor<2x8x16xbf16>
    %3 = seq.linear %2, %0 : tensor<2x8x16xbf16>, tensor<16x16xbf16> -> tensor<2x8x16xbf16>
    ```
  }];
  let dependentDialects = ["::stretto::kern::KernDialect", "::mlir::arith::ArithDialect"];
}

#endif
