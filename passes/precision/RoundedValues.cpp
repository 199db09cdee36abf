//===- RoundedValues.cpp - which values between kernels are rounded -------===//
#include "passes/precision/RoundedValues.h"

#include "ir/seq/Purpose.h"
#include "ir/seq/TensorShape.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

static bool isReal(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

//===- Classes of values ------------------------------------------------------===//

unsigned RoundedValues::find(Value value) {
  auto [it, inserted] = numbers.try_emplace(value, parents.size());
  if (inserted) {
    parents.push_back(it->second);
    marks.push_back(0);
  }
  unsigned root = it->second;
  while (parents[root] != root)
    root = parents[root] = parents[parents[root]];
  return root;
}

void RoundedValues::join(Value a, Value b) {
  if (!isReal(a) || !isReal(b) || isConstant(a) || isConstant(b))
    return;
  unsigned left = find(a), right = find(b);
  parents[right] = left;
  marks[left] |= marks[right];
}

bool RoundedValues::mark(Value value, unsigned added) {
  if (!isReal(value) || isConstant(value))
    return false;
  unsigned &found = marks[find(value)], before = found;
  found |= added;
  return found != before;
}

void RoundedValues::mark(ValueRange values, unsigned added) {
  for (Value value : values)
    mark(value, added);
}

unsigned RoundedValues::marksOf(Value value) { return isReal(value) && !isConstant(value) ? marks[find(value)] : 0; }

bool RoundedValues::contains(Value value) { return decide(marksOf(value)); }

//===- What goes together -----------------------------------------------------===//

void RoundedValues::joinScan(seq::ScanOp scan, func::FuncOp body) {
  ValueRange returned = body.getBody().front().getTerminator()->getOperands();
  for (auto [operand, argument] : llvm::zip(scan->getOperands(), body.getArguments()))
    join(operand, argument);
  for (auto [value, result] : llvm::zip(returned, scan.getResults()))
    join(value, result);
  for (auto [argument, result] : llvm::zip(body.getArguments(), scan.getCarryResults()))
    join(argument, result);
}

/// Whether the result of an operation consists of its operands; indices among them are no reals.
static bool onlyMoves(Operation *op) {
  auto library = dyn_cast<seq::LibraryOp>(op);
  return seq::isView(op) || (library && library.onlyMoves());
}

void RoundedValues::joinStructure(Operation *op, SymbolTable &symbols) {
  if (auto scan = dyn_cast<seq::ScanOp>(op)) {
    if (auto body = symbols.lookup<func::FuncOp>(scan.getBody()); body && !body.isExternal())
      joinScan(scan, body);
  } else if (onlyMoves(op)) {
    for (Value operand : op->getOperands())
      join(op->getResult(0), operand);
  } else if (auto library = dyn_cast<seq::LibraryOp>(op); library && library.getResidualOperand()) {
    join(library->getResult(0), library.getResidualOperand()->get());
  } else if (auto get = dyn_cast<seq::GetCacheOp>(op)) {
    Value &first = caches[get.getCacheAttr()];
    if (first)
      join(first, get);
    else
      first = get;
  }
}

//===- What operations say ----------------------------------------------------===//

void RoundedValues::markByDefinition(Operation *op) {
  TypeSwitch<Operation *>(op)
      .Case([&](seq::LibraryOp op) { markLibrary(op); })
      .Case([&](func::ReturnOp end) {
        if (isEntry(end->getParentOp(), seq::EntryKind::decoding)) // the host reads logits
          mark(end.getOperands(), Logits);
      })
      .Case<seq::TableOp, seq::LayerNumbersOp, seq::GetParameterOp, seq::GradientOp>([&](Operation *op) {
        mark(op->getOperands(), Shared);
        mark(op->getResults(), Shared);
      })
      .Case([&](kern::RowwiseOp op) { markKernel(op); });
}

void RoundedValues::markLibrary(seq::LibraryOp op) {
  auto marksOf = [](seq::ValueFacts facts, unsigned ifAllowed) -> unsigned {
    if (facts.kind == RowKind::shared)
      return Shared;
    if (facts.rounding == seq::Rounding::never)
      return facts.kind == RowKind::row ? Table : Number;
    return facts.rounding == seq::Rounding::required ? unsigned(Operand) : ifAllowed;
  };
  for (OpOperand &operand : op->getOpOperands())
    mark(operand.get(), marksOf(op.getOperandFacts(operand.getOperandNumber()), 0));
  for (OpResult result : op->getResults()) {
    seq::ValueFacts facts = op.getResultFacts(result.getResultNumber());
    mark(result, marksOf(facts, facts.kind == RowKind::row ? unsigned(Columns) : 0));
  }
  if (op.getMatmulKind() == seq::MatmulKind::forward && !op.mixesRows())
    mark(op->getResult(0), Matmul);
}

void RoundedValues::markKernel(kern::RowwiseOp op) {
  auto markRow = [&](Value whole, Value row) { mark(whole, elementsOf(row) > 1 ? Columns : Number); };
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (op.getMap(i) == kern::RowMap::row)
      markRow(input, op.getBody().getArgument(i));
    else
      mark(input, Shared);
  }
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    if (op.isColumnSum(i))
      mark(result, Shared);
    else
      markRow(result, op.getYield().getValues()[i]);
  }
}

/// Matmuls that a kernel compares with targets.
void RoundedValues::markLogits(kern::RowwiseOp op) {
  if (!op->hasAttr(lossAttr))
    return;
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    if (op.getMap(i) == kern::RowMap::row && (marksOf(input) & Matmul))
      mark(input, Logits);
}

//===- What follows for kernels -----------------------------------------------===//

/// What a value of a body is: Columns, Number, or neither (the same for each row).
unsigned RoundedValues::markInBody(kern::RowwiseOp op, Value value, llvm::DenseMap<Value, unsigned> &known) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (op.getMap(argument.getArgNumber()) != kern::RowMap::row)
      return 0;
    Value input = op.getInputs()[argument.getArgNumber()];
    return (marksOf(input) & Number) && !contains(input) ? Number : Columns;
  }
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Operation *maker = value.getDefiningOp();
  unsigned found = isa<seq::ColumnIndexOp>(maker) ? unsigned(Columns) : 0;
  for (Value operand : maker->getOperands())
    found |= markInBody(op, operand, known);
  if (found && isa<seq::ReduceOp>(maker))
    found = Number;
  else if ((found & Columns) || (found && isa<seq::BroadcastOp>(maker)))
    found = Columns;
  return known[value] = found;
}

/// Marks the results of a kernel by what its operands are, and its rows as shared where it runs over the rows of a
/// parameter. Returns whether anything is new.
bool RoundedValues::spreadKernel(kern::RowwiseOp op) {
  SmallVector<Value> rows;
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    if (op.getMap(i) == kern::RowMap::row)
      rows.push_back(input);
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (!op.isColumnSum(i))
      rows.push_back(result);
  bool isNew = false;
  if (llvm::any_of(rows, [&](Value value) { return marksOf(value) & Shared; }))
    for (Value value : rows)
      isNew |= mark(value, Shared);
  llvm::DenseMap<Value, unsigned> known;
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (!op.isColumnSum(i) && markInBody(op, op.getYield().getValues()[i], known) == Number)
      isNew |= mark(result, Number);
  return isNew;
}

/// The rows that a value of a kernel's body is a sum or a multiple of.
static SmallVector<Value> partsOf(kern::RowwiseOp op, Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  SmallVector<Value> parts;
  for (unsigned i = 0; i < values.size(); ++i) { // what they are made of is added
    Operation *maker = values[i].getDefiningOp();
    if (isa_and_present<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::MulFOp, arith::DivFOp, arith::SelectOp,
                        seq::MovementOp, seq::BroadcastOp, seq::TapOp>(maker))
      values.insert(maker->operand_begin(), maker->operand_end());
    else if (auto argument = dyn_cast<BlockArgument>(values[i]);
             argument && op.getMap(argument.getArgNumber()) == kern::RowMap::row)
      parts.push_back(op.getInputs()[argument.getArgNumber()]);
  }
  return parts;
}

/// Marks angles: what a kernel takes sines or cosines of, and what it makes angles of; those that are made of sums are
/// sums. Returns whether anything is new.
bool RoundedValues::spreadAngles(kern::RowwiseOp op) {
  bool isNew = false;
  for (Operation &inner : op.getBody().front())
    if (isa<math::SinOp, math::CosOp>(inner))
      for (Value part : partsOf(op, inner.getOperand(0)))
        isNew |= mark(part, Angle);
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    if (op.isColumnSum(i) || !isAngle(result))
      continue;
    for (Value part : partsOf(op, op.getYield().getValues()[i])) {
      isNew |= mark(part, Angle);
      isNew |= mark(result, marksOf(part) & Summed);
    }
  }
  return isNew;
}

RoundedValues::RoundedValues(ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<Operation *> ops;
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody())
      for (Operation &op : block)
        ops.push_back(&op);
  for (Operation *op : ops)
    joinStructure(op, symbols);
  for (Operation *op : ops)
    markByDefinition(op);
  for (Operation *op : ops)
    if (auto kernel = dyn_cast<kern::RowwiseOp>(op))
      markLogits(kernel);
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (Operation *op : ops)
      if (auto kernel = dyn_cast<kern::RowwiseOp>(op)) {
        isNew |= spreadKernel(kernel);
        isNew |= spreadAngles(kernel);
      } else if (isa<seq::MixerOp, seq::MixerStepOp>(op) && isAngle(op->getResult(0))) {
        isNew |= mark(op->getResult(0), Summed);
      }
  }
}
