//===- Requirements.cpp - what passes need of the module that they are given ===//
#include "passes/support/Requirements.h"

#include "ir/kern/Kernels.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

static bool isModel(FunctionType type) {
  if (type.getNumInputs() != 1 || type.getNumResults() < 1 || type.getNumResults() > 2)
    return false;
  auto tokens = dyn_cast<RankedTensorType>(type.getInput(0)), logits = dyn_cast<RankedTensorType>(type.getResult(0));
  if (!tokens || !logits || tokens.getRank() != 2 || logits.getRank() != 3)
    return false;
  if (type.getNumResults() == 1)
    return true;
  int64_t number[] = {tokens.getDimSize(0), tokens.getDimSize(1), 1};
  return type.getResult(1) == logits.clone(number);
}

func::FuncOp stretto::passes::requireModel(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (main && !main.isDeclaration() && isModel(main.getFunctionType()))
    return main;
  emitError(main ? main.getLoc() : module.getLoc())
      << "the module must hold @main(%tokens) -> logits, or (logits, [batch, time, 1])";
  return nullptr;
}

LogicalResult stretto::passes::requireFreeName(ModuleOp module, StringRef name, StringRef maker) {
  SymbolTable symbols(module);
  Operation *taken = symbols.lookup(name);
  if (!taken)
    return success();
  if (SymbolTable::getSymbolVisibility(taken) != SymbolTable::Visibility::Private)
    return taken->emitOpError() << "must not be there yet: " << maker << " makes @" << name;
  return symbols.renameToUnique(taken, {});
}

LogicalResult stretto::passes::requireNewKernel(Operation *op, StringRef symbol, llvm::StringMap<Operation *> &named) {
  auto [other, isNew] = named.try_emplace(symbol, op);
  if (isNew)
    return success();
  InFlightDiagnostic error = op->emitOpError("kernel name must be unique, but got ")
                             << kern::kernelNameOf(op).getValue() << " twice";
  error.attachNote(other->second->getLoc()) << "first given here";
  return error;
}
