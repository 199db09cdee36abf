//===- Overwrite.cpp - results in the memory of operands ------------------------===//
#include "codegen/rows/Overwrite.h"

#include "codegen/rows/RowPlan.h"
#include "ir/kern/KernOps.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static bool isElementwise(Operation *op) { return op->hasTrait<OpTrait::Elementwise>(); }

/// All operations in the body that depend on a value, the terminator included.
static SetVector<Operation *> dependents(Value value) {
  SetVector<Operation *> found;
  SmallVector<Value> work{value};
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers())
      if (found.insert(user))
        llvm::append_range(work, user->getResults());
  return found;
}

/// Whether an operation leaves loops over its result as they are: all columns of a row, in the first stage.
static bool keepsRowsWhole(Operation *op) {
  if (!isa<seq::MovementOp>(op))
    return isElementwise(op) || op->hasTrait<OpTrait::ConstantLike>();
  bool isOfOne = op->getNumOperands() == 1 && elementCount(op->getOperand(0)) == 1;
  return isOfOne || elementCount(op->getResult(0)) == 1;
}

/// Whether all that a row is read for is of lower levels than a result, which is computed from it, column by column.
static bool isReadBelow(kern::RowKernel op, Value row, unsigned result) {
  Block &body = op.getBody().front();
  if (!llvm::isa_and_present<kern::VectorScheduleAttr>(op.getSchedule().value_or(nullptr)) ||
      !body.getOps<seq::TapOp>().empty())
    return false;
  llvm::DenseMap<Value, int64_t> levels = levelsOf(body);
  int64_t highest = levels.lookup(op.getYielded()[result]);
  SetVector<Value> read;
  read.insert(row);
  bool isStored = false;
  for (size_t i = 0; i < read.size(); ++i) // it grows
    for (OpOperand &use : read[i].getUses()) {
      Operation *user = use.getOwner();
      bool isResult = user == body.getTerminator() && use.getOperandNumber() == result;
      isStored |= isResult;
      if (isElementwise(user))
        read.insert_range(user->getResults());
      else if (!isResult &&
               (!isa<seq::ReduceOp, seq::ColumnSumOp, kern::YieldOp>(user) || levels.lookup(read[i]) >= highest))
        return false;
    }
  return isStored;
}

bool stretto::codegen::mayOverwrite(kern::RowKernel op, unsigned argument, unsigned result) {
  OpOperand *operand = op.getOperandOf(argument);
  if (!operand || op.getMap(argument) != kern::RowMap::row ||
      operand->get().getType() != op->getResult(result).getType() ||
      llvm::count(op->getOperands(), operand->get()) != 1)
    return false;
  Operation *yield = op.getBody().front().getTerminator();
  Value row = op.getBody().getArgument(argument);
  if (isReadBelow(op, row, result))
    return true;
  SetVector<Operation *> reached = dependents(row);
  if (!llvm::all_of(reached, [&](Operation *inner) { return inner == yield || isElementwise(inner); }))
    return false;
  auto depends = [&](Value value) { return value == row || reached.contains(value.getDefiningOp()); };
  auto values = op.getYielded();
  if (!depends(values[result]))
    return false;
  if (llvm::count_if(values, depends) == 1)
    return true;
  auto body = op.getBody().front().without_terminator();
  return llvm::all_of(body, [](Operation &inner) { return keepsRowsWhole(&inner); });
}

bool stretto::codegen::mayBeOverwritten(kern::RowKernel op, unsigned argument) {
  auto results = llvm::seq(op->getNumResults());
  return llvm::any_of(results, [&](unsigned result) { return mayOverwrite(op, argument, result); });
}
