//===- FunctionPrinter.cpp - one function of a model as Python ------------===//
#include "codegen/pytorch/FunctionPrinter.h"

#include "passes/support/Scans.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Texts longer than this become variables even if they have no name.
static constexpr size_t kLongExpression = 72;

FunctionPrinter::FunctionPrinter(func::FuncOp function, const WeightPaths &weights, const PythonNames &names,
                                 bool isEntry)
    : function(function), weights(weights), names(names), isEntry(isEntry) {
  findLastUses();
  for (BlockArgument argument : function.getArguments()) {
    if (auto weight = weights.nameOf(argument))
      values[argument] = {groupName(weight->group) + "[" + python::quoted(weight->path) + "]"};
    else
      takeName(argument, hintOf(argument.getLoc()), [](Value) { return false; });
  }
}

std::string FunctionPrinter::groupName(unsigned group) const { return isEntry ? "self" : python::groupName(group); }

/// Something of the type and device of the weights: the model, or a tensor of the function; None where there is none.
std::string FunctionPrinter::someTensor() {
  if (isEntry)
    return "self";
  for (BlockArgument argument : function.getArguments())
    if (isa<FloatType>(getElementTypeOrSelf(argument.getType())))
      return text(argument);
  return "None";
}

/// An argument with the positions of activations of this type, tokens or activations; empty where there is none.
std::string FunctionPrinter::someRows(Type type) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  for (BlockArgument argument : function.getArguments()) {
    RankedTensorType own = typeOf(argument);
    const int64_t rank = own.getElementType().isInteger() ? 2 : 3; // other matrices are weights
    if (shape.size() == 3 && own.getRank() == rank && own.getShape().take_front(2) == shape.take_front(2) &&
        !weights.nameOf(argument))
      return text(argument);
  }
  return "";
}

// ---------------------------------------------------------------- names and lifetimes

void FunctionPrinter::findLastUses() {
  Block &block = function.getBody().front();
  int64_t index = std::distance(block.begin(), block.end());
  for (Operation &op : llvm::reverse(block)) {
    emittedAt[&op] = --index;
    if (isInlined(&op))
      for (Operation *user : op.getUsers())
        emittedAt[&op] = std::max(emittedAt[&op], emittedAt[user]);
  }
}

bool FunctionPrinter::isInlined(Operation *op) const {
  if (isa<arith::ConstantOp, seq::GetParameterOp, seq::BroadcastOp>(op))
    return true;
  bool isTuple = isa<seq::ScanOp>(op) || (isa<func::CallOp>(op) && op->getNumResults() > 1);
  if (isTuple || op->getNumResults() == 0 || !hintOf(op->getLoc()).empty())
    return false;
  bool onlyFirst = llvm::all_of(op->getResults().drop_front(), [](Value result) { return result.use_empty(); });
  Value result = op->getResult(0);
  return onlyFirst && result.hasOneUse() && !isa<seq::ScanOp>(*result.user_begin());
}

int64_t FunctionPrinter::readUntil(Value value) const {
  int64_t last = -1;
  for (Operation *user : value.getUsers())
    last = std::max(last, emittedAt.lookup(user));
  return last;
}

/// Gives the value a variable. `mayReplace`: whether the name may be taken from a value that is still read. Values that
/// one statement assigns have a variable each, read or not: a loop carries them on.
std::string FunctionPrinter::takeName(Value value, llvm::StringRef hint, llvm::function_ref<bool(Value)> mayReplace) {
  std::string name = python::freshName(hint.empty() ? "t" : python::identifier(hint), [&](llvm::StringRef candidate) {
    Value holder = holders.lookup(candidate);
    bool isBeside = holder && holder.getDefiningOp() == value.getDefiningOp();
    return names.reserved.contains(candidate) || isBeside ||
           (holder && readUntil(holder) >= now && !mayReplace(holder));
  });
  holders[name] = value;
  values[value] = {name};
  return name;
}

std::string FunctionPrinter::formals() {
  SmallVector<std::string> texts;
  for (BlockArgument argument : function.getArguments())
    if (!weights.nameOf(argument))
      texts.push_back(text(argument));
  if (names.isMasked || (names.hasPositions && !isEntry))
    texts.push_back("positions");
  if (names.hasTargets)
    texts.push_back("targets");
  if (names.hasDropout)
    texts.push_back(isEntry ? "dropout_keys=None" : "dropout_keys");
  for (unsigned group = 0; group < weights.countGroups(function); ++group)
    texts.push_back(groupName(group));
  return llvm::join(texts, ", ");
}

// ---------------------------------------------------------------- statements

LogicalResult FunctionPrinter::print(llvm::raw_ostream &stream, int spaces) {
  os = &stream;
  indent = spaces;
  for (Operation &op : function.getBody().front()) {
    ++now;
    if (failed(printOperation(&op)))
      return failure();
  }
  return success();
}

LogicalResult FunctionPrinter::printOperation(Operation *op) {
  if (auto end = dyn_cast<func::ReturnOp>(op)) {
    SmallVector<std::string> texts;
    for (Value operand : end.getOperands())
      texts.push_back(text(operand));
    line() << "return " << llvm::join(texts, ", ") << "\n";
    return success();
  }
  if (auto scan = dyn_cast<seq::ScanOp>(op))
    return printScan(scan);
  FailureOr<Expression> result = expression(op);
  if (failed(result))
    return failure();
  bool isLong = result->text.size() > kLongExpression && !isa<seq::BroadcastOp>(op);
  if (isInlined(op) && !isLong)
    values[op->getResult(0)] = *result;
  else
    assign(op, result->text);
  return success();
}

void FunctionPrinter::assign(Operation *op, const std::string &text) {
  SmallVector<std::string> targets;
  bool onlyFirst = !isa<func::CallOp>(op);
  for (Value result : op->getResults().take_front(onlyFirst ? 1 : op->getNumResults())) {
    auto mayReplace = [&](Value holder) { return readUntil(holder) <= now; };
    targets.push_back(takeName(result, hintOf(op->getLoc()), mayReplace));
  }
  line() << llvm::join(targets, ", ") << " = " << text << "\n";
}

/// The function that a scan or a call runs.
static func::FuncOp calleeOf(Operation *site) {
  if (auto scan = dyn_cast<seq::ScanOp>(site))
    return passes::bodyOf(scan);
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(site, cast<func::CallOp>(site).getCalleeAttr());
}

std::string FunctionPrinter::call(Operation *site, ArrayRef<std::string> arguments,
                                  llvm::function_ref<std::string(seq::ParameterOp)> layerOf) {
  func::FuncOp callee = calleeOf(site);
  SmallVector<std::string> texts;
  for (auto [argument, text] : llvm::zip_equal(callee.getArguments(), arguments))
    if (!weights.nameOf(argument))
      texts.push_back(text);
  if (names.hasPositions)
    texts.push_back("positions");
  if (names.hasTargets)
    texts.push_back("targets");
  if (names.hasDropout)
    texts.push_back("dropout_keys");
  for (const WeightPaths::Source &source : weights.groupsOf(site)) {
    std::string layer = source.one ? layerOf(source.one) : "";
    std::string below = source.prefix.empty() ? "" : ".group(" + python::quoted(source.prefix, layer) + ")";
    texts.push_back(groupName(source.group) + below);
  }
  return names.functions.lookup(callee) + "(" + llvm::join(texts, ", ") + ")";
}

// ---------------------------------------------------------------- the loop over layers

namespace {
/// How the text of a loop counts: layers of its first parameter where all have the same step, iterations otherwise.
struct LoopIndex {
  int64_t first = 0, step = 1;

  explicit LoopIndex(seq::ScanOp scan) {
    seq::ParameterOp one;
    for (Value slice : scan.getSlices()) {
      seq::ParameterOp parameter = parameterOf(slice);
      if (!parameter || (one && one.getStep() != parameter.getStep()))
        return;
      one = one ? one : parameter;
    }
    if (one)
      first = one.getFirst(), step = one.getStep();
  }

  /// The layer that an iteration has in a parameter, as text of the loop's variable.
  std::string layerOf(seq::ParameterOp parameter) const {
    int64_t factor = int64_t(parameter.getStep()) / step;
    int64_t offset = int64_t(parameter.getFirst()) - first * factor;
    std::string text = factor == 1 ? "i" : "i * " + std::to_string(factor);
    if (offset != 0)
      text += (offset > 0 ? " + " : " - ") + std::to_string(std::abs(offset));
    return text;
  }
};
} // namespace

SmallVector<std::string> FunctionPrinter::startCarry(seq::ScanOp scan) {
  func::FuncOp body = passes::bodyOf(scan);
  SmallVector<std::string> carried, targets, initial;
  for (auto [i, result] : llvm::enumerate(scan.getResults())) {
    // The variable may be that of the initial value if nothing else in the loop reads it.
    auto mayReplace = [&, index = i](Value holder) {
      auto readsNow = [&](OpOperand &use) { return emittedAt.lookup(use.getOwner()) >= now; };
      return llvm::all_of(holder.getUses(), [&](OpOperand &use) {
        return !readsNow(use) || (use.getOwner() == scan && use.getOperandNumber() == index);
      });
    };
    std::string value = text(scan.getOperand(i));
    llvm::StringRef hint = hintOf(scan.getLoc());
    carried.push_back(takeName(result, hint.empty() ? hintOf(body.getArgument(i).getLoc()) : hint, mayReplace));
    if (carried.back() != value)
      targets.push_back(carried.back()), initial.push_back(value);
  }
  if (!targets.empty())
    line() << llvm::join(targets, ", ") << " = " << llvm::join(initial, ", ") << "\n";
  return carried;
}

LogicalResult FunctionPrinter::printScan(seq::ScanOp scan) {
  if (scan.getReverse() || !scan.getStackResults().empty())
    return scan.emitError() << "a scan that is reversed or stacks results has no PyTorch form";
  LoopIndex loop(scan);
  SmallVector<std::string> carried = startCarry(scan), arguments(carried);
  for (Value slice : scan.getSlices()) {
    seq::ParameterOp parameter = parameterOf(slice);
    arguments.push_back(parameter ? "self[" + python::quoted(weights.nameOf(slice)->path, loop.layerOf(parameter)) + "]"
                                  : values.lookup(slice).within(python::Binding::Atom) + "[i]");
  }
  for (Value invariant : scan.getInvariants())
    arguments.push_back(text(invariant));
  line() << "for i in " << python::range(loop.first, loop.step, scan.getTrips()) << ":\n";
  line().indent(4) << llvm::join(carried, ", ") << " = "
                   << call(scan, arguments, [&](seq::ParameterOp parameter) { return loop.layerOf(parameter); })
                   << "\n";
  return success();
}
