//===- AssignScanSlots.cpp - carried values, slices and stacks ---------------------===//
#include "codegen/memory/SlotAssigner.h"
#include "codegen/memory/Views.h"

#include "ir/seq/TensorBytes.h"
#include "passes/support/Scans.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// One carried value: `argument` and what the body returns for it; how it is passed on.
struct SlotAssigner::Carry {
  unsigned index;
  BlockArgument argument;
  OpOperand *returned;
  enum { Unchanged, Stacked, Buffered } kind = Buffered;
};

/// Makes a carried result of a scan a view of `ref`; copies it where it was already promised another slot.
void SlotAssigner::aliasResult(OpResult result, const Ref &ref) {
  auto it = refs.find(result);
  if (it != refs.end() && storage.isFree(it->second.node)) {
    storage.place(it->second.node, ref);
    return;
  }
  if (it != refs.end() && !result.use_empty()) {
    OpBuilder b(result.getOwner()->getContext());
    b.setInsertionPointAfter(result.getOwner());
    Value copy = kern::CopyOp::create(b, result.getLoc(), result.getType(), result);
    Ref promised = it->second;
    result.replaceAllUsesExcept(copy, copy.getDefiningOp());
    refs[copy] = promised;
  }
  refs[result] = ref;
}

/// Where each iteration of a scan finds its entry of a stack that lies at `ref`.
static Ref entryOf(Ref ref, Value stack) {
  ref.stride = ref.lead ? ref.lead : bytesOf(stack) / typeOf(stack).getDimSize(0);
  ref.lead = 0;
  return ref;
}

void SlotAssigner::bindArguments(seq::ScanOp scan, func::FuncOp body) {
  unsigned argument = scan.getCarry().size();
  for (Value slice : scan.getSlices())
    refs[body.getArgument(argument++)] = entryOf(refOf(slice), slice);
  for (Value invariant : scan.getInvariants())
    refs[body.getArgument(argument++)] = refOf(invariant);
}

/// The stacks of a value that a body returns, by their numbers, which may lie anywhere yet.
SmallVector<unsigned> SlotAssigner::openStacksOf(seq::ScanOp scan, Operation *end, Value value) {
  SmallVector<unsigned> stacks;
  for (unsigned i = scan.getCarry().size(); i < end->getNumOperands(); ++i)
    if (end->getOperand(i) == value && storage.isFree(refOf(scan.getResult(i)).node))
      stacks.push_back(i);
  return stacks;
}

/// Carried values whose slots are those of a stack, which gets one slot more: iteration i reads slot i and writes
/// slot i + 1 (the other way round in a reversed scan).
void SlotAssigner::assignStackedCarry(seq::ScanOp scan, Carry &carry) {
  Operation *end = carry.returned->getOwner();
  int64_t trips = scan.getTrips(), read = scan.getReverse(), write = 1 - read;
  SmallVector<unsigned> ofArgument = openStacksOf(scan, end, carry.argument),
                        ofReturned = openStacksOf(scan, end, carry.returned->get());
  if (ofArgument.empty() && ofReturned.empty())
    return;
  int64_t step = refOf(scan.getResult(ofArgument.empty() ? ofReturned[0] : ofArgument[0])).lead;
  if (step % passes::slotAlignment != 0)
    return;
  for (SmallVector<unsigned> *stacks : {&ofArgument, &ofReturned})
    llvm::erase_if(*stacks, [&](unsigned i) { return refOf(scan.getResult(i)).lead != step; });
  unsigned node = storage.create(step * (trips + 1));
  for (unsigned i : ofArgument)
    storage.place(refOf(scan.getResult(i)).node, {node, read * step});
  for (unsigned i : ofReturned)
    storage.place(refOf(scan.getResult(i)).node, {node, write * step});
  carry.kind = Carry::Stacked;
  refs[carry.argument] = {node, read * step, step};
  demand(*carry.returned, {node, write * step, step});
  for (unsigned i : ofReturned)
    end->setOperand(i, carry.returned->get());
  aliasResult(scan->getOpResult(carry.index), {node, scan.getReverse() ? 0 : trips * step});
  demand(scan->getOpOperand(carry.index), {node, scan.getReverse() ? trips * step : 0});
}

/// Gives a carried value memory of its own on both ends of the body; what becomes of it is decided by finishCarry.
void SlotAssigner::startCarry(seq::ScanOp scan, Carry &carry) {
  Value returned = carry.returned->get();
  bool own = returned.getDefiningOp() && !seq::hasOthersMemory(returned);
  if (!own || !storage.isFree(refOf(returned).node))
    returned = insertCopy(*carry.returned);
  storage.claim(refOf(returned).node);
  refs[carry.argument] = {storage.create(bytesOf(returned))};
  carried[carry.argument] = returned;
}

/// Whether a carried argument is still read when the memory of its successor is first written.
bool SlotAssigner::needsTwoBuffers(func::FuncOp body, Carry &carry) {
  unsigned argumentRoot = storage.resolve(refOf(carry.argument)).node;
  unsigned returnedRoot = storage.resolve(refOf(carry.returned->get())).node;
  if (argumentRoot == returnedRoot)
    return false;
  Block &block = body.getBody().front();
  DenseMap<Operation *, int64_t> times;
  for (auto [i, op] : llvm::enumerate(block))
    times[&op] = i;
  int64_t lastRead = -1, firstWrite = INT64_MAX;
  auto look = [&](Value value, int64_t defined) {
    unsigned root = storage.resolve(refOf(value)).node;
    if (root == returnedRoot)
      firstWrite = std::min(firstWrite, defined);
    if (root == argumentRoot)
      for (Operation *user : value.getUsers())
        lastRead = std::max(lastRead, times.lookup(user));
  };
  for (BlockArgument argument : block.getArguments())
    look(argument, -1);
  for (Operation &op : block)
    for (Value result : op.getResults())
      look(result, times.lookup(&op));
  return lastRead >= firstWrite;
}

void SlotAssigner::finishCarry(seq::ScanOp scan, func::FuncOp body, Carry &carry) {
  Value returned = carry.returned->get();
  unsigned returnedNode = storage.resolve(refOf(returned)).node;
  unsigned argumentNode = storage.resolve(refOf(carry.argument)).node;
  OpResult result = scan->getOpResult(carry.index);
  OpOperand &initial = scan->getOpOperand(carry.index);
  carried.erase(carry.argument);
  if (isUsedLater(initial))
    insertCopy(initial);
  if (needsTwoBuffers(body, carry)) {
    int64_t size = passes::alignSlot(bytesOf(returned)), trips = scan.getTrips();
    unsigned node = storage.create(2 * size);
    storage.place(argumentNode, {node, 0, size, true});
    storage.place(returnedNode, {node, size, -size, true});
    int64_t first = scan.getIteration(0), last = scan.getIteration(trips - 1);
    aliasResult(result, {node, last % 2 ? 0 : size});
    demand(initial, {node, first % 2 ? size : 0});
    return;
  }
  Ref shared = refOf(result);
  storage.place(returnedNode, shared);
  if (argumentNode != returnedNode)
    storage.place(argumentNode, shared);
  demand(initial, shared);
}

/// Has what the body returns for each stack computed in its slot.
void SlotAssigner::assignStacks(seq::ScanOp scan, func::FuncOp body) {
  Operation *end = body.getBody().front().getTerminator();
  for (unsigned i = scan.getCarry().size(); i < end->getNumOperands(); ++i) {
    Ref entry = entryOf(refOf(scan.getResult(i)), scan.getResult(i));
    if (!storage.areSame(refOf(end->getOperand(i)), entry))
      demand(end->getOpOperand(i), entry);
  }
}

LogicalResult SlotAssigner::assignScan(seq::ScanOp scan) {
  func::FuncOp body = passes::bodyOf(scan);
  Block &block = body.getBody().front();
  Operation *end = block.getTerminator();
  bindArguments(scan, body);
  SmallVector<Carry> carries;
  for (unsigned i = 0; i < scan.getCarry().size(); ++i) {
    Carry carry{i, block.getArgument(i), &end->getOpOperand(i)};
    if (carry.returned->get() == carry.argument) {
      carry.kind = Carry::Unchanged;
      refs[carry.argument] = refOf(scan.getCarry()[i]);
    }
    carries.push_back(carry);
  }
  for (Carry &carry : carries)
    if (carry.kind == Carry::Buffered)
      assignStackedCarry(scan, carry);
  for (Carry &carry : carries)
    if (carry.kind == Carry::Buffered)
      startCarry(scan, carry);
  assignStacks(scan, body);
  if (failed(assignBlock(block)))
    return failure();
  for (Carry &carry : carries) {
    if (carry.kind == Carry::Buffered)
      finishCarry(scan, body, carry);
    if (carry.kind == Carry::Unchanged)
      aliasResult(scan->getOpResult(carry.index), refOf(scan.getCarry()[carry.index]));
  }
  return success();
}
