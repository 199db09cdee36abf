// Built-in initializers of weights.
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// Of a truncated normal, in standard deviations: programs draw until a number lies within.
constexpr double leastBound = 0.01;

/// Reports a number that is no scale of a distribution.
bool expectScale(BuiltinCall &call, double value, bool mayBeZero) {
  if (value > 0 || (mayBeZero && value == 0))
    return true;
  call.error("'" + call.name() + "' takes " + (mayBeZero ? "numbers of at least 0" : "positive numbers") +
             ", but got " + toString(Value(value)));
  return false;
}

Values normal(BuiltinCall &call) {
  double std = call.real("std", 0);
  if (!expectScale(call, std, /*mayBeZero=*/true))
    return {Value()};
  return {Initializer{Initializer::Kind::Normal, 0, std}};
}

Values truncatedNormal(BuiltinCall &call) {
  double std = call.real("std", 0), bound = call.real("bound", 3);
  if (!expectScale(call, std, /*mayBeZero=*/true))
    return {Value()};
  if (bound < leastBound) {
    call.errorAt("bound",
                 "bound must be at least " + toString(Value(leastBound)) + ", but got " + toString(Value(bound)));
    return {Value()};
  }
  return {Initializer{Initializer::Kind::TruncatedNormal, std, bound}};
}

Values uniform(BuiltinCall &call) {
  double bound = call.real("bound", 0);
  if (!expectScale(call, bound, /*mayBeZero=*/true))
    return {Value()};
  return {Initializer{Initializer::Kind::Uniform, -bound, bound}};
}

/// A distribution between two numbers that are not negative.
template <Initializer::Kind kind, bool mayBeginAtZero>
Values between(BuiltinCall &call) {
  double low = call.real("low", 0), high = call.real("high", 0);
  if ((low > 0 || (mayBeginAtZero && low == 0)) && low < high)
    return {Initializer{kind, low, high}};
  call.error("'" + call.name() + "' takes numbers 0 " + (mayBeginAtZero ? "<=" : "<") + " low < high, but got " +
             toString(Value(low)) + " and " + toString(Value(high)));
  return {Value()};
}

Values constant(BuiltinCall &call) { return {Initializer{Initializer::Kind::Constant, call.real("value", 0), 0}}; }

} // namespace

llvm::ArrayRef<Builtin> frontend::initializerBuiltins() {
  using K = ArgumentKind;
  using Kind = Initializer::Kind;
  static const std::vector<BuiltinParameter> bounds = {{"low", K::Float, required}, {"high", K::Float, required}};
  static const Builtin table[] = {
      {.name = "normal", .parameters = {{"std", K::Float, required}}, .meaning = normal},
      {.name = "truncated_normal",
       .parameters = {{"std", K::Float, required}, {"bound", K::Float}},
       .meaning = truncatedNormal},
      {.name = "uniform", .parameters = {{"bound", K::Float, required}}, .meaning = uniform},
      {.name = "constant", .parameters = {{"value", K::Float, required}}, .meaning = constant},
      {.name = "log_of_uniform", .parameters = bounds, .meaning = between<Kind::LogOfUniform, /*mayBeginAtZero=*/true>},
      {.name = "step_bias", .parameters = bounds, .meaning = between<Kind::StepBias, /*mayBeginAtZero=*/false>},
  };
  return table;
}
