//===- Epilogues.cpp - kernels of rows in the epilogue of a matmul -------------===//
#include "codegen/rows/Epilogues.h"

#include "codegen/rows/RowPlan.h"
#include "ir/seq/Marks.h"
#include "ir/seq/Purpose.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Rows that taps may reach over: these wait in the tile of a strip.
static constexpr int64_t mostHalo = 15;

std::optional<kern::WeightForm> stretto::codegen::weightFormOf(Operation *op) {
  if (isa<seq::LinearOp>(op))
    return kern::WeightForm::transposed;
  if (isa<seq::LinearInputGradOp>(op))
    return kern::WeightForm::rows;
  return std::nullopt;
}

std::optional<unsigned> stretto::codegen::rowArgumentOf(kern::RowwiseOp kernel, Value value) {
  std::optional<unsigned> argument;
  for (OpOperand &operand : kernel->getOpOperands()) {
    if (operand.get() != value)
      continue;
    if (argument || kernel.getMap(operand.getOperandNumber()) != kern::RowMap::row)
      return std::nullopt;
    argument = operand.getOperandNumber();
  }
  return argument;
}

std::string stretto::codegen::refuseEpilogue(kern::RowwiseOp kernel, unsigned argument, kern::WeightForm weight,
                                             const EpilogueLimits &limits) {
  if (kernel->hasAttr(lossAttr))
    return "the loss compares all columns of a row";
  if (llvm::any_of(kernel.getBody().front(), [](Operation &inner) { return isMarkedNoFuse(&inner); }))
    return "the source asks for a kernel of its own";
  if (kernel.getRows().second < limits.leastRows)
    return llvm::formatv("sequences have {0} tokens, and not at least {1}", kernel.getRows().second, limits.leastRows);
  if (cast<RankedTensorType>(kernel.getBody().getArgument(argument).getType()).getRank() != 1)
    return "the kernel sees the rows of the matmul in another shape";
  RowRange halo = RowPlan(kernel).halo();
  if (halo.high - halo.low > mostHalo)
    return llvm::formatv("taps reach over {0} rows, more than {1}", halo.high - halo.low, mostHalo);
  MeetingColumns meeting(kernel, argument);
  if (!meeting.problem().empty())
    return meeting.problem().str();
  int64_t unit = limits.columnUnit(weight);
  std::optional<StripForm> form = meeting.choose(limits.wantedColumns, limits.mostColumns, unit);
  if (!form)
    return llvm::formatv("the kernel brings together columns that do not fit a strip of {0}{1}", limits.mostColumns,
                         unit == 1 ? "" : llvm::formatv(", cut at multiples of {0}", unit).str());
  Strips strips(std::move(meeting), *form);
  if (strips.count() < limits.leastStrips)
    return llvm::formatv("rows have fewer than {2} strips of {1} columns: {0}", strips.count(), form->width,
                         limits.leastStrips);
  return strips.problem(kernel);
}
