//===- KernOps.cpp - rules of the fused kernel ----------------------------===//
#include "ir/kern/KernOps.h"

#include "ir/seq/TensorShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::kern;

#include "ir/kern/KernAttrInterfaces.cpp.inc"
#include "ir/kern/KernInterfaces.cpp.inc"

YieldOp RowwiseOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

bool stretto::kern::isColumnSum(Value yielded) { return yielded.getDefiningOp<seq::ColumnSumOp>() != nullptr; }

std::pair<int64_t, int64_t> RowwiseOp::getRows() {
  auto leading = [](Value value) {
    RankedTensorType type = typeOf(value);
    return type.getRank() < 2 ? std::pair<int64_t, int64_t>(1, 1) : std::pair(type.getDimSize(0), type.getDimSize(1));
  };
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (getMap(i) == RowMap::row)
      return leading(input);
  for (auto [i, result] : llvm::enumerate(getResults()))
    if (!isColumnSum(i))
      return leading(result);
  return {1, 1};
}

/// What one row sees of an operand, or null where the operand lacks the dimensions.
static Type rowType(RankedTensorType type, RowMap map) {
  int64_t drop = map == RowMap::row ? 2 : map == RowMap::time ? 1 : 0;
  if (type.getRank() < drop)
    return {};
  return RankedTensorType::get(type.getShape().drop_front(drop), type.getElementType());
}

/// Bodies compute in f32 or f64: bf16 is read and stored.
static bool computesInBf16(Operation &op) {
  auto isRounded = [](Value value) { return typeOf(value).getElementType().isBF16(); };
  bool reads = isa<YieldOp, arith::ExtFOp>(op), stores = isa<arith::TruncFOp>(op);
  return (!reads && llvm::any_of(op.getOperands(), isRounded)) || (!stores && llvm::any_of(op.getResults(), isRounded));
}

static LogicalResult verifyBody(RowKernel op) {
  for (Operation &inner : op.getBody().front()) {
    if (!isa<YieldOp>(inner) && !seq::isRowOperation(&inner))
      return inner.emitOpError() << "is not a row operation";
    if (computesInBf16(inner))
      return inner.emitOpError() << "must not compute in bf16: operands are extended by arith.extf, results rounded by "
                                    "arith.truncf";
    if (!isa<seq::ColumnSumOp>(inner))
      continue;
    for (Operation *user : inner.getUsers())
      if (!isa<YieldOp>(user)) {
        InFlightDiagnostic error = inner.emitOpError() << "may only be yielded";
        error.attachNote(user->getLoc()) << "read here";
        return error;
      }
  }
  return success();
}

/// Arguments of the body against the operands that they are.
static LogicalResult verifyOperands(RowKernel op, unsigned count, unsigned maps) {
  Block &block = op.getBody().front();
  unsigned computed = block.getNumArguments() > 0 && !op.getOperandOf(0);
  if (maps != count || block.getNumArguments() != computed + count)
    return op->emitOpError() << "needs one map and one body argument for each of " << count << " operands, but got "
                             << maps << " and " << block.getNumArguments() - computed;
  auto [batch, time] = op.getRows();
  for (BlockArgument argument : block.getArguments().drop_front(computed)) {
    unsigned i = argument.getArgNumber();
    RowMap map = op.getMap(i);
    auto type = typeOf(op.getOperandOf(i)->get());
    Type row = rowType(type, map);
    if (!row || row != argument.getType())
      return op->emitOpError() << "body argument " << i << " must be what one row sees of " << type << ", but got "
                               << argument.getType();
    bool rowsAgree =
        map == RowMap::shared ||
        (map == RowMap::time ? type.getDimSize(0) == time : type.getDimSize(0) == batch && type.getDimSize(1) == time);
    if (!rowsAgree)
      return op->emitOpError() << "operand " << op.getOperandOf(i)->getOperandNumber() << " must have " << batch
                               << " x " << time << " rows, but got " << type;
  }
  return success();
}

static LogicalResult verifyResults(RowKernel op) {
  auto [batch, time] = op.getRows();
  auto yielded = op.getYielded();
  if (yielded.size() != op->getNumResults())
    return op->emitOpError() << "must yield one value for each of " << op->getNumResults() << " results, but got "
                             << yielded.size();
  for (auto [i, value] : llvm::enumerate(yielded)) {
    SmallVector<int64_t> shape;
    if (!op.isColumnSum(i))
      shape = {batch, time};
    else if (op.getPartialSums())
      shape = {op.getChunks()};
    llvm::append_range(shape, typeOf(value).getShape());
    auto expected = RankedTensorType::get(shape, typeOf(value).getElementType());
    if (op->getResult(i).getType() != expected)
      return op->emitOpError() << "result " << i << " must have type " << expected << ", but got "
                               << op->getResult(i).getType();
  }
  return success();
}

LogicalResult stretto::kern::verifyRowKernel(RowKernel op, unsigned operands, unsigned maps) {
  if (op.getPartialSums() && !op.getSchedule())
    return op->emitOpError() << "partial sums need a schedule";
  if (failed(verifyOperands(op, operands, maps)) || failed(verifyResults(op)))
    return failure();
  return verifyBody(op);
}

LogicalResult stretto::kern::verifyStrips(Operation *op, int64_t columns, int64_t pieces, int64_t strip) {
  if (columns % pieces)
    return op->emitOpError() << "the pieces of the schedule must divide " << columns << " columns, but got " << pieces;
  if (strip > columns / pieces)
    return op->emitOpError() << "the strip of the schedule must have at most the " << columns / pieces
                             << " columns of a piece, but has " << strip;
  return success();
}

/// Elements of one row of the widest `row` operand; 0: there is none.
static int64_t widestRow(RowwiseOp op) {
  int64_t widest = 0;
  for (BlockArgument argument : op.getBody().getArguments())
    if (op.getMap(argument.getArgNumber()) == RowMap::row)
      widest = std::max(widest, typeOf(argument).getNumElements());
  return widest;
}

LogicalResult RowwiseOp::verify() {
  if (failed(verifyRowKernel(*this, getInputs().size(), getMaps().size())))
    return failure();
  auto schedule = dyn_cast_or_null<VectorScheduleAttr>(getScheduleAttr());
  if (!schedule || !schedule.getStrip())
    return success();
  return verifyStrips(*this, widestRow(*this), schedule.getPieces(), schedule.getStrip());
}

LogicalResult SumPartialsOp::verify() {
  if (getPartials().empty() || getPartials().size() != getSums().size())
    return emitOpError() << "must have a result for each of the partials, at least one, but got "
                         << getPartials().size() << " and " << getSums().size();
  for (auto [i, partials, sum] : llvm::enumerate(getPartials(), getSums())) {
    RankedTensorType from = typeOf(partials), to = typeOf(sum);
    if (from.getRank() < 1 || from.clone(from.getShape().drop_front()) != to)
      return emitOpError() << "result " << i << " must be the partials without their leading dimension, but got "
                           << from << " and " << to;
  }
  if (getAccumulator() && getSums().size() > 1)
    return emitOpError() << "must add to an accumulator as the only sum, but got " << getSums().size() << " sums";
  if (getAccumulator() && getAccumulator().getType() != getSums()[0].getType())
    return emitOpError() << "accumulator must have the type of the result, but got " << getAccumulator().getType();
  return success();
}

seq::ValueFacts SumPartialsOp::getOperandFacts(unsigned) { return {RowKind::shared}; }
seq::ValueFacts SumPartialsOp::getResultFacts(unsigned) { return {RowKind::shared}; }
double SumPartialsOp::getFlops() {
  double flops = 0;
  for (Value partials : getPartials())
    flops += static_cast<double>(typeOf(partials).getNumElements());
  return flops;
}
std::optional<MutableOperandRange> SumPartialsOp::getAccumulatorSlot() { return getAccumulatorMutable(); }

seq::ValueFacts CopyOp::getOperandFacts(unsigned) {
  return {std::nullopt, seq::Rounding::allowed, /*mayBeColumns=*/true};
}
seq::ValueFacts CopyOp::getResultFacts(unsigned number) { return getOperandFacts(number); }
bool CopyOp::onlyMoves() { return true; }

LogicalResult PadOp::verify() {
  auto from = typeOf(getOperand()), to = typeOf(getResult());
  bool rowsAgree = from.getRank() > 0 && to.getRank() == from.getRank() &&
                   to.getShape().drop_back() == from.getShape().drop_back() &&
                   to.getElementType() == from.getElementType();
  if (!rowsAgree || to.getShape().back() <= from.getShape().back())
    return emitOpError() << "result must be the operand with more columns, but got " << from << " and " << to;
  return success();
}

/// A number of buckets for each iteration.
static LogicalResult verifyCounts(Operation *op, ArrayRef<int64_t> counts, StringRef what) {
  if (counts.empty() || llvm::any_of(counts, [](int64_t count) { return count < 0; }))
    return op->emitOpError() << "must tell for each iteration how many buckets " << what << ", but got [" << counts
                             << "]";
  return success();
}

LogicalResult ReadyOp::verify() {
  if (getParameters().size() != getGradients().size())
    return emitOpError() << "must have a gradient for each of " << getParameters().size() << " parameters, but got "
                         << getGradients().size();
  return verifyCounts(*this, getBuckets(), "are final");
}

LogicalResult AwaitOp::verify() { return verifyCounts(*this, getBuckets(), "must have come"); }

LogicalResult ReadyOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto [name, gradient] : llvm::zip(getParameters().getAsRange<FlatSymbolRefAttr>(), getGradients())) {
    auto parameter = symbols.lookupNearestSymbolFrom<seq::ParameterOp>(*this, name);
    if (!parameter || parameter.getFrozen())
      return emitOpError() << "must name parameters that are trained, but got " << name;
    RankedTensorType whole = parameter.getTensorType();
    Type entry = parameter.getStacked()
                     ? Type(RankedTensorType::get(whole.getShape().drop_front(), whole.getElementType()))
                     : Type();
    if (gradient.getType() != whole && gradient.getType() != entry)
      return emitOpError() << "must be given " << whole << " for " << name << ", or an entry of it, but got "
                           << gradient.getType();
  }
  return success();
}
