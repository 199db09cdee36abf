//===- Slots.cpp - every value has a slot -------------------------------===//
#include "codegen/memory/Slots.h"

#include "codegen/memory/Entries.h"
#include "ir/kern/Slots.h"
#include "passes/support/Requirements.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

constexpr StringLiteral maker = "kern-plan-memory";

static LogicalResult requireSlotsOfResults(Operation *op) {
  if (op->getNumResults() == 0)
    return success();
  auto slots = passes::requireAttribute<ArrayAttr>(op, kern::slotsAttr, maker);
  if (!slots)
    return failure();
  if (slots.size() == op->getNumResults() && llvm::all_of(slots, llvm::IsaPred<kern::SlotAttr>))
    return success();
  return op->emitOpError() << "needs a slot for each of " << op->getNumResults() << " results in " << kern::slotsAttr
                           << ", but got " << slots;
}

static LogicalResult requireSlotsOfFunction(func::FuncOp function, bool isEntry) {
  auto missing = [&](StringRef what, unsigned number) {
    return function.emitOpError() << "needs the attribute " << kern::slotAttr << " on " << what << " " << number
                                  << ", which " << maker << " gives";
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!kern::slotOfArgument(function, i))
      return missing("argument", i);
  for (unsigned i = 0; isEntry && i < function.getNumResults(); ++i)
    if (!kern::slotOfResult(function, i))
      return missing("result", i);
  for (Operation &op : function.getBody().front())
    if (failed(requireSlotsOfResults(&op)))
      return failure();
  return success();
}

LogicalResult stretto::codegen::requireSlots(ModuleOp module) {
  for (Operation &op : module.getOps())
    if (isa<seq::ParameterOp, seq::CacheOp>(op) &&
        !passes::requireAttribute<kern::SlotAttr>(&op, kern::slotAttr, maker))
      return failure();
  SmallVector<func::FuncOp> entries = entryFunctions(module);
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() && failed(requireSlotsOfFunction(function, llvm::is_contained(entries, function))))
      return failure();
  return success();
}
