// Evaluates expressions.
#include "frontend/sema/elaborate/Expressions.h"

#include "frontend/sema/Numbers.h"
#include "frontend/sema/ParameterType.h"
#include "frontend/sema/TensorMath.h"
#include "frontend/sema/builtins/Builtin.h"
#include "frontend/sema/elaborate/Calls.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

using namespace stretto;
using namespace stretto::frontend;

namespace {
/// Nested evaluations, calls included; keeps the machine stack within bounds.
constexpr unsigned maxDepth = 1000;

llvm::StringRef tensorFunction(BinaryOperator op) {
  switch (op) {
  case BinaryOperator::Add:
    return "add";
  case BinaryOperator::Subtract:
    return "sub";
  case BinaryOperator::Multiply:
    return "mul";
  case BinaryOperator::Divide:
    return "div";
  default:
    return "";
  }
}

SymbolSet setOf(const SetExpr &expr) {
  SymbolSet set;
  for (const Identifier &member : expr.members)
    if (!llvm::is_contained(set.members, member.text))
      set.members.push_back(member.text.str());
  std::sort(set.members.begin(), set.members.end());
  return set;
}
} // namespace

// ---------------------------------------------------------------- any expression

/// Counts an evaluation. False, after one error, when there are too many, or too many within each other.
bool Expressions::mayGoOn(SourceRange range) {
  if (!budget.spend(1, range))
    return false;
  if (depth <= maxDepth)
    return true;
  reporter.error(range, "evaluation is nested more than " + llvm::Twine(maxDepth) + " levels deep");
  budget.exhaust();
  return false;
}

Value Expressions::evaluate(const Expr &expr, NameHint hint) {
  if (auto *call = llvm::dyn_cast<CallExpr>(&expr)) {
    std::vector<Value> values = evaluateMany(expr, hint);
    if (values.size() == 1)
      return std::move(values[0]);
    reporter.error(expr.range,
                   "one value is expected here, but '" + call->callee.text + "' gives " + llvm::Twine(values.size()));
    return {};
  }
  llvm::SaveAndRestore nested(depth, depth + 1);
  if (!mayGoOn(expr.range))
    return {};
  Value value = evaluateKind(expr, hint);
  warnOfComment(expr, value);
  return value;
}

/// An expression that is no call.
Value Expressions::evaluateKind(const Expr &expr, NameHint hint) {
  switch (expr.kind) {
  case ExprKind::Integer:
    return llvm::cast<IntegerExpr>(expr).value;
  case ExprKind::Float:
    return llvm::cast<FloatExpr>(expr).value;
  case ExprKind::Bool:
    return llvm::cast<BoolExpr>(expr).value;
  case ExprKind::Name:
    return evaluateName(llvm::cast<NameExpr>(expr));
  case ExprKind::Set:
    return setOf(llvm::cast<SetExpr>(expr));
  case ExprKind::Unary:
    return evaluateUnary(llvm::cast<UnaryExpr>(expr));
  case ExprKind::Binary:
    return evaluateBinary(llvm::cast<BinaryExpr>(expr));
  case ExprKind::Conditional:
    return evaluateConditional(llvm::cast<ConditionalExpr>(expr), hint);
  case ExprKind::Call:
    break;
  }
  llvm_unreachable("calls are evaluated above");
}

Value Expressions::evaluateSymbol(const Expr &expr) {
  auto *bare = llvm::dyn_cast<NameExpr>(&expr);
  if (bare && !names.lookup(bare->name))
    return Symbol{bare->name.str(), nullptr};
  auto *conditional = llvm::dyn_cast<ConditionalExpr>(&expr);
  if (!conditional)
    return evaluate(expr);
  std::optional<bool> condition = evaluateBool(*conditional->condition, "a condition");
  if (!condition)
    return {};
  return evaluateSymbol(*condition ? *conditional->whenTrue : *conditional->whenFalse);
}

std::vector<Value> Expressions::evaluateMany(const Expr &expr, NameHint hint) {
  auto *call = llvm::dyn_cast<CallExpr>(&expr);
  if (!call)
    return {evaluate(expr, hint)};
  llvm::SaveAndRestore nested(depth, depth + 1);
  if (!mayGoOn(expr.range))
    return {Value()};
  std::vector<Value> values = calls.evaluate(*call, hint);
  if (values.size() == 1)
    warnOfComment(expr, values[0]);
  return values;
}

std::optional<bool> Expressions::evaluateBool(const Expr &expr, llvm::StringRef what) {
  return expectBool(reporter, evaluate(expr), what, expr.range);
}

// ---------------------------------------------------------------- comments

static std::optional<double> resultOf(BinaryOperator op, double left, double right) {
  switch (op) {
  case BinaryOperator::Add:
    return left + right;
  case BinaryOperator::Subtract:
    return left - right;
  case BinaryOperator::Multiply:
    return left * right;
  case BinaryOperator::Divide:
    return left / right;
  case BinaryOperator::Remainder:
    return std::fmod(left, right);
  default:
    return std::nullopt;
  }
}

/// What a call of a function of numbers gives, where its arguments are arithmetic; nothing for all else. Nothing is
/// said of what is wrong with it.
std::optional<double> Expressions::numberOf(const CallExpr &call) {
  const Builtin *builtin = findBuiltin(call.callee.text);
  const bool isOfNumbers =
      builtin && !builtin->parameters.empty() && builtin->parameters.front().kind == ArgumentKind::Any;
  auto isArithmetic = [&](const Argument &argument) { return arithmeticOf(*argument.value).has_value(); };
  if (!isOfNumbers || !llvm::all_of(call.arguments, isArithmetic))
    return std::nullopt;
  const std::vector<Value> values =
      reporter.unheard([&] { return budget.uncounted([&] { return calls.evaluate(call, {}); }); });
  return values[0].isNumber() ? std::optional(toFloat(values[0])) : std::nullopt;
}

/// Of arithmetic on numbers, on variables that hold some and on what functions make of such; nothing for all else.
std::optional<Expressions::Arithmetic> Expressions::arithmeticOf(const Expr &expr) {
  if (auto *number = llvm::dyn_cast<IntegerExpr>(&expr))
    return Arithmetic::of(static_cast<double>(number->value));
  if (auto *number = llvm::dyn_cast<FloatExpr>(&expr))
    return Arithmetic::of(number->value);
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr)) {
    const Binding *binding = names.lookup(name->name);
    return binding && binding->value.isNumber() ? std::optional(Arithmetic::of(toFloat(binding->value))) : std::nullopt;
  }
  if (auto *call = llvm::dyn_cast<CallExpr>(&expr)) {
    const std::optional<double> result = numberOf(*call);
    return result ? std::optional(Arithmetic::of(*result)) : std::nullopt;
  }
  auto *binary = llvm::dyn_cast<BinaryExpr>(&expr);
  const auto left = binary ? arithmeticOf(*binary->left) : std::nullopt;
  const auto right = left ? arithmeticOf(*binary->right) : std::nullopt;
  const auto result = right ? resultOf(binary->op, left->result, right->result) : std::nullopt;
  return result ? std::optional(Arithmetic{left->first, *result}) : std::nullopt;
}

/// Warns of a comment behind a number that may be meant to divide it: it is arithmetic itself and begins with a number
/// that is less. (A larger one says what came out before the last operation, an equal one or result what comes out.)
void Expressions::warnOfComment(const Expr &expr, const Value &value) {
  if (!expr.comment || !value.isNumber())
    return;
  const SourceRange text = expr.comment->range;
  if (!budget.spend(text.end - text.begin, text)) // instead of each step of numberOf
    return;
  const double dividend = std::abs(toFloat(value));
  const auto divisor = arithmeticOf(*expr.comment);
  if (divisor && divisor->first > 1 && divisor->first < dividend && divisor->result != dividend)
    reporter.warning(expr.comment->range,
                     "'//' begins a comment and does not divide; floor(a / b) divides ints, rounding down");
}

// ---------------------------------------------------------------- names, operators

Value Expressions::evaluateName(const NameExpr &expr) {
  if (Binding *binding = names.lookup(expr.name)) {
    if (!binding->value.isTensor())
      return binding->value;
    if (std::optional<ValueId> id = emitter.function().import(*binding))
      return Tensor{&emitter.function(), *id};
    reporter.error(expr.range, "'" + expr.name + "' is a tensor of another function; pass it as an argument");
    return {};
  }
  if (const Initializer *initializer = findInitializer(expr.name))
    return *initializer;
  if (names.isSymbol(expr.name))
    return Symbol{expr.name.str(), nullptr};
  if (names.lookupDeclaration(expr.name).first)
    reporter.error(expr.range, "'" + expr.name + "' is a block or def; call it with (...)");
  else if (findBuiltin(expr.name))
    reporter.error(expr.range, "'" + expr.name + "' is a built-in operation; call it with (...)");
  else
    reportUnknown(expr);
  return {};
}

/// Says of which repeat it is a variable, or what the name may have meant.
void Expressions::reportUnknown(const NameExpr &expr) {
  const auto [local, isIndex] = names.findInRepeats(expr.name);
  if (!local) {
    reporter.error(expr.range,
                   "unknown name '" + expr.name.take_front(60) + "'" + didYouMean(expr.name, names.visibleNames()));
    return;
  }
  const std::string name = ("'" + expr.name + "'").str();
  Diagnostic &diagnostic =
      reporter.error(expr.range, name + " has no value here: " +
                                     (isIndex ? "it is the index of a repeat, which only the body of the repeat has"
                                              : "it is local to one layer of the repeat"));
  diagnostic.notes.push_back(
      {local->range, name + (isIndex ? " counts the layers here"
                                     : " is assigned here; give it a value before the repeat to carry it on")});
}

/// The result on numbers.
Value Expressions::computed(BinaryOperator op, const Value &a, const Value &b, SourceRange range) {
  std::string problem;
  Value result = computeNumbers(op, a, b, range, problem);
  if (!problem.empty())
    reporter.error(range, problem);
  return result;
}

Value Expressions::evaluateUnary(const UnaryExpr &expr) {
  Value operand = evaluate(*expr.operand);
  if (operand.isError())
    return operand;
  if (expr.op == UnaryOperator::Not) {
    std::optional<bool> flag = expectBool(reporter, operand, "the operand of 'not'", expr.operand->range);
    return flag ? Value(!*flag) : Value();
  }
  if (operand.isTensor())
    return applyUnary(emitter, "neg", operand, expr.range);
  if (operand.isNumber())
    return computed(BinaryOperator::Subtract, operand.get<double>() ? Value(-0.0) : Value(int64_t(0)), operand,
                    expr.range);
  reporter.error(expr.range, "'-' takes a number or a tensor, but got " + kindName(operand));
  return {};
}

Value Expressions::evaluateLogic(const BinaryExpr &expr) {
  std::optional<bool> left = evaluateBool(*expr.left, "the left side of '" + spelling(expr.op).str() + "'");
  if (!left)
    return {};
  bool isDecided = expr.op == BinaryOperator::Or ? *left : !*left;
  if (isDecided)
    return *left;
  std::optional<bool> right = evaluateBool(*expr.right, "the right side of '" + spelling(expr.op).str() + "'");
  return right ? Value(*right) : Value();
}

/// What to write in place of a comparison of tensors.
static llvm::StringRef adviseComparison(BinaryOperator op, const Value &left, const Value &right) {
  if (!isComparison(op) || !(left.isTensor() || right.isTensor()))
    return "";
  return "; heaviside(x) is 1 where x > 0, and what 'if' asks is decided when compiling";
}

Value Expressions::evaluateBinary(const BinaryExpr &expr) {
  if (expr.op == BinaryOperator::And || expr.op == BinaryOperator::Or)
    return evaluateLogic(expr);
  if (expr.op == BinaryOperator::In)
    return evaluateIn(expr);
  Value left = evaluate(*expr.left), right = evaluate(*expr.right);
  if (left.isError() || right.isError())
    return {};
  if (left.isNumber() && right.isNumber())
    return computed(expr.op, left, right, expr.range);
  llvm::StringRef function = tensorFunction(expr.op);
  bool leftFits = left.isTensor() || left.isNumber(), rightFits = right.isTensor() || right.isNumber();
  if (!function.empty() && leftFits && rightFits)
    return applyBinary(emitter, function, left, right, expr.range);
  if (isComparison(expr.op) && !left.isTensor() && !right.isTensor())
    return compareSymbols(expr, left, right);
  reporter.error(expr.range, "'" + spelling(expr.op) + "' does not take " + kindName(left) + " and " + kindName(right) +
                                 adviseComparison(expr.op, left, right));
  return {};
}

Value Expressions::evaluateConditional(const ConditionalExpr &expr, NameHint hint) {
  std::optional<bool> condition = evaluateBool(*expr.condition, "a condition");
  if (!condition)
    return {};
  return evaluate(*condition ? *expr.whenTrue : *expr.whenFalse, hint);
}

// ---------------------------------------------------------------- symbols

/// The type of a set that takes one more member.
static std::string adviseWiderSet(const Universe &universe, llvm::StringRef member) {
  return universe
             ? ("; a parameter of type set {" + llvm::join(*universe, ", ") + ", " + member + "} takes it, too").str()
             : "";
}

/// Whether the name is that of a variable of a repeat, or close to that of a variable in sight.
bool Expressions::meansVariable(llvm::StringRef name) const {
  return names.findInRepeats(name).name || names.lookup(nearestName(name, names.visibleNames()));
}

/// The members of a set that has a type explain what an unknown name before it may be, unless it means a variable.
Value Expressions::evaluateIn(const BinaryExpr &expr) {
  Value right = evaluate(*expr.right);
  auto *set = right.get<SymbolSet>();
  auto *bare = llvm::dyn_cast<NameExpr>(expr.left.get());
  bool maybeSymbol = set && set->universe && !(bare && meansVariable(bare->name));
  Value left = maybeSymbol ? evaluateSymbol(*expr.left) : evaluate(*expr.left);
  return left.isError() || right.isError() ? Value() : isMember(expr, left, right);
}

Value Expressions::isMember(const BinaryExpr &expr, const Value &left, const Value &right) {
  auto *symbol = left.get<Symbol>();
  auto *set = right.get<SymbolSet>();
  if (!symbol || !set) {
    reporter.error(expr.range, "'in' takes a symbol and a set, but got " + kindName(left) + " and " + kindName(right));
    return {};
  }
  llvm::StringRef leftText = reporter.text(expr.left->range), rightText = reporter.text(expr.right->range);
  if (!symbol->universe && !checkMember(reporter, symbol->name, set->universe, rightText, expr.left->range,
                                        adviseWiderSet(set->universe, symbol->name)))
    return {};
  for (const std::string &member : set->members)
    if (!checkMember(reporter, member, symbol->universe, leftText, expr.right->range))
      return {};
  return llvm::is_contained(set->members, symbol->name);
}

Value Expressions::compareSymbols(const BinaryExpr &expr, const Value &left, const Value &right) {
  bool isEquality = expr.op == BinaryOperator::Equal || expr.op == BinaryOperator::NotEqual;
  if (!isEquality || left.data.index() != right.data.index()) {
    reporter.error(expr.range,
                   "'" + spelling(expr.op) + "' does not take " + kindName(left) + " and " + kindName(right));
    return {};
  }
  auto *a = left.get<Symbol>();
  auto *b = right.get<Symbol>();
  llvm::StringRef leftText = reporter.text(expr.left->range), rightText = reporter.text(expr.right->range);
  if (a && b &&
      (!checkMember(reporter, a->name, b->universe, rightText, expr.left->range) ||
       !checkMember(reporter, b->name, a->universe, leftText, expr.right->range)))
    return {};
  return sameStatic(left, right) == (expr.op == BinaryOperator::Equal);
}
