//===- ScanRule.cpp - the derivative of the layer loop is the reversed loop ----===//
#include "passes/autodiff/Adjoints.h"
#include "passes/autodiff/Numbering.h"
#include "passes/autodiff/Passes.h"
#include "passes/support/Scans.h"
#include "passes/support/StoredBytes.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// The sweep over a scan body, written into a new function. Arguments of that function are made as they are asked
/// for: carried adjoints first, then slices, then invariants.
class BodyAdjoints : public Adjoints {
public:
  BodyAdjoints(seq::ScanOp scan, func::FuncOp forward, func::FuncOp backward, Operation *marker)
      : Adjoints(marker, OpBuilder::atBlockEnd(&backward.getBody().front())), scan(scan), forward(forward),
        block(backward.getBody().front()) {}

  /// A slice of the reversed scan: either entry `index` of the forward scan's own slices, or a value of the forward
  /// body that it must stack.
  struct Slice {
    int64_t operand = -1;
    Value stacked;
  };
  SmallVector<Slice> slices;
  SmallVector<int64_t> invariants; // operands of the forward scan, by index among its invariants

  int64_t numCarry = 0;
  Value addCarry(Type type) { return block.insertArgument(numCarry++, type, scan.getLoc()); }

  /// Adjoint of a stacked result of the forward scan, as the body sees it.
  Value addGradientSlice(Type type) {
    slices.push_back({});
    return block.insertArgument(numCarry + slices.size() - 1, type, scan.getLoc());
  }

protected:
  Value given(Value value) override {
    auto argument = dyn_cast<BlockArgument>(value);
    int64_t carries = scan.getCarry().size(), ownSlices = scan.getSlices().size();
    if (argument && argument.getArgNumber() >= carries + ownSlices) {
      invariants.push_back(argument.getArgNumber() - carries - ownSlices);
      return block.addArgument(value.getType(), value.getLoc());
    }
    Slice slice;
    if (argument && argument.getArgNumber() >= carries)
      slice.operand = argument.getArgNumber() - carries;
    else
      slice.stacked = value;
    slices.push_back(slice);
    return block.insertArgument(numCarry + slices.size() - 1, value.getType(), value.getLoc());
  }

private:
  seq::ScanOp scan;
  func::FuncOp forward;
  Block &block;
};

/// Everything that is needed while one scan is differentiated.
struct ScanReversal {
  seq::ScanOp scan;
  ValueRange gradients;
  Adjoints &outer;
  /// By number among their kind; of the carried values all but tokens.
  SmallVector<int64_t> activeCarries = {}, activeSlices = {}, activeInvariants = {};

  LogicalResult run();

private:
  LogicalResult checkBody(func::FuncOp forward);
  void findActive();
  func::FuncOp createBackward(func::FuncOp forward);
  void seed(BodyAdjoints &inner, func::FuncOp forward);
  void finishBackward(BodyAdjoints &inner, func::FuncOp forward, func::FuncOp backward);
  seq::ScanOp replaceForward(BodyAdjoints &inner, func::FuncOp forward);
  void emitReversed(BodyAdjoints &inner, seq::ScanOp forwardScan, func::FuncOp backward);
  bool hasStackGradient(int64_t stack) { return static_cast<bool>(gradients[scan.getCarry().size() + stack]); }
};

/// What a scan body is called once it has a backward.
std::string forwardName(func::FuncOp body) {
  std::string name = (body.getName() + ".forward").str();
  while (SymbolTable::lookupSymbolIn(body->getParentOp(), name))
    name += "_"; // a parameter of the source is called like that
  return name;
}

func::FuncOp ScanReversal::createBackward(func::FuncOp forward) {
  OpBuilder at(forward->getContext());
  auto backward =
      func::FuncOp::create(at, forward.getLoc(), (forward.getName() + ".backward").str(), at.getFunctionType({}, {}));
  backward.setPrivate();
  backward->setAttr(kForwardAttr, FlatSymbolRefAttr::get(at.getContext(), forwardName(forward)));
  backward.addEntryBlock();
  SymbolTable(forward->getParentOp()).insert(backward, std::next(forward->getIterator()));
  return backward;
}

/// Carried adjoints: of each carried value, then of each active invariant (a running sum).
void ScanReversal::seed(BodyAdjoints &inner, func::FuncOp forward) {
  Block &block = forward.getBody().front();
  Operation *end = block.getTerminator();
  int64_t carries = scan.getCarry().size(), slices = scan.getSlices().size();
  for (int64_t i : activeCarries)
    inner.setActive(block.getArgument(i));
  for (int64_t i : activeSlices)
    inner.setActive(block.getArgument(carries + i));
  for (int64_t i : activeInvariants)
    inner.setActive(block.getArgument(carries + slices + i));
  inner.spreadActivity(block);

  SmallVector<std::pair<Value, Value>> seeds;
  for (int64_t i : activeCarries)
    seeds.emplace_back(end->getOperand(i), inner.addCarry(scan.getCarry()[i].getType()));
  for (int64_t i : activeInvariants)
    seeds.emplace_back(block.getArgument(carries + slices + i), inner.addCarry(scan.getInvariants()[i].getType()));
  for (auto [i, stack] : llvm::enumerate(scan.getStackResults()))
    if (hasStackGradient(i)) {
      Value element = end->getOperand(carries + i);
      seeds.emplace_back(element, inner.addGradientSlice(element.getType()));
    }
  for (auto [value, gradient] : seeds)
    inner.add(value, gradient);
}

void ScanReversal::finishBackward(BodyAdjoints &inner, func::FuncOp forward, func::FuncOp backward) {
  Block &block = forward.getBody().front();
  int64_t carries = scan.getCarry().size(), slices = scan.getSlices().size();
  SmallVector<Value> results;
  inner.b.setLoc(scan.getLoc());
  for (int64_t i : activeCarries)
    results.push_back(inner.getOrZero(block.getArgument(i)));
  for (int64_t i : activeInvariants)
    results.push_back(inner.getOrZero(block.getArgument(carries + slices + i)));
  for (int64_t i : activeSlices)
    results.push_back(inner.getOrZero(block.getArgument(carries + i)));
  func::ReturnOp::create(inner.b, results);
  updateType(backward);
}

/// The forward scan with further stacks: what the backward asked for.
seq::ScanOp ScanReversal::replaceForward(BodyAdjoints &inner, func::FuncOp forward) {
  Operation *end = forward.getBody().front().getTerminator();
  SmallVector<Value> returned(end->getOperands());
  SmallVector<Type> types(scan.getResultTypes());
  for (BodyAdjoints::Slice &slice : inner.slices)
    if (slice.stacked) {
      returned.push_back(slice.stacked);
      types.push_back(stackType(scan, slice.stacked.getType()));
    }
  end->setOperands(returned);
  updateType(forward);
  forward.setName(forwardName(forward));
  seq::ScanOp replacement = rebuildScan(scan, types, scan.getCarry(), scan.getSlices(), scan.getInvariants());
  replacement.setBody(forward.getName());
  return replacement;
}

void ScanReversal::emitReversed(BodyAdjoints &inner, seq::ScanOp forwardScan, func::FuncOp backward) {
  int64_t carries = scan.getCarry().size();
  SmallVector<Value> carry, slices, invariants;
  for (int64_t i : activeCarries)
    carry.push_back(gradients[i] ? gradients[i] : outer.b.splat(scan.getCarry()[i].getType(), 0.0));
  for (int64_t i : activeInvariants)
    carry.push_back(outer.b.splat(scan.getInvariants()[i].getType(), 0.0));
  int64_t stack = scan.getNumResults(), stackGradient = 0;
  for (auto [i, slice] : llvm::enumerate(inner.slices)) {
    if (slice.operand >= 0) {
      slices.push_back(outer.primal(scan.getSlices()[slice.operand]));
    } else if (slice.stacked) {
      slices.push_back(forwardScan.getResult(stack++));
      backward.setArgAttr(inner.numCarry + i, kSavedAttr, outer.b.getI64IntegerAttr(storedBytes(slice.stacked)));
    } else {
      while (!hasStackGradient(stackGradient))
        ++stackGradient;
      slices.push_back(gradients[carries + stackGradient++]);
    }
  }
  for (int64_t i : inner.invariants)
    invariants.push_back(outer.primal(scan.getInvariants()[i]));
  SmallVector<Type> types(ValueRange(carry).getTypes());
  for (int64_t i : activeSlices)
    types.push_back(scan.getSlices()[i].getType());
  auto reversed = seq::ScanOp::create(outer.b, types, backward.getName(), scan.getTrips(), !scan.getReverse(), carry,
                                      slices, invariants);
  auto result = reversed.getResults().begin();
  for (int64_t i : activeCarries)
    outer.add(scan.getCarry()[i], *result++);
  for (int64_t i : activeInvariants)
    outer.add(scan.getInvariants()[i], *result++);
  for (int64_t i : activeSlices)
    outer.add(scan.getSlices()[i], *result++);
}

/// Reports a body with a scan of its own, and one that others call as well.
LogicalResult ScanReversal::checkBody(func::FuncOp forward) {
  if (auto nested = forward.getOps<seq::ScanOp>(); !nested.empty()) {
    InFlightDiagnostic error = (*nested.begin()).emitError() << "a scan within a scan has no derivative";
    error.attachNote(scan.getLoc()) << "the outer scan";
    return error;
  }
  if (auto uses = *SymbolTable::getSymbolUses(forward, forward->getParentOp()); !llvm::hasSingleElement(uses)) {
    InFlightDiagnostic error = scan.emitError() << "the body of a scan must have one caller, but @" << forward.getName()
                                                << " has several";
    for (SymbolTable::SymbolUse use : uses)
      if (use.getUser() != scan)
        error.attachNote(use.getUser()->getLoc()) << "also called here";
    return error;
  }
  return success();
}

void ScanReversal::findActive() {
  for (auto [i, carried] : llvm::enumerate(scan.getCarry()))
    if (isa<FloatType>(typeOf(carried).getElementType()))
      activeCarries.push_back(i);
  for (auto [i, slice] : llvm::enumerate(scan.getSlices()))
    if (outer.isActive(slice))
      activeSlices.push_back(i);
  for (auto [i, invariant] : llvm::enumerate(scan.getInvariants()))
    if (outer.isActive(invariant))
      activeInvariants.push_back(i);
}

LogicalResult ScanReversal::run() {
  func::FuncOp forward = bodyOf(scan);
  if (failed(checkBody(forward)))
    return failure();
  findActive();
  Adjoints::prepare(forward);
  numberOperations(forward);
  func::FuncOp backward = createBackward(forward);
  OpBuilder at = OpBuilder::atBlockEnd(&backward.getBody().front());
  auto marker = seq::BackwardOp::create(at, scan.getLoc(), ValueRange{}, ValueRange{});
  BodyAdjoints inner(scan, forward, backward, marker);
  seed(inner, forward);
  if (failed(inner.propagate(forward.getBody().front())))
    return failure();
  finishBackward(inner, forward, backward);
  marker.erase();

  seq::ScanOp replacement = replaceForward(inner, forward);
  emitReversed(inner, replacement, backward);
  scan->replaceAllUsesWith(replacement->getResults().take_front(scan.getNumResults()));
  scan.erase();
  return success();
}

LogicalResult scanRule(Operation *op, ValueRange gradients, Adjoints &outer) {
  return ScanReversal{cast<seq::ScanOp>(op), gradients, outer}.run();
}
} // namespace

void stretto::passes::addScanRules(RuleTable &table) { table["seq.scan"] = scanRule; }
