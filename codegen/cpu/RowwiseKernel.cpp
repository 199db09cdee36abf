//===- RowwiseKernel.cpp - the function of a kern.rowwise -----------------===//
//
//   for each chunk (sequence, rows first..last)
//     clear the chunk's column sums
//     reductions of the rows before `first` that later rows read
//     the first rows of rolling buffers
//     while rows are left
//       a block of `rows` rows where nothing reaches over the ends of the sequence, else one row with masked taps;
//       where the body masks rows, the block is there twice, without masks for rows that none of them hides
#include "codegen/cpu/KernelFunction.h"
#include "codegen/cpu/NestBuilder.h"
#include "codegen/rows/BytesMoved.h"
#include "codegen/rows/Elementwise.h"
#include "ir/kern/Flops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static unsigned bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * tensor.getElementTypeBitWidth() / 8;
}

namespace {
class RowwiseBuilder {
public:
  RowwiseBuilder(VectorBuilder &builder, kern::RowwiseOp op)
      : b(builder), op(op), plan(op), stored(plan), schedule(cast<kern::VectorScheduleAttr>(*op.getSchedule())) {
    std::tie(batch, time) = op.getRows();
  }

  KernelInfo build();

private:
  void layOutScratch();
  void readBuffers();
  void emitChunk(Value chunk);
  RowFrame frameOf(Value chunk, Value sequence, Value first);
  void clearColumnSums(const RowFrame &frame);
  void emitEarlyRows(const RowFrame &frame, Value first);
  void emitFirstRolling(const RowFrame &frame, Value first);
  void emitRows(const RowFrame &frame, Value first, Value last);
  void emitBlock(const RowFrame &frame, Value row, int64_t rows);
  void emitPhases(const RowFrame &frame, Value row, int64_t rows, bool careful, AssumedRows *assumed = nullptr);
  bool masksRows();
  bool hasWholeBlocks() const;

  VectorBuilder &b;
  kern::RowwiseOp op;
  RowPlan plan;
  StoredValues stored;
  kern::VectorScheduleAttr schedule;
  int64_t batch, time;
  LLVM::LLVMFuncOp function;
  SmallVector<Value> pointers;
  SmallVector<int64_t> slotOffsets;
  SmallVector<RowBuffer> storedRows; // without pointers
  SmallVector<int64_t> storedOffsets;
  int64_t scratchBytes = 0;
};
} // namespace

KernelInfo RowwiseBuilder::build() {
  function = makeKernelFunction(b, *op.getKernel());
  layOutScratch();
  for (unsigned i = 0; i < op.getNumOperands() + op.getNumResults(); ++i)
    pointers.push_back(bufferPointer(b, function, i));
  Operation *chunks = makeLoop(b, function.getArgument(1), function.getArgument(2), 1);
  emitChunk(cast<scf::ForOp>(chunks).getInductionVar());
  closeLoop(b, chunks);
  LLVM::ReturnOp::create(b, ValueRange());
  return {
      op.getKernel()->str(), op.getChunks(), static_cast<int64_t>(pointers.size()),
      scratchBytes,          bytesMoved(op), static_cast<int64_t>(kern::flopsOf(op.getBody().front())) * batch * time};
}

/// Reductions keep one slot for each row of a chunk and of its halo; stored values whole vectors of columns, for each
/// row that waits for the next block or, where they wait for a later stage, for each row of a block.
void RowwiseBuilder::layOutScratch() {
  for (seq::ReduceOp reduce : plan.reductions()) {
    RowRange rows = plan.rootOf(reduce).rows;
    int64_t count = std::min(schedule.getChunk(), time) + rows.high - rows.low;
    slotOffsets.push_back(scratchBytes);
    scratchBytes += llvm::alignTo(count * bytesOf(reduce.getType()), 64);
  }
  for (const RowPhase &phase : plan.phases())
    for (const Nest &nest : phase.all)
      for (const ColumnLoop &loop : nest.loops)
        for (const Stored &value : stored.of(loop)) {
          if (value.kind == Stored::found)
            continue;
          Type element = getElementTypeOrSelf(value.value.getType());
          int64_t columns = nest.heads * llvm::alignTo(loop.length, schedule.getLanes());
          int64_t count = value.kind == Stored::cached ? schedule.getRows() : value.rows.high - value.rows.low;
          storedRows.push_back({{}, element, columns});
          storedOffsets.push_back(scratchBytes);
          scratchBytes += llvm::alignTo(count * columns * element.getIntOrFloatBitWidth() / 8, 64);
        }
}

RowFrame RowwiseBuilder::frameOf(Value chunk, Value sequence, Value first) {
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
    bool isRow = op.getMap(i) == kern::RowMap::row;
    frame.inputs.push_back(rowsFrom(pointers[i], argument, isRow ? firstRow : Value()));
    if (op.getMap(i) == kern::RowMap::shared)
      frame.inputs.back().rowElements = 0;
  }
  for (auto [i, value] : llvm::enumerate(op.getYield().getValues())) {
    Value pointer = pointers[op.getNumOperands() + i];
    frame.results.push_back(rowsFrom(pointer, value, op.isColumnSum(i) ? chunk : firstRow));
    if (op.isColumnSum(i))
      frame.results.back().rowElements = 0;
  }
  for (seq::ReduceOp reduce : plan.reductions()) {
    const Root &root = plan.rootOf(reduce);
    Value slots = b.address(function.getArgument(3), b.getI8Type(), slotOffsets[root.number]);
    Value before = arith::SubIOp::create(b, b.index(-root.rows.low), first);
    frame.slots.push_back(rowsFrom(slots, reduce.getResult(), before));
  }
  for (auto [buffer, offset] : llvm::zip_equal(storedRows, storedOffsets)) {
    Value pointer = b.address(function.getArgument(3), b.getI8Type(), offset);
    frame.stored.push_back({pointer, buffer.element, buffer.rowElements});
  }
  return frame;
}

void RowwiseBuilder::emitChunk(Value chunk) {
  Value perSequence = b.index(llvm::divideCeil(time, schedule.getChunk()));
  Value sequence = arith::DivSIOp::create(b, chunk, perSequence);
  Value first = b.mul(arith::RemSIOp::create(b, chunk, perSequence), schedule.getChunk());
  Value last = b.minimum(b.add(first, b.index(schedule.getChunk())), b.index(time));
  RowFrame frame = frameOf(chunk, sequence, first);
  clearColumnSums(frame);
  emitEarlyRows(frame, first);
  emitFirstRolling(frame, first);
  emitRows(frame, first, last);
}

void RowwiseBuilder::clearColumnSums(const RowFrame &frame) {
  for (auto [i, value] : llvm::enumerate(op.getYield().getValues()))
    if (op.isColumnSum(i)) {
      Value zero = arith::ConstantOp::create(b, b.getI8IntegerAttr(0));
      LLVM::MemsetOp::create(b, frame.results[i].pointer, zero, b.index(bytesOf(value.getType())), false);
    }
}

void RowwiseBuilder::emitEarlyRows(const RowFrame &frame, Value first) {
  for (const RowPhase &phase : plan.phases()) {
    if (phase.early.empty())
      continue;
    Value from = b.maximum(b.add(first, b.index(phase.rows.low)), b.index(0));
    Value to = b.minimum(b.add(first, b.index(phase.rows.high)), b.index(time));
    Operation *loop = makeLoop(b, from, to, 1);
    Value row = cast<scf::ForOp>(loop).getInductionVar();
    NestBuilder(b, plan, stored, frame, row, 1, schedule.getLanes(), true).emit(phase.early);
    closeLoop(b, loop);
  }
}

void RowwiseBuilder::emitFirstRolling(const RowFrame &frame, Value first) {
  for (const RowPhase &phase : plan.phases())
    if (!phase.runsAhead())
      NestBuilder(b, plan, stored, frame, first, 0, schedule.getLanes(), true).emit(phase.all);
}

bool RowwiseBuilder::masksRows() { return llvm::any_of(op.getBody().front().getOps<arith::SelectOp>(), rowCondition); }

/// Where rows are masked, nearly all blocks have none that is: they take code without masks.
void RowwiseBuilder::emitBlock(const RowFrame &frame, Value row, int64_t rows) {
  if (!masksRows())
    return emitPhases(frame, row, rows, false);
  Block *around = b.getInsertionBlock();
  auto branch = scf::IfOp::create(b, arith::ConstantOp::create(b, b.getBoolAttr(true)), /*withElseRegion=*/true);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()})
    block->back().erase();
  AssumedRows assumed;
  b.setInsertionPointToEnd(branch.thenBlock());
  emitPhases(frame, row, rows, false, &assumed);
  scf::YieldOp::create(b);
  b.setInsertionPointToEnd(branch.elseBlock());
  emitPhases(frame, row, rows, false);
  scf::YieldOp::create(b);
  b.setInsertionPoint(branch);
  RowEmitter emitter(b, plan, frame, row, false);
  emitter.enterNest(nullptr, {});
  emitter.setColumnLoop(branch);
  Value all;
  for (auto [condition, at] : assumed.conditions) {
    Value holds = emitter.emit(condition, at, {});
    b.setInsertionPoint(branch);
    all = all ? arith::AndIOp::create(b, all, holds).getResult() : holds;
  }
  branch.getConditionMutable().assign(all);
  b.setInsertionPointToEnd(around);
}

void RowwiseBuilder::emitPhases(const RowFrame &frame, Value row, int64_t rows, bool careful, AssumedRows *assumed) {
  for (const RowPhase &phase : plan.phases()) {
    Value base = b.add(row, b.index(phase.rows.high));
    if (careful && phase.rows.high > 0)
      base = b.minimum(base, b.index(time - 1));
    bool isLast = &phase == &plan.phases().back();
    NestBuilder nests(b, plan, stored, frame, base, rows, schedule.getLanes(), careful, isLast && !careful);
    if (assumed) {
      assumed->ahead = phase.rows.high;
      nests.assume(assumed);
    }
    nests.emit(phase.all);
  }
}

/// Whether some chunk has room for a block whose halo lies in the sequence. Generation goes on by single rows, say.
bool RowwiseBuilder::hasWholeBlocks() const {
  RowRange halo = plan.halo();
  return schedule.getRows() <= std::min(schedule.getChunk(), time - (halo.high - halo.low));
}

/// Blocks where they fit, between them and at the ends single rows.
void RowwiseBuilder::emitRows(const RowFrame &frame, Value first, Value last) {
  if (!hasWholeBlocks()) {
    Operation *loop = makeLoop(b, first, last, 1);
    emitPhases(frame, cast<scf::ForOp>(loop).getInductionVar(), 1, true);
    return closeLoop(b, loop);
  }
  RowRange halo = plan.halo();
  int64_t rows = schedule.getRows();
  auto loop = scf::WhileOp::create(b, TypeRange{b.getI64Type()}, ValueRange{first});
  Value row = b.createBlock(&loop.getBefore(), {}, b.getI64Type(), b.getLoc())->getArgument(0);
  Value more = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, row, last);
  scf::ConditionOp::create(b, more, row);
  row = b.createBlock(&loop.getAfter(), {}, b.getI64Type(), b.getLoc())->getArgument(0);
  Value end = b.add(row, b.index(rows));
  auto atMost = [&](Value a, Value c) { return arith::CmpIOp::create(b, arith::CmpIPredicate::sle, a, c).getResult(); };
  Value fits = arith::AndIOp::create(b, atMost(end, last), atMost(b.index(-halo.low), row));
  fits = arith::AndIOp::create(b, fits, atMost(end, b.index(time - halo.high)));
  auto branch = scf::IfOp::create(b, TypeRange{b.getI64Type()}, fits, true);
  Block *body = b.getInsertionBlock();
  b.setInsertionPointToEnd(branch.thenBlock());
  emitBlock(frame, row, rows);
  scf::YieldOp::create(b, b.add(row, b.index(rows)));
  b.setInsertionPointToEnd(branch.elseBlock());
  emitPhases(frame, row, 1, true);
  scf::YieldOp::create(b, b.add(row, b.index(1)));
  b.setInsertionPointToEnd(body);
  scf::YieldOp::create(b, branch.getResults());
  b.setInsertionPointAfter(loop);
}

FailureOr<KernelInfo> stretto::codegen::buildRowwiseKernel(VectorBuilder &b, kern::RowwiseOp op) {
  if (!isa_and_nonnull<kern::VectorScheduleAttr>(op.getScheduleAttr()))
    return op.emitOpError("needs a schedule with vectors to become code");
  if (failed(checkKernel(op)))
    return failure();
  return RowwiseBuilder(b, op).build();
}
