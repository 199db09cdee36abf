//===- RowEmitter.cpp - the code of one value at one row and column -----------===//
#include "codegen/cpu/RowEmitter.h"

#include "codegen/cpu/MathExpansion.h"
#include "codegen/rows/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace stretto;

//===- Places -----------------------------------------------------------------===//

void RowEmitter::enterNest(Operation *loop, Value number) {
  oneHead = !loop;
  headNumber = number;
  if (!scopes[block].block)
    scopes[block].block = loop ? loop->getBlock() : b.getInsertionBlock();
  scopes[block].before = loop;
  scopes[head] = {loop ? &loop->getRegion(0).front() : scopes[block].block, nullptr, {}};
}

void RowEmitter::setColumnLoop(Operation *loop) {
  scopes[head].before = loop;
  if (oneHead)
    scopes[block].before = loop;
}

void RowEmitter::enterColumns(Domain newDomain, int64_t newLanes, Value number, Value newMask,
                              ArrayRef<Stored> newStored) {
  stored = newStored;
  domain = newDomain;
  lanes = newLanes;
  columnNumber = number;
  mask = newMask;
  scopes[column] = {b.getInsertionBlock(), nullptr, {}};
  loaded.clear();
}

void RowEmitter::goTo(Level level) {
  Scope &scope = scopes[level];
  if (scope.before)
    b.setInsertionPoint(scope.before);
  else
    b.setInsertionPointToEnd(scope.block);
}

RowEmitter::Emitted RowEmitter::remember(Key key, Level level, llvm::function_ref<Value()> make) {
  for (Scope &scope : scopes) {
    auto known = scope.known.find(key);
    if (known != scope.known.end())
      return known->second;
  }
  goTo(level);
  return scopes[level].known[key] = {make(), level};
}

//===- Rows and addresses -----------------------------------------------------===//

Value RowEmitter::rowNumber(int64_t row) {
  auto make = [&] {
    Value number = b.add(base, b.index(row));
    return careful ? b.minimum(b.maximum(number, b.index(0)), b.index(frame.length - 1)) : number;
  };
  return remember({nullptr, row, 0, 0, 0}, block, make).value;
}

Value RowEmitter::isInside(int64_t row) {
  auto make = [&]() -> Value {
    Value number = b.add(base, b.index(row));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, b.index(frame.length));
  };
  return remember({nullptr, row, 1, 0, 0}, block, make).value;
}

RowEmitter::Emitted RowEmitter::pointerTo(const RowBuffer &buffer, int64_t row, Index index) {
  const void *tag = buffer.pointer.getAsOpaquePointer();
  if (!buffer.rowElements)
    row = 0;
  // Unmasked rows share one pointer and differ in constant offsets.
  int64_t anchor = careful ? row : 0;
  Value pointer = buffer.pointer;
  if (buffer.rowElements)
    pointer = remember({tag, anchor, -1, 0, 0}, block, [&] {
                return b.address(buffer.pointer, buffer.element, b.mul(rowNumber(anchor), buffer.rowElements));
              }).value;
  int64_t offset = index.base + (row - anchor) * buffer.rowElements;
  pointer = remember({tag, row, index.base, 0, -1}, block, [&] {
              return b.address(pointer, buffer.element, offset);
            }).value;
  if (!index.head)
    return {pointer, block};
  return remember({tag, row, index.base, index.head, -2}, head, [&] {
    return b.address(pointer, buffer.element, b.mul(headNumber, index.head));
  });
}

Value RowEmitter::addressOf(const RowBuffer &buffer, int64_t row, Index index) {
  Value pointer = pointerTo(buffer, row, index).value;
  goTo(column);
  return index.column ? b.address(pointer, buffer.element, columnNumber) : pointer;
}

Value RowEmitter::addressOf(const Stored &value, int64_t slot) {
  RowBuffer buffer = frame.stored[value.number];
  Index index{slot * buffer.rowElements, oneHead ? 0 : buffer.rowElements / domain.heads, 1};
  buffer.rowElements = 0;
  return addressOf(buffer, 0, index);
}

RowEmitter::Emitted RowEmitter::loadStored(const Stored &there, int64_t row) {
  Value address = addressOf(there, row - there.rows.low);
  return {b.load(getElementTypeOrSelf(there.value.getType()), lanes, address), column};
}

RowEmitter::Emitted RowEmitter::load(const RowBuffer &buffer, int64_t row, Index index) {
  Emitted pointer = pointerTo(buffer, row, index);
  Level level = levelOf(index);
  goTo(level);
  if (!index.column)
    return {b.load(buffer.element, 1, pointer.value), level};
  return {b.load(buffer.element, lanes, b.address(pointer.value, buffer.element, columnNumber), mask), level};
}

void RowEmitter::prefetch(const RowBuffer &buffer, int64_t row, Index index) {
  // Into the second level: rows whose distance is a power of two share few sets of the first.
  LLVM::Prefetch::create(b, addressOf(buffer, row, index), /*rw=*/0, /*hint=*/2, /*cache=*/1);
}

void RowEmitter::prefetchLoads(int64_t count) {
  for (const Loaded &load : loaded)
    for (int64_t row = 1; row <= count; ++row)
      prefetch(*load.buffer, load.lastRow + row, load.index);
}

//===- Values -------------------------------------------------------------------===//

RowEmitter::Emitted RowEmitter::get(Value value, int64_t row, Index index) {
  Key key{value.getAsOpaquePointer(), plan.isRowless(value) ? 0 : row, index.base, index.head, index.column};
  for (Scope &scope : scopes) {
    auto known = scope.known.find(key);
    if (known != scope.known.end())
      return known->second;
  }
  auto *there = llvm::find_if(stored, [&](const Stored &s) {
    return s.value == value && s.index == index && s.holds(row);
  });
  Emitted result = there == stored.end() ? compute(value, row, index) : loadStored(*there, row);
  return scopes[result.level].known[key] = result;
}

RowEmitter::Emitted RowEmitter::compute(Value value, int64_t row, Index index) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return loadOperand(frame.inputs[argument.getArgNumber()], row, index);
  Operation *op = value.getDefiningOp();
  if (op->hasTrait<OpTrait::ConstantLike>())
    return computeConstant(op);
  if (auto reduce = dyn_cast<seq::ReduceOp>(op))
    return load(frame.slots[plan.rootOf(reduce).number], row, index);
  if (auto tap = dyn_cast<seq::TapOp>(op))
    return computeTap(tap, row, index);
  if (auto number = dyn_cast<seq::ColumnIndexOp>(op))
    return computeColumnIndex(number, index);
  if (auto select = dyn_cast<arith::SelectOp>(op); select && assumed)
    if (Value condition = rowCondition(select)) {
      assumed->conditions.insert({condition, row + assumed->ahead});
      return get(select.getTrueValue(), row, index);
    }
  if (isMovement(op))
    return computeMovement(op, row, index);
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return computeSum(op, row, index);
  return computeElementwise(op, row, index);
}

Value stretto::rowCondition(arith::SelectOp select) {
  auto repeated = select.getCondition().getDefiningOp<seq::BroadcastOp>();
  bool isOfRow = repeated && cast<RankedTensorType>(repeated.getOperand().getType()).getRank() == 0;
  return isOfRow ? repeated.getOperand() : Value();
}

RowEmitter::Emitted RowEmitter::loadOperand(const RowBuffer &buffer, int64_t row, Index index) {
  if (buffer.rowElements && index.column) {
    auto *known = llvm::find_if(loaded, [&](Loaded &l) { return l.buffer == &buffer && l.index == index; });
    if (known == loaded.end())
      loaded.push_back({&buffer, index, row});
    else
      known->lastRow = std::max(known->lastRow, row);
  }
  return load(buffer, row, index);
}

RowEmitter::Emitted RowEmitter::computeConstant(Operation *op) {
  goTo(block);
  return {emitConstant(b, op), block};
}

RowEmitter::Emitted RowEmitter::computeTap(seq::TapOp op, int64_t row, Index index) {
  int64_t tapped = row + static_cast<int64_t>(op.getOffset());
  Emitted operand = get(op.getOperand(), tapped, index);
  if (!careful)
    return operand;
  Value inside = isInside(tapped);
  goTo(operand.level);
  Value zero = b.real(operand.value.getType(), 0);
  return {arith::SelectOp::create(b, inside, operand.value, zero), operand.level};
}

RowEmitter::Emitted RowEmitter::computeMovement(Operation *op, int64_t row, Index index) {
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

RowEmitter::Emitted RowEmitter::computeColumnIndex(seq::ColumnIndexOp op, Index index) {
  Type type = getElementTypeOrSelf(op.getType());
  Index number = plan.fitOf(op, index, domain).index;
  Level level = levelOf(number);
  goTo(level);
  Value first = b.index(number.base);
  if (number.head)
    first = b.add(first, b.mul(headNumber, number.head));
  if (number.column)
    first = b.add(first, columnNumber);
  return {emitColumnNumbers(b, type, first, number.column ? lanes : 1), level};
}

RowEmitter::Emitted RowEmitter::splat(Emitted scalar) {
  if (lanes == 1 || isa<VectorType>(scalar.value.getType()))
    return scalar;
  Key key{scalar.value.getAsOpaquePointer(), lanes, 0, 0, -3};
  return remember(key, scalar.level, [&] { return b.splat(scalar.value, lanes); });
}

RowEmitter::Level RowEmitter::agree(MutableArrayRef<Emitted> values) {
  Level level = block;
  for (Emitted &value : values)
    level = std::max(level, value.level);
  if (llvm::any_of(values, [](Emitted &v) { return isa<VectorType>(v.value.getType()); }))
    for (Emitted &value : values)
      value = splat(value);
  return level;
}

RowEmitter::Emitted RowEmitter::computeElementwise(Operation *op, int64_t row, Index index) {
  SmallVector<Emitted> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand, row, index));
  Level level = agree(operands);
  goTo(level);
  if (isa<seq::SigmoidOp, seq::SoftplusOp>(op))
    return computeActivation(op, operands[0]);
  SmallVector<Value> values = llvm::map_to_vector(operands, [](Emitted &operand) { return operand.value; });
  return {emitElementwise(b, op, values), level};
}

RowEmitter::Emitted RowEmitter::computeActivation(Operation *op, Emitted operand) {
  Value x = operand.value;
  return {isa<seq::SigmoidOp>(op) ? buildSigmoid(b, x) : emitSoftplus(b, x), operand.level};
}

std::optional<std::pair<Value, Value>> RowEmitter::emitFactors(Value value, int64_t row, Index index) {
  auto [term, at] = plan.behindMovements(value, index, domain);
  if (!isContracted(term))
    return std::nullopt;
  auto product = term.getDefiningOp<arith::MulFOp>();
  return std::pair(emit(product.getLhs(), row, at), emit(product.getRhs(), row, at));
}

RowEmitter::Emitted RowEmitter::computeSum(Operation *op, int64_t row, Index index) {
  bool left = isContracted(op->getOperand(0)), right = isContracted(op->getOperand(1));
  if (!left && !right)
    return computeElementwise(op, row, index);
  auto product = op->getOperand(left ? 0 : 1).getDefiningOp<arith::MulFOp>();
  Emitted parts[] = {get(product.getLhs(), row, index), get(product.getRhs(), row, index),
                     get(op->getOperand(left ? 1 : 0), row, index)};
  Level level = agree(parts);
  goTo(level);
  return {emitContracted(b, op, left, parts[0].value, parts[1].value, parts[2].value), level};
}
