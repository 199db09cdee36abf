// Built-in elementwise functions, of tensors and of numbers.
#include "frontend/sema/Numbers.h"
#include "frontend/sema/TensorMath.h"
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

#include <cmath>

using namespace stretto;
using namespace stretto::frontend;

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// An operation on a tensor; `ofNumber` of a number.
template <auto ofNumber>
Values unary(BuiltinCall &call) {
  const Value &x = call.value("x");
  if (x.isTensor())
    return {applyUnary(call.emitter, call.name(), x, call.range())};
  double result = ofNumber(toFloat(x));
  if (std::isfinite(result))
    return {Value(result)};
  call.error("'" + call.name() + "' of " + toString(x) + " is not a finite float");
  return {Value()};
}

/// min and max; `replaces`: whether a number takes the place of the one before it.
template <auto replaces>
Values extreme(BuiltinCall &call) {
  if (call.operands().size() < 2) {
    call.error("'" + call.name() + "' needs at least two arguments");
    return {Value()};
  }
  Value result = call.operands()[0];
  for (const Value &next : call.operands().drop_front()) {
    if (result.isError())
      break;
    if (result.isTensor() || next.isTensor()) {
      result = applyBinary(call.emitter, call.name(), result, next, call.range());
      continue;
    }
    std::string problem;
    Value isLess = computeNumbers(BinaryOperator::Less, result, next, call.range(), problem);
    if (replaces(*isLess.get<bool>()))
      result = next;
  }
  return {result};
}

Builtin unaryBuiltin(llvm::StringRef name, Values (*meaning)(BuiltinCall &)) {
  return {.name = name, .parameters = {{"x", ArgumentKind::Any, required}}, .meaning = meaning, .hasOperation = true};
}

Builtin extremeBuiltin(llvm::StringRef name, Values (*meaning)(BuiltinCall &)) {
  Builtin builtin = unaryBuiltin(name, meaning);
  builtin.isVariadic = true;
  return builtin;
}

} // namespace

llvm::ArrayRef<Builtin> frontend::elementwiseBuiltins() {
  static const Builtin table[] = {
      unaryBuiltin("exp", unary<[](double x) { return std::exp(x); }>),
      unaryBuiltin("log", unary<[](double x) { return std::log(x); }>),
      unaryBuiltin("sqrt", unary<[](double x) { return std::sqrt(x); }>),
      unaryBuiltin("rsqrt", unary<[](double x) { return 1 / std::sqrt(x); }>),
      unaryBuiltin("tanh", unary<[](double x) { return std::tanh(x); }>),
      unaryBuiltin("sin", unary<[](double x) { return std::sin(x); }>),
      unaryBuiltin("cos", unary<[](double x) { return std::cos(x); }>),
      unaryBuiltin("sigmoid", unary<sigmoid>),
      unaryBuiltin("silu", unary<[](double x) { return x * sigmoid(x); }>),
      unaryBuiltin("gelu", unary<[](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }>),
      unaryBuiltin("relu", unary<[](double x) { return std::max(x, 0.0); }>),
      unaryBuiltin("square", unary<[](double x) { return x * x; }>),
      unaryBuiltin("heaviside", unary<[](double x) { return x > 0 ? 1.0 : 0.0; }>),
      unaryBuiltin("softplus", unary<[](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }>),
      extremeBuiltin("min", extreme<[](bool isBeforeLess) { return !isBeforeLess; }>),
      extremeBuiltin("max", extreme<[](bool isBeforeLess) { return isBeforeLess; }>),
  };
  return table;
}
