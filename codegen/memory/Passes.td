// Where values lie in memory: passes that order work so that it takes less, that plan, and one that verifies the plan.
#ifndef STRETTO_CODEGEN_MEMORY_PASSES_TD
#define STRETTO_CODEGEN_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def OrderWork : Pass<"kern-order-work", "::mlir::ModuleOp"> {
  let summary = "order the work of each function so that less is live at once";
  let description = [{
    What is computed from saved values alone moves in front of its first reader, unless something it reads would live
    longer. Gradients of weights, which lie in an arena of their own, move behind the last of their operands, which may
    die there and are still in a cache.

    ```mlir
    func.func private @layer.backward(%dy: tensor<2x8x16xf32>, %x: tensor<2x8x16xf32>, %w: tensor<16x16xf32>)
        -> (tensor<2x8x16xf32>, tensor<16x16xf32>) {
      %d = seq.linear_input_grad %dy, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %dx = seq.linear_input_grad %d, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %dw = seq.linear_weight_grad %d, %x : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
      return %dx, %dw : tensor<2x8x16xf32>, tensor<16x16xf32>
    }
    ```
    becomes

    ```mlir
    %0 = seq.linear_input_grad %arg0, %arg2 : ...
    %1 = seq.linear_weight_grad %0, %arg1 : ...
    %2 = seq.linear_input_grad %0, %arg2 : ...
    return %2, %1 : tensor<2x8x16xf32>, tensor<16x16xf32>
    ```
  }];
}

def ChooseFusedSums : Pass<"kern-choose-fused-sums", "::mlir::ModuleOp"> {
  let summary = "decide which sums of partial sums share a launch";
  let description = [{
    Horizontal fusion: writes `kern.fused_sum = n` on `kern.sum_partials` of a function that are to be launch n, which
    is where the last of them stands: there all partials are computed. So partials have longer live ranges. A sum is
    fused with those before it, up to `most`, unless one of their results is read by then, a scan lies between, or the
    peak of what the function computes would grow by more than `slack`. A sum with an accumulator stays by itself.

    Remarks (category `fusion`): `FusedSums` for each such launch, and `SumNotFused`, with the reason, for a sum that
    begins another one.

    ```mlir
    func.func private @layer.backward(%p: tensor<4x16xf32>, %q: tensor<8x16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
      %0 = kern.sum_partials kernel "a.sum0" %p : tensor<4x16xf32> -> tensor<16xf32>
      %1 = kern.sum_partials kernel "b.sum0" %q : tensor<8x16xf32> -> tensor<16xf32>
      return %0, %1 : tensor<16xf32>, tensor<16xf32>
    }
    ```
    becomes

    ```mlir
    %0 = kern.sum_partials kernel "a.sum0" %arg0 : tensor<4x16xf32> -> tensor<16xf32> {kern.fused_sum = 0 : i64}
    %1 = kern.sum_partials kernel "b.sum0" %arg1 : tensor<8x16xf32> -> tensor<16xf32> {kern.fused_sum = 0 : i64}
    ```
  }];
  let options = [Option<"most", "most", "int64_t", "16", "sums of a launch">,
                 Option<"slack", "slack", "int64_t", "16 << 20", "bytes by which the peak may grow">];
}

def FuseSums : Pass<"kern-fuse-sums", "::mlir::ModuleOp"> {
  let summary = "sums of partial sums that share a launch become one operation";
  let description = [{
    The `kern.sum_partials` of a function with the same number `kern.fused_sum` become one, in place of the last of
    them. Its kernel is named after the function.

    ```mlir
    func.func private @layer.backward(%p: tensor<4x16xf32>, %q: tensor<8x16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
      %0 = kern.sum_partials kernel "a.sum0" %p : tensor<4x16xf32> -> tensor<16xf32> {kern.fused_sum = 0 : i64}
      %1 = kern.sum_partials kernel "b.sum0" %q : tensor<8x16xf32> -> tensor<16xf32> {kern.fused_sum = 0 : i64}
      return %0, %1 : tensor<16xf32>, tensor<16xf32>
    }
    ```
    becomes

    ```mlir
    %0:2 = kern.sum_partials kernel "layer.backward.sums0" %arg0, %arg1 : tensor<4x16xf32>, tensor<8x16xf32> -> tensor<16xf32>, tensor<16xf32>
    ```
  }];
  let dependentDialects = ["::stretto::kern::KernDialect"];
}

def PlanMemory : Pass<"kern-plan-memory", "::mlir::ModuleOp"> {
  let summary = "give every value a slot in an arena";
  let description = [{
    Writes `kern.slots` on each operation with results (one `#kern.slot` per result) and `kern.slot` on
    parameters, on function arguments and on the results of entry points; the sizes of the arenas in bytes go to
    the module attribute `kern.arenas`, what activations would take without gradients, no more than with them, to
    `kern.activation_bytes`.

    Gradients, outputs, stacked and carried values and the pieces of concatenations are computed straight into
    their final place where nothing speaks against it; otherwise a `kern.copy` is inserted. Carried values keep one
    buffer where the old value is dead before the new one is written, alternate between two otherwise, and lie in the
    slots of a stack that holds them anyway. All other values get offsets in the ACTIVATIONS arena from their
    live ranges: those of a scan body share memory between iterations and with whatever is not live during the
    scan. The GRADIENTS arena is a part of the ACTIVATIONS arena: until the gradient of a weight is written, its
    place serves activations, so that gradients move into what was saved for the layers that are done. It is the start
    or the end (`kern.gradients_begin`), whichever gives the lower peak, which a remark states: stacks of saved values
    like the one, as their last layers are done first, and are nearer to each other than gradients; large values of the
    first and the last layer the other, as gradients of the last weights are written first.

    ```mlir
    seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>
    func.func @gradients(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
      %w = seq.get_parameter @w : tensor<16x16xf32>
      %0 = seq.linear %x, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      %1 = seq.linear %0, %w : tensor<2x8x16xf32>, tensor<16x16xf32> -> tensor<2x8x16xf32>
      return %1 : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    func.func @gradients(%arg0: tensor<2x8x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) ...
    ...
    %1 = seq.linear %arg0, %0 : ... {kern.slots = [#kern.slot<activations, ...>]}
    %2 = seq.linear %1, %0 : ... {kern.slots = [#kern.slot<outputs, 0, stride 0, parity 0>]}
    ```
  }];
  let dependentDialects = ["::stretto::kern::KernDialect"];
}

def ChooseBuckets : Pass<"kern-choose-buckets", "::mlir::ModuleOp"> {
  let summary = "decide which gradients ranks exchange together, and say when they are final";
  let description = [{
    Behind the last operation that writes to gradients comes a `kern.ready` that names them: in the body of a scan for
    stacked parameters, whose entries are written once in each iteration, and in the entry point for others, such as
    those that are read in several places. The flat gradients are cut into buckets of at least `bucket-bytes` (whole
    layers, where these are stacked), which stand in `kern.buckets` of the module in the order in which they become
    final, and each `kern.ready` says how many of them are by then. What becomes final at one time stays in one bucket,
    and the smallest bucket joins the neighbor in memory whose time is next to its own. Remarks say for each bucket how
    many bytes it has, and which part of the work of matmuls and attention comes after it: beside that it is exchanged.
    `kern.await` stands in front of what reads weights, and says how many buckets must have come, from the last one on.

    Memory must be planned: a gradient that cannot be computed in its place is a copy by then. Gradients keep their
    memory until the entry point ends, so nothing else has to be planned for an exchange that reads them meanwhile.

    ```mlir
    seq.parameter @w parts [#seq.part<"w", 16, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<16x16xf32>
      {kern.slot = #kern.slot<parameters, 0, stride 0, parity 0>}
    func.func @gradients(%dy: tensor<2x8x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>},
                         %x: tensor<2x8x16xf32> {kern.slot = #kern.slot<inputs, 1024, stride 0, parity 0>}) {
      %dw = seq.linear_weight_grad %dy, %x : tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<16x16xf32>
        {kern.slots = [#kern.slot<gradients, 0, stride 0, parity 0>]}
      seq.gradient @w, %dw : tensor<16x16xf32>
      return
    }
    ```
    becomes

    ```mlir
    module attributes {kern.buckets = [#kern.bucket<first 0, rows 1>]} {
      ...
        %0 = seq.linear_weight_grad %arg0, %arg1 : ...
        kern.ready [@w](%0) buckets [1] : tensor<16x16xf32>
    ```
  }];
  let dependentDialects = ["::stretto::kern::KernDialect"];
  let options = [Option<"bucketBytes", "bucket-bytes", "int64_t", "4 << 20",
                        "the least bytes of a bucket, where there are so many">];
}

def VerifyMemory : Pass<"kern-verify-memory", "::mlir::ModuleOp"> {
  let summary = "run planned memory on shadows of values";
  let description = [{
    Executes the entry points, all iterations of scans included, on arenas whose bytes have a name instead of a number:
    which byte of which value lies there. Every operand that an operation reads must still be there, and no kernel may
    store a result over an operand it needs at other positions. Neighbours whose names follow each other are one entry,
    so that a value costs as much as it has pieces of memory: one, or its rows where they have gaps.
    Slots lie within the arenas whose bytes the module states (`kern.arenas`), and numbers at multiples of their size.

    ```mlir
    func.func @gradients(%x: tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>})
        -> (tensor<1x2x16xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) {
      %y = kern.rowwise(%x) maps [row] {
      ^bb0(%row: tensor<16xf32>):
        %0 = seq.tap %row by -1 : tensor<16xf32>
        kern.yield %0 : tensor<16xf32>
      } {kern.slots = [#kern.slot<inputs, 0, stride 0, parity 0>]} : (tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
      return %y : tensor<1x2x16xf32>
    }
    ```
    says

    ```text
    ... error: 'kern.rowwise' op stores result 0 over operand 0...
    ```
  }];
}

#endif
