//===- RowEmitter.cpp - elements of a block of rows on a CPU ------------------===//
#include "codegen/cpu/RowEmitter.h"

#include "codegen/cpu/MathExpansion.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

//===- Places -----------------------------------------------------------------===//

void RowEmitter::enterNest(Operation *loop, Value number) {
  oneHead = !loop;
  head = number;
  if (!scopes[outer].block)
    scopes[outer].block = loop ? loop->getBlock() : b.getInsertionBlock();
  scopes[outer].before = loop;
  scopes[middle] = {loop ? &loop->getRegion(0).front() : scopes[outer].block, nullptr, {}};
}

void RowEmitter::setColumnLoop(Operation *loop) {
  scopes[middle].before = loop;
  if (oneHead)
    scopes[outer].before = loop;
}

void RowEmitter::enterColumns(Domain newDomain, int64_t newLanes, Value number, Value newMask,
                              ArrayRef<Stored> newStored) {
  stored = newStored;
  domain = newDomain;
  lanes = newLanes;
  column = number;
  mask = newMask;
  scopes[inner] = {b.getInsertionBlock(), nullptr, {}};
  loaded.clear();
}

//===- Rows and addresses -----------------------------------------------------===//

Value RowEmitter::rowNumber(int64_t row) {
  auto make = [&] {
    Value number = b.add(base, b.index(row));
    return careful ? b.minimum(b.maximum(number, b.index(0)), b.index(frame.length - 1)) : number;
  };
  return once({nullptr, row, {}, rowInside}, outer, make).value;
}

Value RowEmitter::isInside(int64_t row) {
  auto make = [&]() -> Value {
    Value number = b.add(base, b.index(row));
    return b.compare(arith::CmpIPredicate::ult, number, b.index(frame.length));
  };
  return once({nullptr, row, {}, isRowInside}, outer, make).value;
}

RowEmitter::Place RowEmitter::placeOf(const RowBuffer &buffer, int64_t row, Index index) {
  const void *of = buffer.pointer.getAsOpaquePointer();
  // Unmasked rows share their pointers; careful ones are clamped one by one.
  int64_t anchor = careful && buffer.rowElements ? row : 0;
  Value pointer = buffer.pointer;
  auto move = [&](Kind kind, Index by, Level level, llvm::function_ref<Value()> elements) {
    pointer = once({of, anchor, by, kind}, level, [&] { return b.address(pointer, buffer.element, elements()); }).value;
  };
  if (buffer.rowElements)
    move(rowPointer, {}, outer, [&] { return b.mul(rowNumber(anchor), buffer.rowElements); });
  if (index.strip && strip)
    move(stripPointer, {0, 0, 0, index.strip}, outer, [&] { return b.mul(strip, index.strip); });
  if (index.head)
    move(headPointer, {0, index.head, 0, index.strip}, middle, [&] { return b.mul(head, index.head); });
  if (index.column)
    move(columnPointer, {0, index.head, index.column, index.strip}, inner, [&] { return column; });
  int64_t offset = index.base + (buffer.rowElements ? row - anchor : 0) * buffer.rowElements;
  return {pointer, offset, levelOf(index)};
}

Value RowEmitter::addressOf(const RowBuffer &buffer, int64_t row, Index index) {
  Place place = placeOf(buffer, row, index);
  goTo(inner);
  return b.address(place.pointer, buffer.element, place.offset);
}

Value RowEmitter::addressOf(const Stored &value, int64_t slot) {
  RowBuffer buffer = frame.stored[value.number];
  Index index{slot * buffer.rowElements, oneHead ? 0 : buffer.rowElements / domain.heads, 1};
  buffer.rowElements = 0;
  return addressOf(buffer, 0, index);
}

//===- Memory -------------------------------------------------------------------===//

RowEmitter::Emitted RowEmitter::loadStored(const Stored &there, int64_t row) {
  Value address = addressOf(there, row - there.rows.low);
  return {b.load(getElementTypeOrSelf(there.value.getType()), lanes, address), inner};
}

RowEmitter::Emitted RowEmitter::load(const RowBuffer &buffer, int64_t row, Index index) {
  Place place = placeOf(buffer, row, index);
  goTo(place.level);
  Value address = b.address(place.pointer, buffer.element, place.offset);
  return {index.column ? b.load(buffer.element, lanes, address, mask) : b.load(buffer.element, 1, address),
          place.level};
}

RowEmitter::Emitted RowEmitter::loadOperand(BlockArgument argument, int64_t row, Index index) {
  const RowBuffer &buffer = frame.inputs[argument.getArgNumber()];
  if (!plan.kernel().getOperandOf(argument.getArgNumber()))
    return load(buffer, row, plan.inMatmul(index, domain));
  if (buffer.rowElements && index.column) {
    auto *known = llvm::find_if(loaded, [&](RowColumns &l) { return l.buffer == &buffer && l.index == index; });
    if (known == loaded.end())
      loaded.push_back({&buffer, index, row + 1});
    else
      known->row = std::max(known->row, row + 1);
  }
  return load(buffer, row, index);
}

RowEmitter::Emitted RowEmitter::loadReduction(seq::ReduceOp reduce, int64_t row, Index index) {
  return load(frame.slots[plan.rootOf(reduce).number], row, index);
}

void RowEmitter::prefetch(const RowColumns &columns, int64_t rows, int level) {
  for (int64_t row = columns.row; row < columns.row + rows; ++row)
    LLVM::Prefetch::create(b, addressOf(*columns.buffer, row, columns.index), /*rw=*/0, /*hint=*/4 - level,
                           /*cache=*/1);
}

//===- Values -------------------------------------------------------------------===//

Value stretto::codegen::rowCondition(arith::SelectOp select) {
  auto repeated = select.getCondition().getDefiningOp<seq::BroadcastOp>();
  bool isOfRow = repeated && cast<RankedTensorType>(repeated.getOperand().getType()).getRank() == 0;
  return isOfRow ? repeated.getOperand() : Value();
}

RowEmitter::Emitted RowEmitter::compute(Value value, int64_t row, Index index) {
  auto *there =
      llvm::find_if(stored, [&](const Stored &s) { return s.value == value && s.index == index && s.holds(row); });
  if (there != stored.end())
    return loadStored(*there, row);
  if (auto select = value.getDefiningOp<arith::SelectOp>(); select && assumed)
    if (Value condition = rowCondition(select)) {
      assumed->conditions.insert({condition, row + assumed->ahead});
      return get(select.getTrueValue(), row, index);
    }
  return ElementEmitter::compute(value, row, index);
}

RowEmitter::Emitted RowEmitter::seenByTap(Value, Emitted value, int64_t row) {
  if (!careful)
    return value;
  Value inside = isInside(row);
  goTo(value.level);
  Value zero = b.real(value.value.getType(), 0);
  return {arith::SelectOp::create(b, inside, value.value, zero), value.level};
}

Value RowEmitter::emitSigmoid(Value x) { return buildSigmoid(b, x); }

std::pair<Value, Value> RowEmitter::emitFactors(arith::MulFOp product, int64_t row, Index index) {
  Value right = emit(product.getRhs(), row, index);
  return {emit(product.getLhs(), row, index), right};
}

Value RowEmitter::splat(Emitted scalar, Level) {
  if (lanes == 1 || isa<VectorType>(scalar.value.getType()))
    return scalar.value;
  return once({scalar.value.getAsOpaquePointer(), lanes, {}, repeated}, scalar.level,
              [&] { return b.splat(scalar.value, lanes); })
      .value;
}
