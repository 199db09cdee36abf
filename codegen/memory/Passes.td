#ifndef STRETTO_CODEGEN_MEMORY_PASSES_TD
#define STRETTO_CODEGEN_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def OrderWork : Pass<"kern-order-work", "::mlir::ModuleOp"> {
  let summary = "order the work of each function so that less is live at once";
  let description = [{
    What is computed from saved values alone moves in front of its first reader, unless something it reads would live
    longer. Gradients of weights, which lie in an arena of their own, move behind the last of their operands, which may
    die there and are still in a cache.
  }];
}

def PlanMemory : Pass<"kern-plan-memory", "::mlir::ModuleOp"> {
  let summary = "give every value a place in an arena";
  let description = [{
    Writes `kern.places` on each operation with results (one `#kern.place` per result) and `kern.place` on
    parameters, on function arguments and on the results of entry points; the sizes of the arenas in bytes go to
    the module attribute `kern.arenas`, what activations would take without gradients to `kern.activation_bytes`.

    Gradients, outputs, stacked and carried values and the pieces of concatenations are computed straight into
    their final place where nothing speaks against it; otherwise a `kern.copy` is inserted. Carried values keep one
    buffer where the old value is dead before the new one is written, alternate between two otherwise, and lie in the
    slots of a stack that holds them anyway. All other values get offsets in the ACTIVATIONS arena from their
    lifetimes: those of a scan body share memory between iterations and with whatever is not live during the
    scan. The GRADIENTS arena is the start of the ACTIVATIONS arena: until the gradient of a weight is written, its
    place serves activations, so that gradients move into what was saved for the layers that are done. A remark states
    the peak.

    ```mlir
    func.func @gradients(%tokens: tensor<2x8xi32> {kern.place = #kern.place<inputs, 0, stride 0, parity 0>})
    ```
  }];
  let dependentDialects = ["::stretto::kern::KernDialect"];
}

def CheckMemory : Pass<"kern-check-memory", "::mlir::ModuleOp"> {
  let summary = "run planned memory on shadows of values";
  let description = [{
    Executes the entry points, all iterations of scans included, on arenas whose elements hold the name of the
    value they belong to instead of numbers. Every operand that an operation reads must still be there, and no kernel may
    store a result over an operand it needs at other positions. Time and memory grow with the number of elements: for
    tests and for the search for errors of the compiler.
  }];
}

#endif
