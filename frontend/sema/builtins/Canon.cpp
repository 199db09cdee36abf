// The built-in Canon layer.
#include "frontend/sema/TensorMath.h"
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

#include <cmath>

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// The weight [kernel, width] and, where it is wanted, the bias [width].
Values canonWeights(BuiltinCall &call, const Dim &width) {
  int64_t kernel = call.integer("kernel", 4);
  std::string scope = call.weightScope();
  Training training{.frozen = call.flag("frozen", false), .factors = {}};
  // Conv1d's default: uniform with bound 1 / sqrt(fan in).
  double bound = 1 / std::sqrt(double(kernel));
  Initializer init = call.initializer("init", {Initializer::Kind::Uniform, -bound, bound});
  Dim taps{kernel, call.emitter.reporter.origin("kernel", call.rangeOf("kernel"))};
  Values weights = {call.weight(scope + ".weight", {taps, width}, init, training)};
  if (call.flag("bias", false))
    weights.push_back(call.weight(scope + ".bias", {width}, call.initializer("bias_init", zeros), training));
  return weights;
}

/// Several operands are one row of columns for the time of the layer.
Values canon(BuiltinCall &call) {
  if (!call.expectRows("x") || !call.expectInRange("kernel", 2, 4) || !call.expectOwnBias())
    return {Value()};
  Value x = concatenate(call.emitter, call.operands(), call.range());
  if (x.isError())
    return {Value()};
  const Type type = typeOf(x);
  llvm::SmallVector<Value> operands = {x};
  llvm::append_range(operands, canonWeights(call, type.width()));
  if (llvm::any_of(operands, [](const Value &operand) { return operand.isError(); }))
    return {Value()};
  Value y = call.operation(operands, type,
                           {{"residual", call.flag("residual", true)}, {"activation", call.symbol("activation")}});
  return y.isError() ? Values{y} : split(call.emitter, y, call.operands(), call.range());
}

} // namespace

llvm::ArrayRef<Builtin> frontend::canonBuiltins() {
  using K = ArgumentKind;
  static const Builtin table[] = {
      {.name = "canon",
       .parameters = {{"x", K::Tensor, required},
                      {"kernel", K::Int},
                      {"residual", K::Bool},
                      {"bias", K::Bool},
                      {"activation", K::Enum, false, "none silu"},
                      {"frozen", K::Bool},
                      {"init", K::Initializer},
                      {"bias_init", K::Initializer}},
       .meaning = canon,
       .hasOperation = true,
       .isVariadic = true},
  };
  return table;
}
