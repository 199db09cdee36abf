//===- ElementEmitter.cpp - the code of one value at one row and column ---------===//
#include "codegen/rows/ElementEmitter.h"

#include "codegen/rows/Dropout.h"
#include "codegen/rows/Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

//===- Places -----------------------------------------------------------------===//

void ElementEmitter::goTo(Level level) {
  Scope &scope = scopes[level];
  if (scope.before)
    b.setInsertionPoint(scope.before);
  else
    b.setInsertionPointToEnd(scope.block);
}

ElementEmitter::Key ElementEmitter::keyOf(Value value, int64_t row, Index index) const {
  bool depends = index.head || index.column;
  return {value.getAsOpaquePointer(), plan.isRowless(value) ? 0 : row, index, depends ? position : anywhere};
}

const ElementEmitter::Emitted *ElementEmitter::find(const Key &key) const {
  for (const Scope &scope : scopes)
    if (auto known = scope.known.find(key); known != scope.known.end())
      return &known->second;
  return nullptr;
}

ElementEmitter::Emitted ElementEmitter::once(Key key, Level level, llvm::function_ref<Value()> make) {
  if (const Emitted *known = find(key))
    return *known;
  goTo(level);
  return scopes[level].known[key] = {make(), level};
}

Value ElementEmitter::countElements(Index index) {
  Value element = b.index(index.base);
  if (index.strip && strip)
    element = b.add(element, b.mul(strip, index.strip));
  if (index.head)
    element = b.add(element, b.mul(head, index.head));
  return index.column ? b.add(element, column) : element;
}

Value ElementEmitter::elementOf(Index index) {
  goTo(levelOf(index));
  return countElements(index);
}

//===- Values -------------------------------------------------------------------===//

ElementEmitter::Emitted ElementEmitter::get(Value value, int64_t row, Index index) {
  Key key = keyOf(value, row, index);
  if (const Emitted *known = find(key))
    return *known;
  Emitted result = compute(value, row, index);
  return scopes[result.level].known[key] = result;
}

ElementEmitter::Emitted ElementEmitter::compute(Value value, int64_t row, Index index) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return loadOperand(argument, row, index);
  Operation *op = value.getDefiningOp();
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    goTo(outer);
    return {emitConstant(b, op), outer};
  }
  if (auto reduce = dyn_cast<seq::ReduceOp>(op))
    return loadReduction(reduce, row, index);
  if (auto tap = dyn_cast<seq::TapOp>(op))
    return computeTap(tap, row, index);
  if (auto number = dyn_cast<seq::ColumnIndexOp>(op))
    return computeColumnIndex(number, index);
  if (auto dropout = dyn_cast<seq::DropoutOp>(op))
    return computeDropout(dropout, row, index);
  if (isa<seq::MovementOp>(op))
    return computeMovement(op, row, index);
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return computeSum(op, row, index);
  return computeElementwise(op, row, index);
}

ElementEmitter::Emitted ElementEmitter::computeTap(seq::TapOp op, int64_t row, Index index) {
  int64_t from = row + static_cast<int64_t>(op.getOffset());
  return seenByTap(op.getOperand(), get(op.getOperand(), from, index), from);
}

ElementEmitter::Emitted ElementEmitter::computeMovement(Operation *op, int64_t row, Index index) {
  const Fit &fit = plan.fitOf(op, index, domain);
  Emitted source = get(sourceOperand(op, fit), row, fit.index);
  if (!isa<seq::PermuteOp>(op) || fit.source == 0 || !isa<VectorType>(source.value.getType()))
    return source;
  SmallVector<int64_t> swapped;
  for (int64_t lane = 0; lane < lanes; ++lane)
    swapped.push_back(lane ^ 1);
  goTo(source.level);
  return {vector::ShuffleOp::create(b, source.value, source.value, swapped), source.level};
}

ElementEmitter::Emitted ElementEmitter::computeColumnIndex(seq::ColumnIndexOp op, Index index) {
  Index number = plan.fitOf(op, index, domain).index;
  Value first = elementOf(number);
  Level level = levelOf(number);
  goTo(level);
  return {emitColumnNumbers(b, getElementTypeOrSelf(op.getType()), first, number.column ? lanes : 1), level};
}

/// What all columns of a row have in common is made once for them.
ElementEmitter::Emitted ElementEmitter::computeDropout(seq::DropoutOp op, int64_t row, Index index) {
  Emitted key = get(op.getKeys(), row, index), place = get(op.getPlace(), row, index);
  Emitted x = get(op.getOperand(), row, index);
  Level ofWords = std::max(key.level, place.level), level = std::max({ofWords, x.level, levelOf(index)});
  goTo(ofWords);
  auto words = emitDropoutWords(b, key.value, place.value);
  Value first = elementOf(index);
  goTo(level);
  return {emitDropout(b, op, b.splat(x.value, index.column ? lanes : 1), words, first), level};
}

ElementEmitter::Level ElementEmitter::agree(MutableArrayRef<Emitted> values) {
  Level level = outer;
  for (Emitted &value : values)
    level = std::max(level, value.level);
  if (llvm::any_of(values, [](Emitted &v) { return isa<VectorType>(v.value.getType()); }))
    for (Emitted &value : values)
      value.value = splat(value, level);
  goTo(level);
  return level;
}

Value ElementEmitter::splat(Emitted scalar, Level level) {
  goTo(level);
  return b.splat(scalar.value, lanes);
}

ElementEmitter::Emitted ElementEmitter::computeElementwise(Operation *op, int64_t row, Index index) {
  SmallVector<Emitted> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand, row, index));
  Level level = agree(operands);
  return {emitElementwise(op, llvm::map_to_vector(operands, [](Emitted &operand) { return operand.value; })), level};
}

Value ElementEmitter::emitElementwise(Operation *op, ValueRange operands) {
  if (isa<seq::SigmoidOp>(op))
    return emitSigmoid(operands[0]);
  if (isa<seq::SoftplusOp>(op))
    return emitSoftplus(b, operands[0]);
  if (isa<math::SinOp, math::CosOp>(op))
    return emitTurn(b, op, operands[0]);
  return stretto::codegen::emitElementwise(b, op, operands);
}

//===- Sums ---------------------------------------------------------------------===//

ElementEmitter::Emitted ElementEmitter::computeSum(Operation *op, int64_t row, Index index) {
  bool left = isContracted(op->getOperand(0)), right = isContracted(op->getOperand(1));
  if (!left && !right)
    return computeElementwise(op, row, index);
  auto product = op->getOperand(left ? 0 : 1).getDefiningOp<arith::MulFOp>();
  Emitted parts[] = {get(product.getLhs(), row, index), get(product.getRhs(), row, index),
                     get(op->getOperand(left ? 1 : 0), row, index)};
  Level level = agree(parts);
  return {emitContracted(b, op, left, parts[0].value, parts[1].value, parts[2].value), level};
}

std::pair<Value, Value> ElementEmitter::emitFactors(arith::MulFOp product, int64_t row, Index index) {
  Value left = emit(product.getLhs(), row, index);
  return {left, emit(product.getRhs(), row, index)};
}

Value ElementEmitter::accumulate(seq::ReduceKind kind, Value sum, Value value, int64_t row, Index index) {
  int64_t width = lanesOf(sum);
  auto [source, at] = plan.behindMovements(value, index, domain);
  if (kind == seq::ReduceKind::add && isContracted(source)) {
    auto [x, y] = emitFactors(source.getDefiningOp<arith::MulFOp>(), row, at);
    goToPosition();
    return b.mulAdd(b.splat(x, width), b.splat(y, width), sum);
  }
  Value term = emit(value, row, index);
  goToPosition();
  return b.combine(kind, sum, b.splat(term, width));
}
