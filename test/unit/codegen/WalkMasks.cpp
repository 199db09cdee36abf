//===- WalkMasks.cpp - walks that leave out one of their choices ---------------===//
#include "WalkMasks.h"

#include "ir/seq/TensorShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

static constexpr int64_t firstFault = 4; // numbers of operands are below

/// The operand that names a fault: the last of the inputs.
static unsigned operandOf(kern::WalkOp walk) { return walk.getInputs().size() - 1; }

/// Adds the operand; returns its tile, a number.
static Value addOperand(kern::WalkOp walk) {
  auto function = walk->getParentOfType<func::FuncOp>();
  Type element = Float32Type::get(walk.getContext());
  Value fault = function.getBody().addArgument(RankedTensorType::get({1}, element), walk.getLoc());
  function.setType(
      FunctionType::get(walk.getContext(), function.getBody().getArgumentTypes(), function.getResultTypes()));
  walk.getInputsMutable().append(fault);
  SmallVector<Attribute> windows(walk.getWindows().getValue());
  auto window = kern::WindowAttr::get(walk.getContext(), kern::WindowKind::shared, /*parts=*/1, /*width=*/1,
                                      /*every=*/1);
  windows.insert(windows.begin() + operandOf(walk), window);
  walk.setWindowsAttr(ArrayAttr::get(walk.getContext(), windows));
  return walk.getBody().insertArgument(operandOf(walk), RankedTensorType::get({}, element), walk.getLoc());
}

/// Whether the operand names a fault, for each element of a tile of this shape.
static Value isFault(ImplicitLocOpBuilder &b, Value operand, int64_t fault, ArrayRef<int64_t> shape) {
  auto type = typeOf(operand).clone(shape);
  Value all = shape.empty() ? operand : seq::BroadcastOp::create(b, type, operand, ArrayRef<int64_t>()).getResult();
  float number = static_cast<float>(firstFault + fault);
  Value wanted = arith::ConstantOp::create(b, DenseElementsAttr::get(type, number));
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, all, wanted);
}

int64_t stretto::test::addFaults(kern::WalkOp walk) {
  SmallVector<arith::SelectOp> choices;
  walk.walk([&](arith::SelectOp choice) { choices.push_back(choice); });
  Value operand = addOperand(walk);
  for (auto [i, choice] : llvm::enumerate(choices)) {
    ImplicitLocOpBuilder b(choice.getLoc(), choice->getContext());
    b.setInsertionPointAfter(choice);
    ArrayRef<int64_t> shape = typeOf(choice.getResult()).getShape();
    Value takesFirst = isFault(b, operand, 2 * i, shape), takesSecond = isFault(b, operand, 2 * i + 1, shape);
    auto sound = arith::SelectOp::create(b, takesSecond, choice.getFalseValue(), choice.getResult());
    Value chosen = arith::SelectOp::create(b, takesFirst, choice.getTrueValue(), sound);
    choice.getResult().replaceAllUsesExcept(chosen, sound);
  }
  return 2 * static_cast<int64_t>(choices.size());
}

std::string stretto::test::nameOfFault(int64_t fault) {
  return llvm::formatv("{0} value of choice {1}", fault % 2 ? "second" : "first", fault / 2);
}

void stretto::test::chooseFault(kern::WalkOp walk, std::vector<Numbers> &inputs, int64_t fault) {
  inputs[operandOf(walk)] = {static_cast<double>(firstFault + fault)};
}
