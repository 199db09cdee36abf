// Expressions on numbers, bools, symbols and sets, and the way to those on tensors.
#include "frontend/Sema/Elaborator.h"

#include <algorithm>

using namespace stretto;

namespace {
/// Nested evaluations, calls included; keeps the machine stack within bounds.
constexpr unsigned maxDepth = 1000;

llvm::StringRef tensorFunction(BinaryOperator op) {
  switch (op) {
  case BinaryOperator::Add: return "add";
  case BinaryOperator::Subtract: return "sub";
  case BinaryOperator::Multiply: return "mul";
  case BinaryOperator::Divide: return "div";
  default: return "";
  }
}

bool isComparison(BinaryOperator op) { return op >= BinaryOperator::Equal && op <= BinaryOperator::GreaterEqual; }
} // namespace

Value Elaborator::evaluate(const Expr &expr, NameHint hint) {
  if (llvm::isa<CallExpr>(expr)) {
    std::vector<Value> values = evaluateMany(expr, hint);
    if (values.size() == 1)
      return std::move(values[0]);
    error(expr.range, "one value is expected here, but '" + llvm::cast<CallExpr>(expr).callee.text + "' gives " +
                          llvm::Twine(values.size()));
    return {};
  }
  DepthGuard guard(depth);
  if (!spend(1))
    return {};
  if (depth > maxDepth) {
    error(expr.range, "evaluation is nested more than " + llvm::Twine(maxDepth) + " levels deep");
    exhausted = true;
    return {};
  }
  switch (expr.kind) {
  case ExprKind::Integer: return llvm::cast<IntegerExpr>(expr).value;
  case ExprKind::Float: return llvm::cast<FloatExpr>(expr).value;
  case ExprKind::Bool: return llvm::cast<BoolExpr>(expr).value;
  case ExprKind::Name: return evaluateName(llvm::cast<NameExpr>(expr));
  case ExprKind::Unary: return evaluateUnary(llvm::cast<UnaryExpr>(expr));
  case ExprKind::Binary: return evaluateBinary(llvm::cast<BinaryExpr>(expr));
  case ExprKind::Conditional: return evaluateConditional(llvm::cast<ConditionalExpr>(expr), hint);
  case ExprKind::Set:
  case ExprKind::Call: break;
  }
  SymbolSet set;
  for (const Identifier &member : llvm::cast<SetExpr>(expr).members)
    if (!llvm::is_contained(set.members, member.text))
      set.members.push_back(member.text.str());
  std::sort(set.members.begin(), set.members.end());
  return set;
}

std::vector<Value> Elaborator::evaluateMany(const Expr &expr, NameHint hint) {
  auto *call = llvm::dyn_cast<CallExpr>(&expr);
  if (!call)
    return {evaluate(expr, hint)};
  DepthGuard guard(depth);
  if (!spend(1))
    return {Value()};
  if (depth > maxDepth) {
    error(expr.range, "evaluation is nested more than " + llvm::Twine(maxDepth) + " levels deep");
    exhausted = true;
    return {Value()};
  }
  return evaluateCall(*call, hint);
}

Value Elaborator::evaluateName(const NameExpr &expr) {
  if (Binding *binding = lookup(expr.name)) {
    if (!binding->value.isTensor())
      return binding->value;
    if (std::optional<ValueId> id = builder->import(*binding))
      return Tensor{builder, *id};
    error(expr.range, "'" + expr.name + "' is a tensor of another function; pass it as an argument");
    return {};
  }
  if (expr.name == "zeros" || expr.name == "ones")
    return Initializer{Initializer::Kind::Constant, expr.name == "ones" ? 1.0 : 0.0, 0};
  if (loaded.symbols.contains(expr.name))
    return Symbol{expr.name.str(), nullptr};
  Scope *home = nullptr;
  if (lookupDeclaration(expr.name, home))
    error(expr.range, "'" + expr.name + "' is a block or def; call it with (...)");
  else
    error(expr.range, "unknown name '" + expr.name.take_front(60) + "'" + didYouMean(expr.name, visibleNames()));
  return {};
}

Value Elaborator::evaluateUnary(const UnaryExpr &expr) {
  Value operand = evaluate(*expr.operand);
  if (operand.isError())
    return operand;
  if (expr.op == UnaryOperator::Not) {
    std::optional<bool> flag = expectBool(operand, "the operand of 'not'", expr.operand->range);
    return flag ? Value(!*flag) : Value();
  }
  if (operand.isTensor())
    return applyUnary("neg", operand, expr.range);
  if (operand.isNumber()) {
    std::string problem;
    Value result = computeNumbers(BinaryOperator::Subtract, operand.get<double>() ? Value(-0.0) : Value(int64_t(0)),
                                  operand, expr.range, problem);
    if (!problem.empty())
      error(expr.range, problem);
    return result;
  }
  error(expr.range, "'-' takes a number or a tensor, but got " + kindName(operand));
  return {};
}

Value Elaborator::evaluateLogic(const BinaryExpr &expr) {
  std::optional<bool> left = expectBool(evaluate(*expr.left), "the left side of '" + spelling(expr.op).str() + "'",
                                        expr.left->range);
  if (!left)
    return {};
  bool isDecided = expr.op == BinaryOperator::Or ? *left : !*left;
  if (isDecided)
    return *left;
  std::optional<bool> right = expectBool(evaluate(*expr.right), "the right side of '" + spelling(expr.op).str() + "'",
                                         expr.right->range);
  return right ? Value(*right) : Value();
}

Value Elaborator::evaluateBinary(const BinaryExpr &expr) {
  if (expr.op == BinaryOperator::And || expr.op == BinaryOperator::Or)
    return evaluateLogic(expr);
  Value left = evaluate(*expr.left), right = evaluate(*expr.right);
  if (left.isError() || right.isError())
    return {};
  if (expr.op == BinaryOperator::In)
    return evaluateIn(expr, left, right);
  if (left.isNumber() && right.isNumber()) {
    std::string problem;
    Value result = computeNumbers(expr.op, left, right, expr.range, problem);
    if (!problem.empty())
      error(expr.range, problem);
    return result;
  }
  llvm::StringRef function = tensorFunction(expr.op);
  bool leftFits = left.isTensor() || left.isNumber(), rightFits = right.isTensor() || right.isNumber();
  if (!function.empty() && leftFits && rightFits)
    return applyBinary(function, left, right, expr.range);
  if (isComparison(expr.op) && !left.isTensor() && !right.isTensor())
    return compareSymbols(expr, left, right);
  error(expr.range, "'" + spelling(expr.op) + "' does not take " + kindName(left) + " and " + kindName(right));
  return {};
}

Value Elaborator::evaluateIn(const BinaryExpr &expr, const Value &left, const Value &right) {
  auto *symbol = left.get<Symbol>();
  auto *set = right.get<SymbolSet>();
  if (!symbol || !set) {
    error(expr.range, "'in' takes a symbol and a set, but got " + kindName(left) + " and " + kindName(right));
    return {};
  }
  if (!symbol->universe && !checkMember(symbol->name, set->universe, sources.text(expr.right->range), expr.left->range))
    return {};
  for (const std::string &member : set->members)
    if (!checkMember(member, symbol->universe, sources.text(expr.left->range), expr.right->range))
      return {};
  return llvm::is_contained(set->members, symbol->name);
}

Value Elaborator::compareSymbols(const BinaryExpr &expr, const Value &left, const Value &right) {
  bool isEquality = expr.op == BinaryOperator::Equal || expr.op == BinaryOperator::NotEqual;
  if (!isEquality || left.data.index() != right.data.index()) {
    error(expr.range, "'" + spelling(expr.op) + "' does not take " + kindName(left) + " and " + kindName(right));
    return {};
  }
  auto *a = left.get<Symbol>();
  auto *b = right.get<Symbol>();
  if (a && b &&
      (!checkMember(a->name, b->universe, sources.text(expr.right->range), expr.left->range) ||
       !checkMember(b->name, a->universe, sources.text(expr.left->range), expr.right->range)))
    return {};
  return sameStatic(left, right) == (expr.op == BinaryOperator::Equal);
}

Value Elaborator::evaluateConditional(const ConditionalExpr &expr, NameHint hint) {
  std::optional<bool> condition = expectBool(evaluate(*expr.condition), "a condition", expr.condition->range);
  if (!condition)
    return {};
  return evaluate(*condition ? *expr.whenTrue : *expr.whenFalse, hint);
}
