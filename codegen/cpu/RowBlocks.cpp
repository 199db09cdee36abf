//===- RowBlocks.cpp - the code of a kernel for the rows of one chunk ----------===//
#include "codegen/cpu/RowBlocks.h"

#include "codegen/cpu/NestBuilder.h"
#include "passes/support/ParameterLayout.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

RowBlocks::RowBlocks(VectorBuilder &builder, const RowPlan &plan, Blocking blocking, int64_t scratchOffset)
    : b(builder), plan(plan), op(plan.kernel()), stored(plan), blocking(blocking), scratchEnd(scratchOffset) {
  std::tie(batch, time) = op.getRows();
  layOutScratch();
}

/// Reductions keep one slot for each row of a chunk and of its halo; stored values whole vectors of columns, for each
/// row that waits for the next block or, where they wait for a later stage, for each row of a block.
void RowBlocks::layOutScratch() {
  for (seq::ReduceOp reduce : plan.reductions()) {
    RowRange rows = plan.rootOf(reduce).rows;
    int64_t count = std::min(blocking.chunk, time) + rows.high - rows.low;
    slotOffsets.push_back(scratchEnd);
    scratchEnd += llvm::alignTo(count * bytesOf(reduce.getType()), 64);
  }
  for (const RowPhase &phase : plan.phases())
    for (const Nest &nest : phase.all)
      for (const ColumnLoop &loop : nest.loops)
        for (const Stored &value : stored.of(loop)) {
          if (value.kind == Stored::found)
            continue;
          Type element = getElementTypeOrSelf(value.value.getType());
          int64_t columns = nest.heads * llvm::alignTo(loop.length, blocking.lanes);
          int64_t count = value.kind == Stored::cached ? blocking.rows : value.rows.high - value.rows.low;
          storedRows.push_back({{}, element, columns});
          storedOffsets.push_back(scratchEnd);
          scratchEnd += llvm::alignTo(count * columns * element.getIntOrFloatBitWidth() / 8, 64);
        }
}

RowFrame RowBlocks::frameOf(ValueRange pointers, Value scratch, Value chunk, Value sequence, Value first) {
  RowFrame frame;
  frame.length = time;
  Value firstRow = b.mul(sequence, time);
  auto rowsFrom = [&](Value pointer, Value value, Value row) -> RowBuffer {
    Type element = getElementTypeOrSelf(value.getType());
    int64_t count = elementCount(value);
    return {row ? b.address(pointer, element, b.mul(row, count)) : pointer, element, count};
  };
  for (BlockArgument argument : op.getBody().getArguments()) {
    unsigned i = argument.getArgNumber();
    OpOperand *operand = op.getOperandOf(i);
    bool isRow = op.getMap(i) == kern::RowMap::row;
    Value pointer = operand ? pointers[operand->getOperandNumber()] : Value();
    frame.inputs.push_back(rowsFrom(pointer, argument, operand && isRow ? firstRow : Value()));
    if (op.getMap(i) == kern::RowMap::shared)
      frame.inputs.back().rowElements = 0;
  }
  for (auto [i, value] : llvm::enumerate(op.getYielded())) {
    Value pointer = pointers[op->getNumOperands() + i];
    frame.results.push_back(rowsFrom(pointer, value, op.isColumnSum(i) ? chunk : firstRow));
    if (op.isColumnSum(i))
      frame.results.back().rowElements = 0;
  }
  for (seq::ReduceOp reduce : plan.reductions()) {
    const Root &root = plan.rootOf(reduce);
    Value slots = b.address(scratch, b.getI8Type(), slotOffsets[root.number]);
    Value before = arith::SubIOp::create(b, b.index(-root.rows.low), first);
    frame.slots.push_back(rowsFrom(slots, reduce.getResult(), before));
  }
  for (auto [buffer, offset] : llvm::zip_equal(storedRows, storedOffsets)) {
    Value pointer = b.address(scratch, b.getI8Type(), offset);
    frame.stored.push_back({pointer, buffer.element, buffer.rowElements});
  }
  return frame;
}

/// Of a run of strips, the columns of one strip: others are summed at the same time.
void RowBlocks::clearColumnSums(const RowFrame &frame) {
  Value zero = arith::ConstantOp::create(b, b.getI8IntegerAttr(0));
  auto clear = [&](Value pointer, int64_t bytes) { LLVM::MemsetOp::create(b, pointer, zero, b.index(bytes), false); };
  if (!plan.isOfStrips()) {
    for (auto [i, value] : llvm::enumerate(op.getYielded()))
      if (op.isColumnSum(i))
        clear(frame.results[i].pointer, bytesOf(value));
    return;
  }
  RowEmitter emitter(b, plan, frame, b.index(0), /*careful=*/false);
  emitter.enterNest(nullptr, {});
  emitter.enterColumns({}, 1, b.index(0), {});
  forEachSection(plan.phases(), [&](const Section &section) {
    const Root &root = plan.roots()[section.root];
    if (root.kind != Root::columnSum)
      return;
    const RowBuffer &sums = frame.results[root.number];
    int64_t bytes = elementBytes(sums.element) * (section.target.column ? section.domain.length : 1);
    for (int64_t h = 0; h < section.domain.heads; ++h) {
      Index index{section.target.base + h * section.target.head, 0, 0, section.target.strip};
      clear(emitter.addressOf(sums, 0, index), bytes);
    }
  });
}

void RowBlocks::emitBegin(const RowFrame &frame, Value first) {
  for (const RowPhase &phase : plan.phases()) {
    if (phase.early.empty())
      continue;
    Value from = b.maximum(b.add(first, b.index(phase.rows.low)), b.index(0));
    Value to = b.minimum(b.add(first, b.index(phase.rows.high)), b.index(time));
    Operation *loop = makeLoop(b, from, to, 1);
    Value row = cast<scf::ForOp>(loop).getInductionVar();
    NestBuilder(b, plan, stored, frame, row, 1, blocking.lanes, /*careful=*/true).emit(phase.early);
    closeLoop(b, loop);
  }
  for (const RowPhase &phase : plan.phases())
    if (!phase.runsAhead())
      NestBuilder(b, plan, stored, frame, first, 0, blocking.lanes, /*careful=*/true).emit(phase.all);
}

bool RowBlocks::masksRows() { return llvm::any_of(op.getBody().front().getOps<arith::SelectOp>(), rowCondition); }

/// Where rows are masked, nearly all blocks have none that is: they take code without masks.
void RowBlocks::emitBlock(const RowFrame &frame, Value row, int64_t rows) {
  if (!masksRows())
    return emitPhases(frame, row, rows, /*careful=*/false);
  Block *around = b.getInsertionBlock();
  auto branch = scf::IfOp::create(b, arith::ConstantOp::create(b, b.getBoolAttr(true)), /*withElseRegion=*/true);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()})
    block->back().erase();
  AssumedRows assumed;
  b.setInsertionPointToEnd(branch.thenBlock());
  emitPhases(frame, row, rows, /*careful=*/false, &assumed);
  scf::YieldOp::create(b);
  b.setInsertionPointToEnd(branch.elseBlock());
  emitPhases(frame, row, rows, /*careful=*/false);
  scf::YieldOp::create(b);
  b.setInsertionPoint(branch);
  RowEmitter emitter(b, plan, frame, row, /*careful=*/false);
  emitter.enterNest(nullptr, {});
  emitter.setColumnLoop(branch);
  Value all;
  for (auto [condition, at] : assumed.conditions) {
    Value holds = emitter.emit(condition, at, {});
    b.setInsertionPoint(branch);
    all = all ? arith::AndIOp::create(b, all, holds).getResult() : holds;
  }
  if (all) // a run of strips may lack what is masked
    branch.getConditionMutable().assign(all);
  b.setInsertionPointToEnd(around);
}

void RowBlocks::emitPhases(const RowFrame &frame, Value row, int64_t rows, bool careful, AssumedRows *assumed) {
  for (const RowPhase &phase : plan.phases()) {
    Value base = b.add(row, b.index(phase.rows.high));
    if (careful && phase.rows.high > 0)
      base = b.minimum(base, b.index(time - 1));
    bool isLast = &phase == &plan.phases().back();
    bool prefetch = isLast && !careful && rows > 1; // the hardware follows single rows
    NestBuilder nests(b, plan, stored, frame, base, rows, blocking.lanes, careful, prefetch);
    if (assumed) {
      assumed->ahead = phase.rows.high;
      nests.assume(assumed);
    }
    nests.emit(phase.all);
  }
}

/// Whether some chunk has room for a block whose halo lies in the sequence. Generation goes on by single rows, say.
bool RowBlocks::hasWholeBlocks() const {
  RowRange halo = plan.halo();
  return blocking.rows <= std::min(blocking.chunk, time - (halo.high - halo.low));
}

/// Blocks where they fit, between them and at the ends single rows. A block of one row that reads no other fits
/// everywhere.
void RowBlocks::emitRows(const RowFrame &frame, Value first, Value last) {
  bool alwaysFits = blocking.rows == 1 && plan.halo() == RowRange{};
  if (alwaysFits || !hasWholeBlocks()) {
    Operation *loop = makeLoop(b, first, last, 1);
    Value row = cast<scf::ForOp>(loop).getInductionVar();
    if (alwaysFits)
      emitBlock(frame, row, 1);
    else
      emitPhases(frame, row, 1, /*careful=*/true);
    return closeLoop(b, loop);
  }
  RowRange halo = plan.halo();
  int64_t rows = blocking.rows;
  auto loop = scf::WhileOp::create(b, TypeRange{b.getI64Type()}, ValueRange{first});
  Value row = b.createBlock(&loop.getBefore(), {}, b.getI64Type(), b.getLoc())->getArgument(0);
  Value more = b.compare(arith::CmpIPredicate::slt, row, last);
  scf::ConditionOp::create(b, more, row);
  row = b.createBlock(&loop.getAfter(), {}, b.getI64Type(), b.getLoc())->getArgument(0);
  Value end = b.add(row, b.index(rows));
  auto atMost = [&](Value a, Value c) { return b.compare(arith::CmpIPredicate::sle, a, c); };
  Value fits = arith::AndIOp::create(b, atMost(end, last), atMost(b.index(-halo.low), row));
  fits = arith::AndIOp::create(b, fits, atMost(end, b.index(time - halo.high)));
  auto branch = scf::IfOp::create(b, TypeRange{b.getI64Type()}, fits, true);
  Block *body = b.getInsertionBlock();
  b.setInsertionPointToEnd(branch.thenBlock());
  emitBlock(frame, row, rows);
  scf::YieldOp::create(b, b.add(row, b.index(rows)));
  b.setInsertionPointToEnd(branch.elseBlock());
  emitPhases(frame, row, 1, /*careful=*/true);
  scf::YieldOp::create(b, b.add(row, b.index(1)));
  b.setInsertionPointToEnd(body);
  scf::YieldOp::create(b, branch.getResults());
  b.setInsertionPointAfter(loop);
}
