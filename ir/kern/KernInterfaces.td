// What kernels say of themselves, so that passes need not know them by name.
#ifndef STRETTO_IR_KERN_KERNINTERFACES_TD
#define STRETTO_IR_KERN_KERNINTERFACES_TD

include "mlir/IR/OpBase.td"

def Kern_ScheduleInterface : AttrInterface<"Schedule"> {
  let cppNamespace = "::stretto::kern";
  let description = [{
    How a kernel of rows walks them on one kind of device. Everything but the code of that device needs to know its
    chunks alone.
  }];
  let methods = [
    InterfaceMethod<"Chunks of so many sequences of so many rows: parts that one thread or group walks, the unit of "
                    "ordered partial sums.",
                    "int64_t", "getChunks", (ins "int64_t":$batch, "int64_t":$time)>,
    InterfaceMethod<"Rows of one sequence in the smallest part of a launch that can be launched by itself; 0 where it "
                    "is launched whole.",
                    "int64_t", "getLaunchRows">
  ];
}

def Kern_KernelOpInterface : OpInterface<"KernelOp"> {
  let cppNamespace = "::stretto::kern";
  let description = [{
    A kernel: an operation that every target has code for, which the host program launches by its name.
  }];
  let methods = [
    InterfaceMethod<"The name of the kernel; null where it has none yet.", "::mlir::StringAttr", "getKernelAttr">,
    InterfaceMethod<"Names the kernel.", "void", "setKernelAttr", (ins "::mlir::StringAttr":$name)>,
    InterfaceMethod<"Notes what the kernel takes of a GPU; null: that is not known.",
                    "void", "setResourcesAttr", (ins "::stretto::kern::ResourcesAttr":$resources)>
  ];
}

def Kern_RowKernelInterface : OpInterface<"RowKernel", [Kern_KernelOpInterface]> {
  let cppNamespace = "::stretto::kern";
  let description = [{
    A fused kernel of rows: its body computes one row of `[batch, time, columns...]` values from what a row sees of the
    operands, and yields what it stores. The results are rows or, where the body yields a `seq.column_sum`, sums over
    rows. Schedules, plans of loops and code of bodies need to know no more of a kernel.
  }];
  let methods = [
    InterfaceMethod<"The body; its one block has an argument for each value that a row sees.",
                    "::mlir::Region &", "getBody">,
    InterfaceMethod<"The operand that a row sees as an argument of the body; null where the kernel computes it itself.",
                    "::mlir::OpOperand *", "getOperandOf", (ins "unsigned":$argument), "",
                    "return &$_op->getOpOperand(argument);">,
    InterfaceMethod<"Which part of its operand an argument is.",
                    "::stretto::kern::RowMap", "getMap", (ins "unsigned":$argument)>,
    InterfaceMethod<"What the body yields, a value for each result.",
                    "::mlir::OperandRange", "getYielded", (ins), "",
                    "return $_op.getBody().front().getTerminator()->getOperands();">,
    InterfaceMethod<"Whether a result is a sum over rows.",
                    "bool", "isColumnSum", (ins "unsigned":$result), "",
                    "return ::stretto::kern::isColumnSum($_op.getBody().front().getTerminator()->getOperand(result));">,
    InterfaceMethod<"Whether sums over rows are partial: one for each chunk.", "bool", "getPartialSums">,
    InterfaceMethod<"Says whether they are.", "void", "setPartialSums", (ins "bool":$partial)>,
    InterfaceMethod<"Batch and time of the rows.", "::std::pair<int64_t, int64_t>", "getRows">,
    InterfaceMethod<"Chunks that the schedule divides the rows into.", "int64_t", "getChunks", (ins), "",
                    [{
                      auto [batch, time] = $_op.getRows();
                      return $_op.getSchedule()->getChunks(batch, time);
                    }]>,
    InterfaceMethod<"How the rows are walked, once that is chosen.",
                    "::std::optional<::stretto::kern::Schedule>", "getSchedule">,
    InterfaceMethod<"Sets how the rows are walked.",
                    "void", "setScheduleAttr", (ins "::stretto::kern::Schedule":$schedule)>
  ];
}

#endif
