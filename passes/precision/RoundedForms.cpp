//===- RoundedForms.cpp - values of f32 in bf16 ---------------------------===//
#include "passes/precision/RoundedForms.h"

#include "passes/support/RowBuilder.h"
#include "passes/support/Scans.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

static RankedTensorType rounded(Value value) { return typeOf(value).clone(BFloat16Type::get(value.getContext())); }

RoundedForms::RoundedForms(ModuleOp module) : module(module), callers(scansByBody(module)) {}

Value RoundedForms::get(Value value) {
  if (Value form = known.lookup(value))
    return form;
  Value form = make(value);
  return known[value] = form;
}

Value RoundedForms::make(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    seq::ScanOp scan = callers.lookup(argument.getOwner()->getParentOp());
    return scan && !scan.isCarry(argument.getArgNumber()) ? pass(argument, scan) : roundByKernel(value);
  }
  Operation *op = value.getDefiningOp();
  OpBuilder b(op);
  b.setInsertionPointAfter(op);
  if (auto get = dyn_cast<seq::GetParameterOp>(op))
    return seq::GetParameterOp::create(b, op->getLoc(), rounded(value), get.getParameterAttr(), b.getUnitAttr());
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue())) {
      double number = splat.getSplatValue<APFloat>().convertToDouble();
      FloatAttr attr = b.getFloatAttr(b.getBF16Type(), number);
      return arith::ConstantOp::create(b, op->getLoc(), SplatElementsAttr::get(rounded(value), attr));
    }
  if (auto reshape = dyn_cast<seq::ReshapeOp>(op))
    return seq::ReshapeOp::create(b, op->getLoc(), rounded(value), get(reshape.getOperand()));
  return roundByKernel(value);
}

/// Has a scan pass on the form of a slice or an invariant, right behind the value itself.
Value RoundedForms::pass(BlockArgument argument, seq::ScanOp scan) {
  unsigned number = argument.getArgNumber();
  bool isSlice = scan.isSlice(number);
  Value form = get(scan->getOperand(number));
  MutableOperandRange range = isSlice ? scan.getSlicesMutable() : scan.getInvariantsMutable();
  SmallVector<Value> operands;
  for (OpOperand &use : range) {
    operands.push_back(use.get());
    if (use.getOperandNumber() == number)
      operands.push_back(form);
  }
  range.assign(operands);
  auto body = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  doubled.push_back(argument);
  return addArgument(body, number + 1, rounded(argument), argument.getLoc());
}

/// A kernel over the rows of a value of parameter shape.
Value RoundedForms::roundByKernel(Value value) {
  RowBuilder b(value.getLoc(), module.getContext());
  b.setInsertionPointAfterValue(value);
  auto function = cast<func::FuncOp>(b.getInsertionBlock()->getParentOp());
  int64_t columns = typeOf(value).getRank() ? columnsOf(value) : 1;
  Value rows = b.reshape(value, {1, typeOf(value).getNumElements() / columns, columns});
  auto maps = b.getArrayAttr(kern::RowMapAttr::get(b.getContext(), kern::RowMap::row));
  auto name = b.getStringAttr(function.getName() + ".round" + Twine(kernels++));
  auto kernel = kern::RowwiseOp::create(b, TypeRange(rounded(rows)), rows, maps, /*partial_sums=*/false, name,
                                        kern::Schedule(), kern::ResourcesAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&kernel.getBody());
    Value row = body->addArgument(RankedTensorType::get({columns}, typeOf(value).getElementType()), b.getLoc());
    Value result = arith::TruncFOp::create(b, rounded(row), row);
    kern::YieldOp::create(b, result);
  }
  return b.reshape(kernel.getResult(0), typeOf(value).getShape());
}

void RoundedForms::dropUnread() {
  for (BlockArgument argument : llvm::reverse(doubled)) {
    if (!argument.use_empty())
      continue;
    auto body = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    seq::ScanOp scan = callers.lookup(body);
    unsigned number = argument.getArgNumber();
    scan.eraseRead(number);
    bool isErased = succeeded(body.eraseArgument(number));
    (void)isErased;
    assert(isErased && "bodies of scans may lose arguments");
  }
}
