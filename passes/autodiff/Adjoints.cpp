//===- Adjoints.cpp - the state of one backward sweep -------------------------===//
#include "passes/autodiff/Adjoints.h"
#include "passes/autodiff/Passes.h"

#include "ir/seq/Marks.h"
#include "ir/seq/SourceNames.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

bool stretto::passes::isFree(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() ||
         isa<seq::TableOp, seq::LayerNumbersOp, seq::GetParameterOp, seq::ColumnIndexOp>(op);
}

bool stretto::passes::isRepeatable(Operation *op) {
  return seq::isRowOperation(op) && seq::reachOf(op) != seq::RowReach::all && !isFree(op);
}

/// Whether the spec has the backward repeat an operation of the library.
static bool isMarkedRepeated(Operation *op) { return isa<seq::LibraryOp>(op) && op->hasAttr(kRecomputeAttr); }

/// Whether the backward has an operation of its own for one of the forward.
static bool hasCopies(Operation *op) { return op && (isFree(op) || isRepeatable(op) || isMarkedRepeated(op)); }

Adjoints::Adjoints(Operation *marker, OpBuilder backward) : b(marker->getLoc(), backward), marker(marker) {}

//===- Forward values -----------------------------------------------------------===//

Value Adjoints::primal(Value forward) {
  if (!forward)
    return {};
  if (Value known = copies.lookupOrNull(forward))
    return known;
  if (Operation *op = forward.getDefiningOp(); hasCopies(op))
    repeat(op);
  else
    copies.map(forward, given(forward));
  return copies.lookup(forward);
}

/// Copies an operation before the marker, its operands first. Recursion is bounded by a worklist.
void Adjoints::repeat(Operation *last) {
  SmallVector<Operation *> stack{last};
  while (!stack.empty()) {
    Operation *op = stack.back();
    size_t before = stack.size();
    for (Value operand : op->getOperands()) {
      if (copies.contains(operand))
        continue;
      Operation *producer = operand.getDefiningOp();
      if (hasCopies(producer))
        stack.push_back(producer);
      else
        copies.map(operand, given(operand));
    }
    if (stack.size() != before)
      continue;
    stack.pop_back();
    if (copies.contains(op->getResult(0)))
      continue;
    OpBuilder at(marker);
    Operation *copy = at.clone(*op, copies);
    if (isFree(op))
      continue;
    if (isMarkedRepeated(op)) {
      copy->removeAttr(kRecomputeAttr);
      copy->setAttr(kRepeatedAttr, at.getUnitAttr());
      continue;
    }
    // The number is that of the operation within its function, so that forward and copy find each other.
    auto id = op->getAttrOfType<IntegerAttr>(kIdAttr);
    copy->setAttr(kIdAttr, id);
    copy->setAttr(kRecomputedAttr, at.getUnitAttr());
  }
}

void Adjoints::spreadActivity(Block &block) {
  for (Operation &op : block) {
    if (isa<seq::StopGradientOp>(op))
      continue;
    auto parameter = dyn_cast<seq::GetParameterOp>(op);
    bool isSource =
        parameter &&
        !SymbolTable::lookupNearestSymbolFrom<seq::ParameterOp>(&op, parameter.getParameterAttr()).getFrozen();
    if (!isSource && llvm::none_of(op.getOperands(), [&](Value v) { return isActive(v); }))
      continue;
    for (Value result : op.getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType()); type && isa<FloatType>(type.getElementType()))
        setActive(result);
  }
}

//===- Sums ---------------------------------------------------------------------===//

/// Has the operation that makes a contribution add it to the sum so far, where it can: it must come behind what makes
/// the sum, and nothing else may need the contribution alone.
bool Adjoints::accumulate(Value contribution, Value sum) {
  auto library = contribution.getDefiningOp<seq::LibraryOp>();
  auto slot = library ? library.getAccumulatorSlot() : std::nullopt;
  Operation *before = sum.getDefiningOp();
  if (!slot || !slot->empty() || isShared.contains(contribution) || !contribution.use_empty() ||
      (before && !before->isBeforeInBlock(library)))
    return false;
  slot->assign(sum);
  return true;
}

void Adjoints::add(Value forward, Value contribution) {
  if (!isActive(forward))
    return;
  Value &sum = sums[forward];
  if (!sum || accumulate(contribution, sum))
    sum = contribution;
  else
    sum = b.add(sum, contribution);
  isShared.insert(sum);
}

void Adjoints::addSlice(Value forward, int64_t offset, Value contribution) {
  if (!isActive(forward))
    return;
  if (contribution.getType() == forward.getType())
    return add(forward, contribution);
  slices[forward].push_back({offset, contribution});
  isShared.insert(contribution);
}

Value Adjoints::get(Value forward) {
  if (auto pieces = slices.find(forward); pieces != slices.end()) {
    Value merged = mergePieces(forward, pieces->second);
    slices.erase(pieces);
    add(forward, merged);
  }
  return sums.lookup(forward);
}

Value Adjoints::getOrZero(Value forward) {
  Value sum = get(forward);
  return sum ? sum : b.splat(forward.getType(), 0.0);
}

/// Pieces side by side with zeros between them; pieces that overlap go into a further sum.
Value Adjoints::mergePieces(Value forward, SmallVector<Piece> pieces) {
  llvm::stable_sort(pieces, [](const Piece &x, const Piece &y) { return x.offset < y.offset; });
  Value total;
  while (!pieces.empty()) {
    SmallVector<Value> columns;
    SmallVector<Piece> rest;
    int64_t end = 0;
    auto fill = [&](int64_t until) {
      if (until == end)
        return;
      SmallVector<int64_t> shape(typeOf(forward).getShape());
      shape.back() = until - end;
      columns.push_back(b.splat(RankedTensorType::get(shape, typeOf(forward).getElementType()), 0.0));
    };
    for (const Piece &piece : pieces) {
      if (piece.offset < end) {
        rest.push_back(piece);
        continue;
      }
      fill(piece.offset);
      columns.push_back(piece.value);
      end = piece.offset + columnsOf(piece.value);
    }
    fill(columnsOf(forward));
    Value row = b.concat(columns);
    total = total ? b.add(total, row) : row;
    pieces = std::move(rest);
  }
  return total;
}

//===- The sweep ----------------------------------------------------------------===//

static const RuleTable &rules() {
  static const RuleTable table = [] {
    RuleTable t;
    addElementwiseRules(t);
    addRowRules(t);
    addScanRules(t);
    return t;
  }();
  return table;
}

void Adjoints::prepare(func::FuncOp function) {
  SmallVector<seq::DifferentiableOp> ops;
  function.walk([&](seq::DifferentiableOp op) { ops.push_back(op); });
  for (seq::DifferentiableOp op : ops)
    op.saveForBackward();
}

LogicalResult Adjoints::differentiate(Operation *op, ValueRange gradients) {
  if (auto own = dyn_cast<seq::DifferentiableOp>(op))
    return own.differentiate(gradients, *this);
  auto rule = rules().find(op->getName().getStringRef());
  if (rule == rules().end())
    return op->emitError() << "'" << op->getName() << "' has no derivative";
  return rule->second(op, gradients, *this);
}

LogicalResult Adjoints::propagate(Block &block) {
  SmallVector<Operation *> order;
  for (Operation &op : block)
    order.push_back(&op);
  for (Operation *op : llvm::reverse(order)) {
    if (isFree(op) || op->getNumResults() == 0)
      continue;
    SmallVector<Value> gradients;
    b.setLoc(markGradient(op->getLoc()));
    for (Value result : op->getResults())
      gradients.push_back(isActive(result) ? get(result) : Value());
    if (llvm::none_of(gradients, [](Value v) { return static_cast<bool>(v); }))
      continue;
    if (failed(differentiate(op, gradients)))
      return failure();
  }
  return success();
}
