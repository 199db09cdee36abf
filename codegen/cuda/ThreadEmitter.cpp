//===- ThreadEmitter.cpp - the code of one value at one row and column ----------===//
#include "codegen/cuda/ThreadEmitter.h"

#include "codegen/rows/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numbers>

using namespace mlir;
using namespace stretto;

/// 2^x of f32 by one instruction, to two units in the last place.
static Value emitPowerOfTwo(CudaBuilder &b, Value x) {
  return LLVM::CallIntrinsicOp::create(b, b.getF32Type(), b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f"), ValueRange{x})
      .getResult(0);
}

/// 1 / (1 + exp(-x)). In f32 the error is below 1e-7: that of exp(-x), which grows with x, meets a slope that falls with
/// exp(-|x|).
static Value emitSigmoid(CudaBuilder &b, Value x) {
  Value one = b.real(x.getType(), 1);
  if (!getElementTypeOrSelf(x.getType()).isF32())
    return arith::DivFOp::create(
        b, one, arith::AddFOp::create(b, one, math::ExpOp::create(b, arith::NegFOp::create(b, x))));
  Value exponent = arith::MulFOp::create(b, x, b.real(x.getType(), -std::numbers::log2e));
  auto sigmoid = [&](Value power) -> Value {
    Value sum = arith::AddFOp::create(b, emitPowerOfTwo(b, power), b.real(b.getF32Type(), 1));
    return NVVM::RcpApproxFtzF32Op::create(b, b.getF32Type(), sum);
  };
  if (!isa<VectorType>(x.getType()))
    return sigmoid(exponent);
  Value result = b.real(x.getType(), 0);
  for (int64_t lane = 0; lane < lanesOf(x); ++lane)
    result = vector::InsertOp::create(b, sigmoid(vector::ExtractOp::create(b, exponent, lane)), result, lane);
  return result;
}

/// f32 of bf16, two lanes from each word: one shift and one mask.
static Value emitWide(CudaBuilder &b, Value x) {
  int64_t lanes = lanesOf(x);
  Type word = b.getI32Type(), f32 = b.getF32Type();
  Value words = vector::BitCastOp::create(b, VectorType::get({lanes / 2}, word), x);
  auto constant = [&](int32_t number) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(number)).getResult(); };
  Value half = constant(16), upper = constant(static_cast<int32_t>(0xffff0000u));
  Value result = b.real(withLanes(f32, lanes), 0);
  for (int64_t i = 0; i < lanes; ++i) {
    Value pair = vector::ExtractOp::create(b, words, i / 2);
    Value bits = i % 2 ? arith::AndIOp::create(b, pair, upper).getResult() : arith::ShLIOp::create(b, pair, half);
    result = vector::InsertOp::create(b, arith::BitcastOp::create(b, f32, bits), result, i);
  }
  return result;
}

ThreadEmitter::ThreadEmitter(CudaBuilder &b, RowPlan &plan, kern::RowwiseOp op, int64_t length, ReadReduction read)
    : b(b), plan(plan), op(op), length(length), read(std::move(read)) {
  for (auto tap : op.getBody().getOps<seq::TapOp>())
    tapped.insert(tap.getOperand());
}

//===- Places -----------------------------------------------------------------===//

void ThreadEmitter::enterChunk(Value live, Value end) {
  chunkIsLive = live;
  chunkEnd = end;
}

void ThreadEmitter::enterRows(Value newBase, Operation *loop, int64_t unsure) {
  base = newBase;
  firstUnsure = unsure;
  scopes[front].block = loop ? loop->getBlock() : b.getInsertionBlock();
  scopes[front].before = loop;
  scopes[step] = scopes[position] = {b.getInsertionBlock(), nullptr, {}};
}

void ThreadEmitter::enterPosition(const ThreadLayout &newLayout, const Position &newPosition, int64_t number,
                                  Operation *loop) {
  layout = &newLayout;
  here = newPosition;
  positionNumber = number;
  positionLevel = loop ? position : front;
  scopes[step].before = loop;
  scopes[position] = {b.getInsertionBlock(), nullptr, {}};
}

void ThreadEmitter::leavePosition() {
  scopes[step].before = nullptr;
  scopes[position] = {b.getInsertionBlock(), nullptr, {}};
}

void ThreadEmitter::goTo(Level level) {
  Scope &scope = scopes[level];
  if (scope.before)
    b.setInsertionPoint(scope.before);
  else
    b.setInsertionPointToEnd(scope.block);
}

ThreadEmitter::Key ThreadEmitter::keyOf(Value value, int64_t row, Index index) const {
  bool depends = index.head || index.column;
  return {value.getAsOpaquePointer(), plan.isRowless(value) ? 0 : row, index.base, index.head, index.column,
          depends ? positionNumber : -1};
}

Value ThreadEmitter::once(Key key, Level level, llvm::function_ref<Value()> make) {
  for (Scope &scope : scopes)
    if (auto known = scope.known.find(key); known != scope.known.end())
      return known->second.value;
  goTo(level);
  Value made = make();
  scopes[level].known[key] = {made, level};
  return made;
}

void ThreadEmitter::remember(Value value, int64_t row, Index index, Value known) {
  scopes[step].known[keyOf(value, row, index)] = {known, step};
}

//===- Rows and elements --------------------------------------------------------===//

Value ThreadEmitter::rowNumber(int64_t row) {
  return once({nullptr, row, 0, 0, 0, -1}, step, [&] { return b.add(base, b.index(row)); });
}

Value ThreadEmitter::insideRow(int64_t row) {
  Value number = rowNumber(row);
  if (!mayBeBefore(row) && !mayBeBehind(row))
    return number;
  return once({nullptr, row, 1, 0, 0, -1}, step, [&] {
    Value inside = mayBeBefore(row) ? b.maximum(number, b.index(0)) : number;
    return mayBeBehind(row) ? b.minimum(inside, b.index(length - 1)) : inside;
  });
}

Value ThreadEmitter::storedRow(int64_t row) {
  Value number = rowNumber(row);
  if (!chunkEnd)
    return number;
  return once({nullptr, row, 5, 0, 0, -1}, step, [&] { return b.minimum(number, b.add(chunkEnd, b.index(-1))); });
}

ThreadEmitter::Emitted ThreadEmitter::maskOutside(Emitted value, int64_t row) {
  Value number = rowNumber(row);
  Value inside = once({nullptr, row, 2, 0, 0, -1}, step, [&]() -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, b.index(length));
  });
  Level level = std::max(value.level, step);
  goTo(level);
  return {b.select(inside, value.value, b.real(value.value.getType(), 0)), level};
}

Value ThreadEmitter::elementOf(Index index) {
  return once({nullptr, index.base, index.head, index.column, 3, positionNumber}, positionLevel, [&] {
    Value element = b.index(index.base);
    if (index.head)
      element = b.add(element, b.mul(here.head, index.head));
    return index.column ? b.add(element, here.column) : element;
  });
}

int64_t ThreadEmitter::alignmentOf(const DeviceBuffer &buffer, Index index) const {
  return commonAlignment({index.base, index.head, buffer.rowElements, index.column ? layout->lanes : 0}, buffer.element);
}

//===- Values -------------------------------------------------------------------===//

ThreadEmitter::Emitted ThreadEmitter::emit(Value value, int64_t row, Index index) {
  Key key = keyOf(value, row, index);
  for (Scope &scope : scopes)
    if (auto known = scope.known.find(key); known != scope.known.end())
      return known->second;
  Emitted result = compute(value, row, index);
  if (tapped.contains(value) && !plan.isRowless(value) && (mayBeBefore(row) || mayBeBehind(row)))
    result = maskOutside(result, row);
  return scopes[result.level].known[key] = result;
}

ThreadEmitter::Emitted ThreadEmitter::compute(Value value, int64_t row, Index index) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return loadOperand(argument, row, index);
  Operation *inner = value.getDefiningOp();
  if (inner->hasTrait<OpTrait::ConstantLike>()) {
    goTo(front);
    return {emitConstant(b, inner), front};
  }
  if (auto reduce = dyn_cast<seq::ReduceOp>(inner))
    return loadReduction(reduce, row, index);
  if (auto tap = dyn_cast<seq::TapOp>(inner)) {
    Emitted source = emit(tap.getOperand(), row + static_cast<int64_t>(tap.getOffset()), index);
    // A value that is the same in each row is masked where it is tapped.
    int64_t from = row + static_cast<int64_t>(tap.getOffset());
    bool isUnsure = mayBeBefore(from) || mayBeBehind(from);
    return plan.isRowless(tap.getOperand()) && isUnsure ? maskOutside(source, from) : source;
  }
  if (auto number = dyn_cast<seq::ColumnIndexOp>(inner))
    return computeColumnIndex(number, index);
  if (isMovement(inner))
    return computeMovement(inner, row, index);
  if (isa<arith::AddFOp, arith::SubFOp>(inner))
    return computeSum(inner, row, index);
  return computeElementwise(inner, row, index);
}

ThreadEmitter::Emitted ThreadEmitter::loadOperand(BlockArgument argument, int64_t row, Index index) {
  const DeviceBuffer &buffer = inputs[argument.getArgNumber()];
  Level level = buffer.rowElements ? std::max(step, levelOf(index)) : levelOf(index);
  Value pointer = buffer.pointer;
  if (buffer.rowElements) {
    Value number = buffer.mayChange ? storedRow(row) : insideRow(row);
    pointer = once({pointer.getAsOpaquePointer(), row, 4, 0, 0, -1}, step, [&] {
      return b.address(buffer.pointer, buffer.element, b.mul(number, buffer.rowElements));
    });
  }
  Value element = elementOf(index);
  goTo(level);
  Value address = b.address(pointer, buffer.element, element);
  Value reads = buffer.mayChange ? b.both(chunkIsLive, here.valid) : Value();
  int64_t lanes = index.column ? layout->lanes : 1;
  return {b.loadWhere(reads, buffer.element, lanes, address, alignmentOf(buffer, index)), level};
}

ThreadEmitter::Emitted ThreadEmitter::loadReduction(seq::ReduceOp reduce, int64_t row, Index index) {
  Value element = elementOf({index.base, index.head, 0});
  Level level = std::max(step, levelOf(index));
  goTo(level);
  if (!index.column)
    return {read(reduce, row, element), level};
  // A vector of results of neighbouring heads.
  Value vector = b.real(withLanes(getElementTypeOrSelf(reduce.getType()), layout->lanes), 0);
  Value first = b.add(element, here.column);
  for (int64_t lane = 0; lane < layout->lanes; ++lane) {
    Value one = read(reduce, row, b.add(first, b.index(lane)));
    if (layout->lanes == 1)
      return {one, level};
    vector = vector::InsertOp::create(b, one, vector, lane);
  }
  return {vector, level};
}

ThreadEmitter::Emitted ThreadEmitter::computeMovement(Operation *inner, int64_t row, Index index) {
  const Fit &fit = plan.fitOf(inner, index, layout->domain);
  Emitted source = emit(sourceOperand(inner, fit), row, fit.index);
  if (!isa<seq::PermuteOp>(inner) || fit.source == 0 || !isa<VectorType>(source.value.getType()))
    return source;
  SmallVector<int64_t> swapped;
  for (int64_t lane = 0; lane < layout->lanes; ++lane)
    swapped.push_back(lane ^ 1);
  goTo(source.level);
  return {vector::ShuffleOp::create(b, source.value, source.value, swapped), source.level};
}

ThreadEmitter::Emitted ThreadEmitter::computeColumnIndex(seq::ColumnIndexOp inner, Index index) {
  Index number = plan.fitOf(inner, index, layout->domain).index;
  Value first = elementOf(number);
  Level level = levelOf(number);
  goTo(level);
  return {emitColumnNumbers(b, getElementTypeOrSelf(inner.getType()), first, number.column ? layout->lanes : 1), level};
}

ThreadEmitter::Level ThreadEmitter::agree(MutableArrayRef<Emitted> values) {
  Level level = front;
  for (Emitted &value : values)
    level = std::max(level, value.level);
  goTo(level);
  if (llvm::any_of(values, [](Emitted &v) { return isa<VectorType>(v.value.getType()); }))
    for (Emitted &value : values)
      value.value = b.splat(value.value, layout->lanes);
  return level;
}

ThreadEmitter::Emitted ThreadEmitter::computeElementwise(Operation *inner, int64_t row, Index index) {
  SmallVector<Emitted> operands;
  for (Value operand : inner->getOperands())
    operands.push_back(emit(operand, row, index));
  Level level = agree(operands);
  Value first = operands.empty() ? Value() : operands[0].value;
  if (isa<arith::ExtFOp>(inner) && isa<VectorType>(first.getType()) && getElementTypeOrSelf(first).isBF16() &&
      getElementTypeOrSelf(inner->getResult(0)).isF32())
    return {emitWide(b, first), level};
  if (isa<seq::SoftplusOp>(inner))
    return {emitSoftplus(b, operands[0].value), level};
  if (isa<seq::SigmoidOp>(inner))
    return {emitSigmoid(b, operands[0].value), level};
  SmallVector<Value> values = llvm::map_to_vector(operands, [](Emitted &operand) { return operand.value; });
  return {emitElementwise(b, inner, values), level};
}

ThreadEmitter::Emitted ThreadEmitter::computeSum(Operation *inner, int64_t row, Index index) {
  bool left = isContracted(inner->getOperand(0)), right = isContracted(inner->getOperand(1));
  if (!left && !right)
    return computeElementwise(inner, row, index);
  auto product = inner->getOperand(left ? 0 : 1).getDefiningOp<arith::MulFOp>();
  Emitted parts[] = {emit(product.getLhs(), row, index), emit(product.getRhs(), row, index),
                     emit(inner->getOperand(left ? 1 : 0), row, index)};
  Level level = agree(parts);
  return {emitContracted(b, inner, left, parts[0].value, parts[1].value, parts[2].value), level};
}

Value ThreadEmitter::accumulate(seq::ReduceKind kind, Value sum, Value value, int64_t row, Index index) {
  int64_t width = lanesOf(sum);
  auto [source, at] = plan.behindMovements(value, index, layout->domain);
  if (kind == seq::ReduceKind::add && isContracted(source)) {
    auto product = source.getDefiningOp<arith::MulFOp>();
    Value x = get(product.getLhs(), row, at), y = get(product.getRhs(), row, at);
    goToPosition();
    return b.mulAdd(b.splat(x, width), b.splat(y, width), sum);
  }
  Value term = get(value, row, index);
  goToPosition();
  return b.combine(kind, sum, b.splat(term, width));
}
