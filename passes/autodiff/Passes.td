// The backward of a model: how it is derived and simplified, and what the forward saves for it.
#ifndef STRETTO_PASSES_AUTODIFF_PASSES_TD
#define STRETTO_PASSES_AUTODIFF_PASSES_TD

include "mlir/Pass/PassBase.td"
include "passes/support/CostModelOptions.td"

def ChooseSaved : Pass<"seq-choose-saved", "::mlir::ModuleOp"> {
  let summary = "decide what the backward reads from memory and what it recomputes";
  let description = [{
    For every function that `seq-differentiate` gave a backward, finds the cheapest set of forward values to keep, a
    minimum cut between what the forward has and what the backward reads. Saving a value costs its bytes in memory
    and the traffic of writing and reading it; recomputing it costs its arithmetic, `operations-per-byte` of the target,
    and the traffic that this causes, which is more where a library operation reads the value and later row operations
    read once more what it is computed from.
    Results of the library (matmuls, attention) are recomputed where the spec has marked them, `seq.recompute`, those
    of scans never. Values that are marked are not saved, but for rows that one block hands to another, nor, where
    activations are rounded, those marked `seq.held_constant`: what a softmax subtracts must be the largest number of
    the row that is read again, or exponentials may be infinite. Those marked `seq.choice` are saved there, whatever
    else marks them: the backward reads the columns that the forward chose.

    Each recomputed operation of the backward ends up with `seq.saved = <bytes>` or stays `seq.recomputed`; the function
    says how much its backward reads of the forward in all, `seq.saved_bytes`. A byte of memory weighs as much as
    `saved-byte-weight` that are moved, a number of the target; with `memory-budget`, as little as lets the kept values
    fit, so that a large one buys time.

    ```mlir
    // stretto-opt --seq-differentiate --seq-choose-saved
    seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>
    func.func @gradients(%x: tensor<2x8x16xf32>, %dr: tensor<2x8xf32>) {
      %w = seq.get_parameter @w : tensor<16x16xf32>
      %y = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %s = seq.reduce add %y : tensor<2x8x16xf32> -> tensor<2x8xf32>
      %r = math.exp %s : tensor<2x8xf32>
      seq.backward of(%r) from(%dr) : tensor<2x8xf32>
      return
    }
    ```
    becomes

    ```mlir
    %2 = seq.reduce add %1 : tensor<2x8x16xf32> -> tensor<2x8xf32> {seq.id = 0 : i64}
    %3 = math.exp %2 {seq.id = 1 : i64} : tensor<2x8xf32>
    %4 = seq.reduce add %1 : tensor<2x8x16xf32> -> tensor<2x8xf32> {seq.id = 0 : i64, seq.recomputed}
    %5 = math.exp %4 {seq.id = 1 : i64, seq.saved = 64 : i64} : tensor<2x8xf32>
    %6 = arith.mulf %arg1, %5 : tensor<2x8xf32>
    ```
  }];
  let options = [Option<"memoryBudget", "memory-budget", "int64_t", "0",
                        "bytes that saved values of all layers may take; 0: where they weigh less than what "
                        "recomputing them takes">,
                 operationsPerByte, savedByteWeight];
}

def ChooseSegments : Pass<"seq-choose-segments", "::mlir::ModuleOp"> {
  let summary = "decide how far apart the states are that the backward of a mixer starts from";
  let description = [{
    A mixer saves a state for each `segment` of tokens, and its backward computes those between once more: short
    segments take memory and save work. A byte of states saves little, 16 multiplications and additions on the CPU, so
    they get what other saved values leave of `memory-budget`: each `seq.mixer` with states, in the order of the module,
    the shortest segment of 64, 128, ... tokens that fits. Without a budget segments have 256 tokens, with bf16
    activations 512, as states stay f32.

    The choice is the attribute `seq.segment`, which `seq-set-segments` carries out. What is saved is what functions
    with a backward say (`seq.saved_bytes`), as often as they run; states in it have the segments that mixers had so
    far.

    ```mlir
    // stretto-opt --seq-choose-segments=memory-budget=100000
    func.func @gradients(%x: tensor<1x512x32xf32>) -> tensor<1x512x32xf32> attributes {seq.saved_bytes = 73728 : i64} {
      %y, %s = seq.mixer %x, %x, %x heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x512x32xf32>, tensor<1x512x32xf32> -> tensor<1x1x2x1024xf32>
      %dq, %dk, %dv = seq.mixer_grad %y, %x, %x, %x states %s heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x512x32xf32>, tensor<1x512x32xf32>, tensor<1x1x2x1024xf32> -> tensor<1x512x32xf32>
      return %dv : tensor<1x512x32xf32>
    }
    ```
    becomes

    ```mlir
    %out, %states = seq.mixer ... segment 256 : tensor<1x512x32xf32>, tensor<1x512x32xf32> -> tensor<1x1x2x1024xf32> {seq.segment = 64 : i64}
    ```
  }];
  let options = [Option<"memoryBudget", "memory-budget", "int64_t", "0",
                        "bytes that saved values of all layers may take; 0: segments of the usual length">];
}

def Differentiate : Pass<"seq-differentiate", "::mlir::ModuleOp"> {
  let summary = "write the backward of a model";
  let description = [{
    Replaces `seq.backward` by the backward of everything that leads from parameters to the given values. There is one
    rule per operation. The backward reads forward values through recomputed (`seq.recomputed`) copies of the row
    operations that make them; only results of library operations and carried values of scans are read from
    memory at this stage. A library operation that the spec marks `seq.recompute` is in the backward, too, as
    `seq.repeated`. What `seq.stop_gradient` gives counts as a constant; the pass leaves none of them.

    The body `@layer` of a scan becomes `@layer.forward`, which also stacks what its backward reads, and a new
    `@layer.backward` runs as the reversed scan. `seq.gradient` stores the gradient of every trainable
    parameter, zero for one that is not used.

    ```mlir
    seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>
    func.func @gradients(%x: tensor<2x8x16xf32>, %dy: tensor<2x8x16xf32>) {
      %w = seq.get_parameter @w : tensor<16x16xf32>
      %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %y = math.tanh %0 : tensor<2x8x16xf32>
      seq.backward of(%y) from(%dy) : tensor<2x8x16xf32>
      return
    }
    ```
    becomes

    ```mlir
    %3 = math.tanh %1 {seq.id = 0 : i64, seq.recomputed} : tensor<2x8x16xf32>
    %cst = arith.constant dense<1.000000e+00> : tensor<2x8x16xf32>
    %4 = arith.mulf %3, %3 : tensor<2x8x16xf32>
    %5 = arith.subf %cst, %4 : tensor<2x8x16xf32>
    %6 = arith.mulf %arg1, %5 : tensor<2x8x16xf32>
    %7 = seq.linear_weight_grad %6, %arg0 : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
    seq.gradient @w, %7 : tensor<16x16xf32>
    ```
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect", "::mlir::func::FuncDialect"];
}

def SetSegments : Pass<"seq-set-segments", "::mlir::ModuleOp"> {
  let summary = "give the states of mixers the segments that seq-choose-segments chose";
  let description = [{
    The states of each `seq.mixer` with the attribute `seq.segment` get a type for segments of so many tokens, where the
    mixer gives them, where its scan stacks them and where the backward reads them.

    ```mlir
    func.func @gradients(%x: tensor<1x512x32xf32>) -> tensor<1x512x32xf32> {
      %y, %s = seq.mixer %x, %x, %x heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x512x32xf32>, tensor<1x512x32xf32> -> tensor<1x1x2x1024xf32> {seq.segment = 64 : i64}
      %dq, %dk, %dv = seq.mixer_grad %y, %x, %x, %x states %s heads 1 key_heads 1 scale 1.0 segment 256 : tensor<1x512x32xf32>, tensor<1x512x32xf32>, tensor<1x1x2x1024xf32> -> tensor<1x512x32xf32>
      return %dv : tensor<1x512x32xf32>
    }
    ```
    becomes

    ```mlir
    %out, %states = seq.mixer ... segment 64 : tensor<1x512x32xf32>, tensor<1x512x32xf32> -> tensor<1x1x8x1024xf32>
    %dq, %dk, %dv = seq.mixer_grad ... states %states ... segment 64 : tensor<1x512x32xf32>, tensor<1x512x32xf32>, tensor<1x1x8x1024xf32> -> tensor<1x512x32xf32>
    ```
  }];
}

def SimplifyTaps : Pass<"seq-simplify-taps"> {
  let summary = "bring taps of the backward into the form that needs least";
  let description = [{
    Two rewrites. `column_sum(dy * tap(z, -k))` becomes `column_sum(tap(dy, k) * z)`, so that earlier rows of `z` (and
    the scalars they were made from) are not needed; `tap(v * c, k)` with `c` the same for all rows becomes
    `tap(v, k) * c`, so that all taps read one value.

    ```mlir
    func.func @sum(%z: tensor<2x8x16xf32>, %dy: tensor<2x8x16xf32>) -> tensor<16xf32> {
      %0 = seq.tap %z by -1 : tensor<2x8x16xf32>
      %1 = arith.mulf %dy, %0 : tensor<2x8x16xf32>
      %2 = seq.column_sum %1 : tensor<2x8x16xf32> -> tensor<16xf32>
      return %2 : tensor<16xf32>
    }
    ```
    becomes

    ```mlir
    %0 = seq.tap %arg1 by 1 : tensor<2x8x16xf32>
    %1 = arith.mulf %0, %arg0 : tensor<2x8x16xf32>
    %2 = seq.column_sum %1 : tensor<2x8x16xf32> -> tensor<16xf32>
    ```
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect"];
}

def SimplifyArithmetic : Pass<"seq-simplify-arithmetic", "::mlir::func::FuncOp"> {
  let summary = "compute gradients with fewer operations";
  let description = [{
    Two rewrites of sums that `seq-differentiate` wrote; what the spec computes, and its copies, stay as they are.

    In a sum of products and other terms one of the others comes first, so that each product is computed by the addition
    that takes it, as a multiply-add, as soon as it is known. What two products share becomes a factor of their sum,
    where that saves an operation; what is left of each uses products that the backward computes anyway. So the gradient
    of `silu` (`s` is the sigmoid, `y = x * s`) is `g * (s + y * (1 - s))` instead of `g * s + g * x * (s * (1 - s))`.

    ```mlir
    func.func @sum(%x: tensor<2x8x16xf32>, %y: tensor<2x8x16xf32>, %z: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> attributes {seq.forward = @f} {
      %0 = arith.mulf %x, %y : tensor<2x8x16xf32>
      %1 = arith.mulf %y, %z : tensor<2x8x16xf32>
      %2 = arith.addf %0, %1 : tensor<2x8x16xf32>
      %3 = arith.addf %2, %z : tensor<2x8x16xf32>
      return %3 : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    %0 = arith.mulf %arg0, %arg1 : tensor<2x8x16xf32>
    %1 = arith.addf %arg2, %0 : tensor<2x8x16xf32>
    %2 = arith.mulf %arg1, %arg2 : tensor<2x8x16xf32>
    %3 = arith.addf %1, %2 : tensor<2x8x16xf32>
    ```
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect", "::mlir::arith::ArithDialect"];
}

def SplitSaved : Pass<"seq-split-saved", "::mlir::ModuleOp"> {
  let summary = "keep what seq-choose-saved decided to keep";
  let description = [{
    Values marked `seq.saved` in a backward are read from the forward: stacked by the forward scan, sliced by the
    reversed one, or simply used within one function. Copies, stacks and slices that nobody reads go away.

    ```mlir
    // stretto-opt --seq-differentiate --seq-choose-saved --seq-split-saved
    seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>
    func.func @gradients(%x: tensor<2x8x16xf32>, %dr: tensor<2x8xf32>) {
      %w = seq.get_parameter @w : tensor<16x16xf32>
      %y = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %s = seq.reduce add %y : tensor<2x8x16xf32> -> tensor<2x8xf32>
      %r = math.exp %s : tensor<2x8xf32>
      seq.backward of(%r) from(%dr) : tensor<2x8xf32>
      return
    }
    ```
    becomes

    ```mlir
    %2 = seq.reduce add %1 : tensor<2x8x16xf32> -> tensor<2x8xf32>
    %3 = math.exp %2 {seq.saved = 64 : i64} : tensor<2x8xf32>
    %4 = arith.mulf %arg1, %3 : tensor<2x8xf32>
    ```
  }];
}

def SinkRepeated : Pass<"seq-sink-repeated", "::mlir::func::FuncOp"> {
  let summary = "repeat an operation of the library only where the backward reads it";
  let description = [{
    Where the backward repeats operations of the library (`seq.repeated`, of values that the spec has recomputed),
    these, the rows that are recomputed, and the kernels that the repeated operations read go to the first operation
    that reads them. So what is recomputed for one layer is not in memory while others need theirs.

    ```mlir
    func.func @backward(%x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>, %dy: tensor<2x8x16xf32>) -> tensor<16x16xf32> {
      %y = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32> {seq.repeated}
      %0 = math.tanh %y {seq.recomputed} : tensor<2x8x16xf32>
      %1 = seq.linear_input_grad %dy, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %2 = seq.linear_weight_grad %1, %0 : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
      return %2 : tensor<16x16xf32>
    }
    ```
    becomes

    ```mlir
    %0 = seq.linear_input_grad %arg2, %arg1 : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
    %1 = seq.linear %arg0, %arg1 : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32> {seq.repeated}
    %2 = math.tanh %1 {seq.recomputed} : tensor<2x8x16xf32>
    %3 = seq.linear_weight_grad %0, %2 : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
    ```
  }];
}

#endif
