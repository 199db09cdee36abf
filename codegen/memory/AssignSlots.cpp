//===- AssignSlots.cpp - demands on values ------------------------------------===//
#include "codegen/memory/SlotAssigner.h"
#include "codegen/memory/Views.h"
#include "codegen/rows/Overwrite.h"
#include "ir/kern/Slots.h"
#include "ir/seq/TensorBytes.h"
#include "passes/support/PositionRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

int64_t TableLayout::offsetOf(Operation *table, int64_t bytes) {
  Attribute key = passes::tableKey(table);
  for (auto &[other, offset] : known)
    if (other == key)
      return offset;
  int64_t offset = end;
  known.emplace_back(key, offset);
  end += passes::alignSlot(bytes);
  return offset;
}

//===- Where a value is -------------------------------------------------------===//

Ref SlotAssigner::refOf(Value value) {
  if (seq::isViewOfOperand(value.getDefiningOp()) || seq::updatedOperand(value)) // not remembered
    return makeRef(value);
  auto it = refs.find(value);
  if (it != refs.end())
    return it->second;
  Ref ref = makeRef(value);
  refs[value] = ref;
  return ref;
}

/// The distance of the entries of a stack: exact where the stack is also seen as one value, else aligned.
int64_t SlotAssigner::leadOf(OpResult stack, seq::ScanOp scan) {
  int64_t entry = bytesOf(stack) / scan.getTrips();
  bool slicesOnly = llvm::all_of(stack.getUses(), [](OpOperand &use) {
    auto reader = dyn_cast<seq::ScanOp>(use.getOwner());
    return reader && reader.isSlice(use.getOperandNumber());
  });
  return slicesOnly ? passes::alignSlot(entry) : entry;
}

Ref SlotAssigner::makeRef(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto get = dyn_cast<seq::GetParameterOp>(op)) {
    passes::ParameterSlot slot = parameters.slots.lookup(module.lookupSymbol(get.getParameter()));
    kern::Arena arena = get.getRounded() ? kern::Arena::rounded : kern::Arena::parameters;
    if (get.getRounded())
      slot = passes::bf16Slot(slot);
    return {.node = storage.createFixed(arena, slot.offset), .lead = slot.stride};
  }
  if (auto get = dyn_cast<seq::GetCacheOp>(op)) {
    auto slot = kern::slotOfSymbol(module.lookupSymbol(get.getCache()));
    return {.node = storage.createFixed(slot.getArena(), slot.getOffset()), .lead = slot.getStride()};
  }
  if (OpOperand *updated = seq::updatedOperand(value))
    return refOf(updated->get());
  if (isa<seq::TableOp>(op))
    return {storage.createFixed(kern::Arena::tables, tables.offsetOf(op, bytesOf(value)))};
  if (auto numbers = dyn_cast<seq::LayerNumbersOp>(op)) {
    int64_t layers = numbers.getValues().size(), lead = passes::alignSlot(bytesOf(value) / layers);
    return {.node = storage.createFixed(kern::Arena::tables, tables.offsetOf(op, lead * layers)), .lead = lead};
  }
  if (seq::isViewOfOperand(op)) {
    auto alias = cast<seq::AliasOp>(op);
    Ref ref = refOf(op->getOperand(0));
    ref.offset += alias.getFirstColumn(0) * elementBytes(value);
    if (alias.getAlias() == seq::Alias::whole)
      ref.lead = 0;
    return ref;
  }
  if (auto scan = dyn_cast<seq::ScanOp>(op)) {
    auto result = cast<OpResult>(value);
    if (result.getResultNumber() >= scan.getCarry().size()) {
      int64_t lead = leadOf(result, scan);
      return {.node = storage.create(lead * scan.getTrips()), .lead = lead};
    }
  }
  return {storage.create(bytesOf(value))};
}

/// Whether the entries of a stack do not follow one another directly.
bool SlotAssigner::hasGaps(Value stack) {
  auto type = cast<RankedTensorType>(stack.getType());
  int64_t lead = refOf(stack).lead;
  return lead && lead * type.getDimSize(0) != bytesOf(type);
}

bool SlotAssigner::sameSlot(Value a, Value b) {
  Ref left = refOf(a), right = refOf(b);
  return storage.areSame(left, right);
}

//===- Demands ----------------------------------------------------------------===//

/// Whether an operation can write the entries of its result with gaps between them.
static bool canAdoptLead(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto scan = dyn_cast<seq::ScanOp>(op))
    return cast<OpResult>(value).getResultNumber() >= scan.getCarry().size() && value.hasOneUse();
  return isa<kern::CopyOp, arith::ConstantOp>(op);
}

bool SlotAssigner::tryAssign(Value value, const Ref &ref, bool rowStrided) {
  if (auto alias = value.getDefiningOp<seq::AliasOp>(); alias && alias.getAlias() == seq::Alias::whole)
    return !rowStrided && !ref.lead && tryAssign(alias->getOperand(0), ref, false);
  if (!value.getDefiningOp() || seq::hasOthersMemory(value))
    return false;
  if (rowStrided && (!canWriteRowStride(cast<OpResult>(value)) ||
                     !llvm::all_of(value.getUses(), [](OpOperand &use) { return acceptsRowStride(use); })))
    return false;
  Ref own = refOf(value);
  if (!storage.isFree(own.node) || own.offset != 0 || storage.resolve(ref).node == own.node)
    return false;
  auto type = cast<RankedTensorType>(value.getType());
  int64_t lead = ref.lead;
  if (lead && lead * type.getDimSize(0) == bytesOf(type))
    lead = 0;
  if (lead && !canAdoptLead(value))
    return false;
  if (lead)
    refs[value].lead = lead;
  else if (hasGaps(value))
    return false;
  Ref whole = ref;
  whole.lead = 0;
  storage.place(own.node, whole);
  return true;
}

Value stretto::codegen::insertCopy(OpOperand &use) {
  OpBuilder b(use.getOwner());
  Value copy = kern::CopyOp::create(b, use.getOwner()->getLoc(), use.get().getType(), use.get());
  use.set(copy);
  return copy;
}

void SlotAssigner::demand(OpOperand &use, const Ref &ref, bool rowStrided) {
  if (tryAssign(use.get(), ref, rowStrided))
    return;
  bool placed = tryAssign(insertCopy(use), ref, rowStrided);
  (void)placed;
  assert(placed && "copies can be placed anywhere");
}

/// Lets `result` take over the memory of an operand of its operation; false where that is not possible.
bool SlotAssigner::tryShare(OpOperand &use, Value result) {
  Value value = use.get();
  if (isUsedLater(use))
    return false;
  if (value.getDefiningOp())
    return tryAssign(value, refOf(result), false);
  auto it = carried.find(value);
  if (it == carried.end() || !sameSlot(result, it->second) ||
      storage.resolve(refOf(value)).node == storage.resolve(refOf(result)).node)
    return false;
  storage.place(refOf(value).node, refOf(result));
  return true;
}

void SlotAssigner::assignAccumulator(Operation *op, OpOperand &use) {
  if (tryShare(use, op->getResult(0)))
    return;
  insertCopy(use); // what is read later must not be added to
  demand(use, refOf(op->getResult(0)));
}

void SlotAssigner::assignResidual(Operation *op, OpOperand &use) {
  if (!use.get().getDefiningOp<seq::ScanOp>() && !isRowStrided(use.get()) && !isRowStrided(op->getResult(0)))
    tryShare(use, op->getResult(0));
}

/// The operands of an operation, first what a scan carries: a result elsewhere would give the carry a second place.
static SmallVector<unsigned> carriedFirst(OperandRange inputs) {
  auto order = llvm::to_vector(llvm::seq<unsigned>(inputs.size()));
  llvm::stable_sort(
      order, [&](unsigned a, unsigned b) { return isa<BlockArgument>(inputs[a]) > isa<BlockArgument>(inputs[b]); });
  return order;
}

LogicalResult SlotAssigner::assignRowwise(kern::RowwiseOp op) {
  SmallVector<bool> taken(op.getInputs().size(), false);
  for (auto [r, result] : llvm::enumerate(op.getResults()))
    for (unsigned i : carriedFirst(op.getInputs())) {
      Value input = op.getInputs()[i];
      bool same = sameSlot(input, result);
      if (same && !mayOverwrite(op, i, r)) {
        InFlightDiagnostic error = op.emitOpError() << "must not store result " << r << " over operand " << i
                                                    << ", which it reads at other positions or later";
        error.attachNote(input.getLoc()) << "the operand is computed here";
        return error;
      }
      if (same || taken[i] || input.getDefiningOp<seq::ScanOp>() || !mayOverwrite(op, i, r))
        continue;
      if ((taken[i] = tryShare(op->getOpOperand(i), result)))
        break;
    }
  return success();
}

void SlotAssigner::assignPieces(seq::AliasOp op) {
  Ref whole = refOf(op->getResult(0));
  bool oneRow = rowsOf(op->getResult(0)) == 1;
  for (OpOperand &piece : op->getOpOperands()) {
    Ref ref = whole;
    ref.offset += op.getFirstColumn(piece.getOperandNumber()) * elementBytes(piece.get());
    demand(piece, ref, !oneRow);
  }
}

void SlotAssigner::assignGradient(seq::GradientOp op) {
  passes::ParameterSlot slot = parameters.slots.lookup(module.lookupSymbol(op.getParameter()));
  demand(op->getOpOperand(0), {.node = storage.createFixed(kern::Arena::gradients, slot.offset), .lead = slot.stride});
}

LogicalResult SlotAssigner::assignReturn(func::FuncOp function, Operation *end) {
  for (OpOperand &use : end->getOpOperands()) {
    auto slot = kern::slotOfResult(function, use.getOperandNumber());
    demand(use, {storage.createFixed(slot.getArena(), slot.getOffset())});
  }
  return success();
}

LogicalResult SlotAssigner::assignOperation(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && !matchPattern(constant.getResult(), m_AnyZeroFloat()))
    return op->emitOpError() << "must be zero outside of kernels, but got " << constant.getValue();
  if (auto gradient = dyn_cast<seq::GradientOp>(op))
    assignGradient(gradient);
  else if (auto alias = dyn_cast<seq::AliasOp>(op); alias && alias.getAlias() == seq::Alias::pieces)
    assignPieces(alias);
  else if (OpOperand *accumulator = accumulatorOf(op))
    assignAccumulator(op, *accumulator);
  else if (OpOperand *residual = residualOf(op))
    assignResidual(op, *residual);
  else if (auto scan = dyn_cast<seq::ScanOp>(op))
    return assignScan(scan);
  else if (auto rowwise = dyn_cast<kern::RowwiseOp>(op))
    return assignRowwise(rowwise);
  return success();
}

LogicalResult SlotAssigner::assignBlock(Block &block) {
  for (Operation *op = block.getTerminator()->getPrevNode(); op; op = op->getPrevNode())
    if (failed(assignOperation(op)))
      return failure();
  return success();
}

/// Gives each use of a constant a constant of its own, right before it, so that demands on them never meet.
static void separateConstants(func::FuncOp function) {
  for (auto constant : llvm::to_vector(function.getOps<arith::ConstantOp>())) {
    for (OpOperand &use : llvm::make_early_inc_range(constant->getUses())) {
      OpBuilder b(use.getOwner());
      use.set(b.clone(*constant)->getResult(0));
    }
    constant.erase();
  }
}

/// Whether the entries of a value lie apart, for a scan to take them: of stacked parameters, and numbers of layers.
static bool hasEntriesApart(Value value) {
  if (value.getDefiningOp<seq::LayerNumbersOp>())
    return true;
  auto get = value.getDefiningOp<seq::GetParameterOp>();
  return get && SymbolTable::lookupNearestSymbolFrom<seq::ParameterOp>(get, get.getParameterAttr()).getStacked();
}

/// Copies ranges of columns, and entries that lie apart, where an operation reads contiguous values.
static void makeReadable(func::FuncOp function) {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
    for (OpOperand &use : op.getOpOperands()) {
      auto scan = dyn_cast<seq::ScanOp>(op);
      bool sliced = scan && scan.isSlice(use.getOperandNumber());
      bool columns = use.get().getDefiningOp<seq::SliceOp>() && isRowStrided(use.get()) && !acceptsRowStride(use);
      bool entries = hasEntriesApart(use.get()) && !sliced && !isa<kern::CopyOp>(op);
      if (columns || entries)
        insertCopy(use);
    }
}

LogicalResult SlotAssigner::run(func::FuncOp entry) {
  Timeline timeline(entry);
  for (func::FuncOp function : timeline.functions()) {
    separateConstants(function);
    makeReadable(function);
  }
  Block &block = entry.getBody().front();
  for (BlockArgument argument : block.getArguments()) {
    auto slot = kern::slotOf(argument);
    refs[argument] = {storage.createFixed(slot.getArena(), slot.getOffset())};
  }
  if (failed(assignReturn(entry, block.getTerminator())))
    return failure();
  return assignBlock(block);
}
