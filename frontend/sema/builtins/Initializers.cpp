// Built-in initializers of weights.
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// Reports a number that is no scale of a distribution.
bool expectScale(BuiltinCall &call, double value, bool mayBeZero) {
  if (value > 0 || (mayBeZero && value == 0))
    return true;
  call.error("'" + call.name() + "' takes positive numbers, but got " + toString(Value(value)));
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
  if (!expectScale(call, std, /*mayBeZero=*/true) || !expectScale(call, bound, /*mayBeZero=*/false))
    return {Value()};
  return {Initializer{Initializer::Kind::TruncatedNormal, std, bound}};
}

Values uniform(BuiltinCall &call) {
  double bound = call.real("bound", 0);
  if (!expectScale(call, bound, /*mayBeZero=*/true))
    return {Value()};
  return {Initializer{Initializer::Kind::Uniform, -bound, bound}};
}

Values constant(BuiltinCall &call) { return {Initializer{Initializer::Kind::Constant, call.real("value", 0), 0}}; }

} // namespace

llvm::ArrayRef<Builtin> frontend::initializerBuiltins() {
  using K = ArgumentKind;
  static const Builtin table[] = {
      {.name = "normal", .parameters = {{"std", K::Float, required}}, .meaning = normal},
      {.name = "truncated_normal",
       .parameters = {{"std", K::Float, required}, {"bound", K::Float}},
       .meaning = truncatedNormal},
      {.name = "uniform", .parameters = {{"bound", K::Float, required}}, .meaning = uniform},
      {.name = "constant", .parameters = {{"value", K::Float, required}}, .meaning = constant},
  };
  return table;
}
