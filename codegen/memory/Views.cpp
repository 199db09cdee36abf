//===- Views.cpp --------------------------------------------------------------===//
#include "codegen/memory/Views.h"

using namespace mlir;
using namespace stretto;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
static int64_t columns(Value value) { return typeOf(value).getRank() ? typeOf(value).getShape().back() : 1; }
static int64_t rows(Value value) { return typeOf(value).getNumElements() / std::max<int64_t>(columns(value), 1); }

static seq::ConcatOp concatUser(Value value) {
  for (Operation *user : value.getUsers())
    if (auto concat = dyn_cast<seq::ConcatOp>(user))
      return concat;
  return {};
}

int64_t stretto::rowStride(Value value) {
  if (auto slice = value.getDefiningOp<seq::SliceOp>())
    return rowStride(slice.getOperand());
  if (auto concat = concatUser(value))
    return rowStride(concat.getResult());
  return columns(value);
}

int64_t stretto::spanBytes(Value value) {
  int64_t elements = rows(value) ? (rows(value) - 1) * rowStride(value) + columns(value) : 0;
  return elements * typeOf(value).getElementTypeBitWidth() / 8;
}

bool stretto::isRowStrided(Value value) { return rows(value) > 1 && rowStride(value) != columns(value); }

bool stretto::acceptsRowStride(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto slice = dyn_cast<seq::SliceOp>(op)) // one of all columns would have gaps that nobody expects
    return columns(slice.getResult()) < columns(slice.getOperand());
  if (isa<seq::LinearOp, seq::LinearInputGradOp>(op)) // all but the weight
    return use.getOperandNumber() != 1;
  if (isa<seq::ConcatOp, kern::CopyOp>(op))
    return true;
  if (isa<seq::LinearWeightGradOp>(op))
    return use.getOperandNumber() < 2;
  if (isa<seq::AttentionOp>(op))
    return true;
  if (isa<seq::AttentionStepOp>(op))
    return use.getOperandNumber() == 0;
  if (isa<seq::WriteCacheOp>(op))
    return use.getOperandNumber() == 1;
  if (isa<seq::AttentionGradOp>(op)) // all but lse
    return use.getOperandNumber() < 5;
  return false;
}

bool stretto::canWriteRowStride(OpResult result) {
  Operation *op = result.getOwner();
  if (isa<seq::AttentionOp>(op))
    return result.getResultNumber() == 0;
  return isa<seq::LinearOp, seq::LinearInputGradOp, seq::AttentionGradOp, seq::AttentionStepOp, kern::CopyOp>(op);
}

OpOperand *stretto::accumulatorOf(Operation *op) {
  bool has = false;
  if (auto grad = dyn_cast<seq::LinearWeightGradOp>(op))
    has = static_cast<bool>(grad.getAccumulator());
  else if (auto grad = dyn_cast<seq::EmbedGradOp>(op))
    has = static_cast<bool>(grad.getAccumulator());
  else if (auto sum = dyn_cast<kern::SumPartialsOp>(op))
    has = static_cast<bool>(sum.getAccumulator());
  return has ? &op->getOpOperand(op->getNumOperands() - 1) : nullptr;
}

OpOperand *stretto::addendOf(Operation *op) {
  auto linear = dyn_cast<seq::LinearOp>(op);
  return linear && linear.getAddend() ? &op->getOpOperand(2) : nullptr;
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

bool stretto::isUsedLater(OpOperand &use) {
  SmallVector<Value> sources;
  collectSources(use.get(), sources);
  return llvm::any_of(sources, [&](Value source) { return isSeenFrom(source, use); });
}
