#ifndef STRETTO_PASSES_AUTODIFF_PASSES_TD
#define STRETTO_PASSES_AUTODIFF_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseSaved : Pass<"seq-choose-saved", "::mlir::ModuleOp"> {
  let summary = "decide what the backward reads from memory and what it computes again";
  let description = [{
    For every function that `seq-differentiate` gave a backward, finds the cheapest set of forward values to keep, a
    minimum cut between what the forward has and what the backward reads. Keeping a value costs its bytes in memory
    and the traffic of writing and reading it; computing it again costs the traffic that this causes; results of
    products, attention and scans cannot be computed again. Values marked `seq.recompute` in the spec are never
    kept.

    Each repeated operation of the backward ends up with `seq.saved = <bytes>` or stays `seq.recomputed`. With
    `memory-budget`, memory is weighted more and more against traffic until the kept values fit.
  }];
  let options = [Option<"memoryBudget", "memory-budget", "int64_t", "0",
                        "bytes that saved values of all layers may take; 0: no limit">];
}

def Differentiate : Pass<"seq-differentiate", "::mlir::ModuleOp"> {
  let summary = "write the backward of a model";
  let description = [{
    Replaces `seq.backward` by the reverse of everything that leads from parameters to the given values. There is one
    rule per operation. The reverse reads forward values through repeated (`seq.recomputed`) copies of the row
    operations that make them; only results of library operations and carried values of scans are read from
    memory at this stage.

    The body `@layer` of a scan becomes `@layer.forward`, which also stacks what its reverse reads, and a new
    `@layer.backward` runs as the reversed scan. `seq.gradient` stores the gradient of every trainable
    parameter, zero for one that is not used.
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect", "::mlir::func::FuncDialect"];
}

def SimplifyTaps : Pass<"seq-simplify-taps"> {
  let summary = "bring taps of the backward into the form that needs least";
  let description = [{
    Two rewrites. `column_sum(dy * tap(z, -k))` becomes `column_sum(tap(dy, k) * z)`, so that earlier rows of `z` (and
    the scalars they were made from) are not needed; `tap(v * c, k)` with `c` the same for all rows becomes
    `tap(v, k) * c`, so that all taps read one value.
  }];
  let dependentDialects = ["::stretto::seq::SeqDialect"];
}

def SplitSaved : Pass<"seq-split-saved", "::mlir::ModuleOp"> {
  let summary = "keep what seq-choose-saved decided to keep";
  let description = [{
    Values marked `seq.saved` in a backward are read from the forward: stacked by the forward scan, sliced by the
    reversed one, or simply used within one function. Copies, stacks and slices that nobody reads go away.
  }];
}

#endif
