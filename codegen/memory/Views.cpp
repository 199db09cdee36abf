//===- Views.cpp - values that are parts of other values ------------------===//
#include "codegen/memory/Views.h"

#include "ir/seq/TensorBytes.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// A value as a range of the columns of a wider one.
struct Columns {
  Value of; // null: the value is no such range
  int64_t first = 0;
};
} // namespace

static Columns columnsIn(Value value) {
  auto alias = value.getDefiningOp<seq::AliasOp>();
  if (alias && alias.getAlias() == seq::Alias::columns)
    return {alias->getOperand(0), alias.getFirstColumn(0)};
  for (OpOperand &use : value.getUses())
    if (auto whole = dyn_cast<seq::AliasOp>(use.getOwner()); whole && whole.getAlias() == seq::Alias::pieces)
      return {whole->getResult(0), whole.getFirstColumn(use.getOperandNumber())};
  return {};
}

int64_t stretto::codegen::rowStride(Value value) {
  Columns columns = columnsIn(value);
  return columns.of ? rowStride(columns.of) : columnsOf(value);
}

int64_t stretto::codegen::firstColumn(Value value) {
  Columns columns = columnsIn(value);
  return columns.of ? firstColumn(columns.of) + columns.first : 0;
}

int64_t stretto::codegen::spanBytes(Value value) {
  int64_t elements = rowsOf(value) ? (rowsOf(value) - 1) * rowStride(value) + columnsOf(value) : 0;
  return elements * elementBytes(value);
}

bool stretto::codegen::isRowStrided(Value value) { return rowsOf(value) > 1 && rowStride(value) != columnsOf(value); }

bool stretto::codegen::acceptsRowStride(OpOperand &use) {
  auto alias = dyn_cast<seq::AliasOp>(use.getOwner());
  if (alias && alias.getAlias() == seq::Alias::columns) // one of all columns would have gaps that nobody expects
    return columnsOf(alias->getResult(0)) < columnsOf(use.get());
  return (alias && alias.getAlias() == seq::Alias::pieces) || seq::mayBeColumns(use);
}

bool stretto::codegen::canWriteRowStride(OpResult result) { return seq::mayBeColumns(result); }

OpOperand *stretto::codegen::accumulatorOf(Operation *op) {
  auto library = dyn_cast<seq::LibraryOp>(op);
  return library ? library.getAccumulatorOperand() : nullptr;
}

OpOperand *stretto::codegen::residualOf(Operation *op) {
  auto library = dyn_cast<seq::LibraryOp>(op);
  return library ? library.getResidualOperand() : nullptr;
}

/// The value that shows the memory of an operand after its owner ran, or null.
static Value viewThrough(OpOperand &use) {
  Operation *op = use.getOwner();
  if (seq::isView(op))
    return op->getResult(0);
  if (auto scan = dyn_cast<seq::ScanOp>(op); scan && scan.isCarry(use.getOperandNumber()))
    return scan.getResult(use.getOperandNumber());
  return {};
}

static bool isSeenFrom(Value value, OpOperand &except) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    if (&use == &except)
      return false;
    if (!use.getOwner()->isBeforeInBlock(except.getOwner()))
      return true;
    Value view = viewThrough(use);
    return view && isSeenFrom(view, except);
  });
}

/// The values whose memory a value is a view of, itself included.
static void collectSources(Value value, SmallVectorImpl<Value> &sources) {
  sources.push_back(value);
  Operation *op = value.getDefiningOp();
  if (seq::isView(op))
    for (Value operand : op->getOperands())
      collectSources(operand, sources);
  if (auto scan = dyn_cast_if_present<seq::ScanOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    if (scan.isCarry(index))
      collectSources(scan.getCarry()[index], sources);
  }
}

bool stretto::codegen::isUsedLater(OpOperand &use) {
  SmallVector<Value> sources;
  collectSources(use.get(), sources);
  return llvm::any_of(sources, [&](Value source) { return isSeenFrom(source, use); });
}
