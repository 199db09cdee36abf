//===- Views.cpp - values that are parts of other values ------------------===//
#include "codegen/memory/Views.h"

#include "ir/seq/TensorShape.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static seq::ConcatOp concatUser(Value value) {
  for (Operation *user : value.getUsers())
    if (auto concat = dyn_cast<seq::ConcatOp>(user))
      return concat;
  return {};
}

int64_t stretto::codegen::rowStride(Value value) {
  if (auto slice = value.getDefiningOp<seq::SliceOp>())
    return rowStride(slice.getOperand());
  if (auto concat = concatUser(value))
    return rowStride(concat.getResult());
  return columnsOf(value);
}

int64_t stretto::codegen::spanBytes(Value value) {
  int64_t elements = rowsOf(value) ? (rowsOf(value) - 1) * rowStride(value) + columnsOf(value) : 0;
  return elements * typeOf(value).getElementTypeBitWidth() / 8;
}

bool stretto::codegen::isRowStrided(Value value) { return rowsOf(value) > 1 && rowStride(value) != columnsOf(value); }

bool stretto::codegen::acceptsRowStride(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto slice = dyn_cast<seq::SliceOp>(op)) // one of all columns would have gaps that nobody expects
    return columnsOf(slice.getResult()) < columnsOf(slice.getOperand());
  return isa<seq::ConcatOp>(op) || seq::mayBeColumns(use);
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
  if (isa<seq::ReshapeOp, seq::SliceOp, seq::ConcatOp>(op))
    return op->getResult(0);
  if (auto scan = dyn_cast<seq::ScanOp>(op); scan && use.getOperandNumber() < scan.getCarry().size())
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
  if (isa_and_nonnull<seq::ReshapeOp, seq::SliceOp, seq::ConcatOp>(op))
    for (Value operand : op->getOperands())
      collectSources(operand, sources);
  if (auto scan = dyn_cast_if_present<seq::ScanOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    if (index < scan.getCarry().size())
      collectSources(scan.getCarry()[index], sources);
  }
}

bool stretto::codegen::isUsedLater(OpOperand &use) {
  SmallVector<Value> sources;
  collectSources(use.get(), sources);
  return llvm::any_of(sources, [&](Value source) { return isSeenFrom(source, use); });
}
