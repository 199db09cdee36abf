//===- ThreadEmitter.cpp - elements of rows in a thread of a GPU ----------------===//
#include "codegen/cuda/ThreadEmitter.h"

#include "codegen/cuda/Functions.h"
#include "codegen/cuda/Prefetch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

ThreadEmitter::ThreadEmitter(CudaBuilder &builder, const RowPlan &plan, int64_t length, ReadReduction read)
    : ElementEmitter(builder, plan), cuda(builder), length(length), read(std::move(read)) {
  for (auto tap : plan.kernel().getBody().getOps<seq::TapOp>())
    tapped.insert(tap.getOperand());
}

//===- Places -----------------------------------------------------------------===//

void ThreadEmitter::enterChunk(Value live, Value end, int64_t sure) {
  chunkIsLive = live;
  chunkEnd = end;
  sureRows = sure;
}

void ThreadEmitter::enterRows(Value newBase, Operation *loop, int64_t unsure) {
  // What taps see of a value that is the same for each row depends on which rows are there, though on no row number.
  auto dependsOnRows = [&](const auto &entry) {
    auto [value, row, index, kind] = entry.first;
    return kind >= anywhere && !plan.isRowless(Value::getFromOpaquePointer(value));
  };
  std::erase_if(scopes[outer].known, dependsOnRows);
  base = newBase;
  firstUnsure = unsure;
  scopes[outer].block = loop ? loop->getBlock() : b.getInsertionBlock();
  scopes[outer].before = loop;
  scopes[middle] = scopes[inner] = {b.getInsertionBlock(), nullptr, {}};
}

void ThreadEmitter::enterPosition(const ThreadLayout &layout, const Position &here, int64_t number, Operation *loop) {
  domain = layout.domain;
  lanes = layout.lanes;
  head = here.head;
  column = here.column;
  columnEnd = here.end;
  threadsOfHead = std::min(layout.headsPerPass, layout.domain.heads) > 1 ? layout.pad : 0;
  valid = here.valid;
  position = number;
  positionLevel = loop ? inner : outer;
  scopes[middle].before = loop;
  // Where there is no loop, the builder may stand in front of the rows, where the last value has been computed.
  scopes[inner] = {loop ? b.getInsertionBlock() : scopes[middle].block, nullptr, {}};
}

void ThreadEmitter::leavePosition() {
  scopes[middle].before = nullptr;
  scopes[inner] = {b.getInsertionBlock(), nullptr, {}};
}

void ThreadEmitter::remember(Value value, int64_t row, Index index, Value known) {
  scopes[middle].known[keyOf(value, row, index)] = {known, middle};
}

//===- Rows and elements --------------------------------------------------------===//

Value ThreadEmitter::rowNumber(int64_t row) {
  return once({nullptr, row, {}, rowOf}, middle, [&] { return b.add(base, b.index(row)); }).value;
}

Value ThreadEmitter::insideRow(int64_t row) {
  Value number = rowNumber(row);
  if (!isUnsure(row))
    return number;
  return once({nullptr, row, {}, insideRowOf}, middle,
              [&] {
                Value inside = mayBeBefore(row) ? b.maximum(number, b.index(0)) : number;
                return mayBeBehind(row) ? b.minimum(inside, b.index(length - 1)) : inside;
              })
      .value;
}

Value ThreadEmitter::storedRow(int64_t row) {
  Value number = rowNumber(row);
  if (row < sureRows)
    return number;
  return once({nullptr, row, {}, storedRowOf}, middle, [&] { return b.minimum(number, b.add(chunkEnd, b.index(-1))); })
      .value;
}

Value ThreadEmitter::elementOf(Index index) {
  return once({nullptr, position, index, elementNumber}, positionLevel, [&] { return countElements(index); }).value;
}

int64_t ThreadEmitter::alignmentOf(const RowBuffer &buffer, Index index) const {
  return commonAlignment({index.base, index.head, index.strip, buffer.rowElements, index.column ? lanes : 0},
                         buffer.element);
}

ThreadEmitter::Emitted ThreadEmitter::maskOutside(Emitted value, int64_t row) {
  Value number = rowNumber(row);
  Value inside = once({nullptr, row, {}, isInside}, middle, [&]() -> Value {
                   return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, b.index(length));
                 }).value;
  Level level = std::max(value.level, middle);
  goTo(level);
  return {cuda.select(inside, value.value, b.real(value.value.getType(), 0)), level};
}

//===- Memory -------------------------------------------------------------------===//

Value ThreadEmitter::stagedRow(const RowBuffer &buffer, int64_t row) {
  Value number = insideRow(row);
  if (!mayBeBehind(row))
    return number;
  return once({nullptr, row, {}, stagedRowOf}, middle,
              [&] { return b.minimum(number, b.add(buffer.end, b.index(-1))); })
      .value;
}

Value ThreadEmitter::rowToLoad(const RowBuffer &buffer, int64_t row) {
  if (buffer.end)
    return stagedRow(buffer, row);
  // Stages ahead of the last row of a chunk need nothing: they read that row once more.
  return buffer.mayBeOverwritten || plan.isStaggered() ? storedRow(row) : insideRow(row);
}

ThreadEmitter::Emitted ThreadEmitter::loadOperand(BlockArgument argument, int64_t row, Index index) {
  const RowBuffer &buffer = inputs[argument.getArgNumber()];
  if (buffer.end)
    index = plan.inMatmul(index, domain);
  Level level = buffer.rowElements ? std::max(middle, levelOf(index)) : levelOf(index);
  Value pointer = buffer.pointer;
  if (buffer.rowElements) {
    Value number = rowToLoad(buffer, row);
    pointer = once({pointer.getAsOpaquePointer(), row, {}, rowPointer}, middle, [&] {
                return b.address(buffer.pointer, buffer.element, b.mul(number, buffer.rowElements));
              }).value;
  }
  Value element = elementOf(index);
  goTo(level);
  Value address = b.address(pointer, buffer.element, element);
  Value reads = buffer.mayBeOverwritten ? cuda.both(chunkIsLive, valid) : Value();
  int64_t count = index.column ? lanes : 1;
  Value loaded = cuda.loadWhere(reads, buffer.element, count, address, alignmentOf(buffer, index));
  if (auto load = loaded.getDefiningOp<LLVM::LoadOp>(); load && threadsOfHead != 0 && !index.head)
    load->setAttr(threadsApartAttr, b.getI64IntegerAttr(threadsOfHead));
  Type real = getElementTypeOrSelf(argument.getType());
  if (real != buffer.element) // the row of a matmul, which was rounded
    loaded = arith::ExtFOp::create(b, withLanes(real, count), loaded);
  return {loaded, level};
}

ThreadEmitter::Emitted ThreadEmitter::loadReduction(seq::ReduceOp reduce, int64_t row, Index index) {
  Value element = elementOf({index.base, index.head, 0});
  Level level = std::max(middle, levelOf(index));
  goTo(level);
  if (!index.column)
    return {read(reduce, row, element), level};
  // A vector of results of neighbouring heads.
  Value vector = b.real(withLanes(getElementTypeOrSelf(reduce.getType()), lanes), 0);
  Value first = b.add(element, column);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value one = read(reduce, row, b.add(first, b.index(lane)));
    if (lanes == 1)
      return {one, level};
    vector = vector::InsertOp::create(b, one, vector, lane);
  }
  return {vector, level};
}

//===- Values -------------------------------------------------------------------===//

/// Whether a value is a comparison of columns with a number above all that threads have here: they need not look.
bool ThreadEmitter::isSurelyBelow(Value value, Index index) {
  auto compare = value.getDefiningOp<arith::CmpFOp>();
  auto columns = compare ? compare.getLhs().getDefiningOp<seq::ColumnIndexOp>() : seq::ColumnIndexOp();
  SplatElementsAttr bound;
  if (!columns || compare.getPredicate() != arith::CmpFPredicate::OLT ||
      !matchPattern(compare.getRhs(), m_Constant(&bound)))
    return false;
  Index number = plan.fitOf(columns, index, domain).index;
  int64_t last = number.base + number.head * (domain.heads - 1) + number.column * (columnEnd - 1);
  return !number.strip && static_cast<double>(last) < bound.getSplatValue<APFloat>().convertToDouble();
}

/// A value that rows differ in is zero outside of the sequence, for all its taps.
ThreadEmitter::Emitted ThreadEmitter::compute(Value value, int64_t row, Index index) {
  if (isSurelyBelow(value, index)) {
    goTo(outer);
    return {arith::ConstantOp::create(b, b.getBoolAttr(true)), outer};
  }
  Emitted result = ElementEmitter::compute(value, row, index);
  bool isMasked = tapped.contains(value) && !plan.isRowless(value) && isUnsure(row);
  return isMasked ? maskOutside(result, row) : result;
}

/// One that is the same in each row is masked where it is tapped.
ThreadEmitter::Emitted ThreadEmitter::seenByTap(Value value, Emitted found, int64_t row) {
  return plan.isRowless(value) && isUnsure(row) ? maskOutside(found, row) : found;
}

Value ThreadEmitter::emitSigmoid(Value x) { return stretto::codegen::emitSigmoid(cuda, x); }

Value ThreadEmitter::emitElementwise(Operation *op, ValueRange operands) { return emitOnDevice(cuda, op, operands); }
