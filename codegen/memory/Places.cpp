//===- Places.cpp - every value has a place -------------------------------===//
#include "codegen/memory/Places.h"

#include "codegen/memory/Entries.h"
#include "ir/kern/KernOps.h"
#include "passes/support/Requirements.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

constexpr StringLiteral maker = "kern-plan-memory";

static LogicalResult requirePlacesOfResults(Operation *op) {
  if (op->getNumResults() == 0)
    return success();
  auto places = passes::requireAttribute<ArrayAttr>(op, "kern.slots", maker);
  if (!places)
    return failure();
  if (places.size() == op->getNumResults() && llvm::all_of(places, llvm::IsaPred<kern::SlotAttr>))
    return success();
  return op->emitOpError() << "needs a slot for each of " << op->getNumResults() << " results in kern.slots, but got "
                           << places;
}

static LogicalResult requirePlacesOfFunction(func::FuncOp function, bool isEntry) {
  auto missing = [&](StringRef what, unsigned number) {
    return function.emitOpError() << "needs the attribute kern.slot on " << what << " " << number << ", which " << maker
                                  << " gives";
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!function.getArgAttrOfType<kern::SlotAttr>(i, "kern.slot"))
      return missing("argument", i);
  for (unsigned i = 0; isEntry && i < function.getNumResults(); ++i)
    if (!function.getResultAttrOfType<kern::SlotAttr>(i, "kern.slot"))
      return missing("result", i);
  for (Operation &op : function.getBody().front())
    if (failed(requirePlacesOfResults(&op)))
      return failure();
  return success();
}

LogicalResult stretto::codegen::requirePlaces(ModuleOp module) {
  for (Operation &op : module.getOps())
    if (isa<seq::ParameterOp, seq::CacheOp>(op) && !passes::requireAttribute<kern::SlotAttr>(&op, "kern.slot", maker))
      return failure();
  SmallVector<func::FuncOp> entries = entryFunctions(module);
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() && failed(requirePlacesOfFunction(function, llvm::is_contained(entries, function))))
      return failure();
  return success();
}
