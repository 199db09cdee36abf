// Built-in norms, softmax among them.
#include "frontend/sema/TensorMath.h"
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// Checks the heads. Elsewhere the second argument of a norm is the width: `alone` says what comes of heads of one
/// column.
bool expectHeads(BuiltinCall &call, llvm::StringRef alone) {
  if (!call.expectParts("heads", 1))
    return false;
  int64_t heads = call.integer("heads", 1);
  if (heads > 1 && heads == call.type("x").width().size)
    call.emitter.reporter.warning(call.rangeOf("heads"), "'" + call.name() + "' of " + call.type("x").str() + " with " +
                                                             llvm::Twine(heads) + " heads " + alone);
  return true;
}

/// Checks what norms have in common. The columns of a head: the gain and the bias of a norm have one entry for each.
/// Nothing after an error.
std::optional<Dim> headWidth(BuiltinCall &call) {
  if (!expectHeads(call, "norms each number alone; leave heads out for a norm of all"))
    return std::nullopt;
  if (call.real("eps", 0) < 0) {
    call.errorAt("eps", "eps must be at least 0, but got " + toString(call.value("eps")));
    return std::nullopt;
  }
  const Dim width = call.type("x").width();
  int64_t heads = call.integer("heads", 1);
  return heads == 1 ? width : Dim{width.size / heads, call.emitter.reporter.origin("head_dim", call.range())};
}

/// The norm itself. `more` are its operands besides x.
Value norm(BuiltinCall &call, llvm::ArrayRef<Value> more, double eps = 1e-5) {
  llvm::SmallVector<Value> operands = {call.value("x")};
  llvm::append_range(operands, more);
  return call.operation(operands, call.type("x"),
                        {{"eps", call.real("eps", eps)}, {"heads", call.integer("heads", 1)}});
}

Values rmsNorm(BuiltinCall &call) {
  std::optional<Dim> width = call.expectRowsOrWeights("x") ? headWidth(call) : std::nullopt;
  if (!width)
    return {Value()};
  Value gain = call.weight(call.weightScope() + ".weight", {*width}, call.initializer("init", ones));
  return {gain.isError() ? Value() : norm(call, {gain})};
}

Values layerNorm(BuiltinCall &call) {
  std::optional<Dim> width = call.expectRowsOrWeights("x") ? headWidth(call) : std::nullopt;
  if (!width)
    return {Value()};
  std::string scope = call.weightScope();
  Value gain = call.weight(scope + ".weight", {*width}, call.initializer("init", ones));
  if (gain.isError())
    return {Value()};
  Value bias = call.flag("bias", true) ? call.weight(scope + ".bias", {*width}, call.initializer("bias_init", zeros))
                                       : splat(call.emitter, 0.0, typeOf(gain), call.range());
  return {norm(call, {gain, bias})};
}

/// Of queries and keys, or of the rows of a weight: it has no weight of its own.
Values l2Norm(BuiltinCall &call) {
  if (!call.expectRowsOrWeights("x") || !headWidth(call))
    return {Value()};
  return {norm(call, {}, /*eps=*/1e-6)};
}

Values softmax(BuiltinCall &call) {
  if (!call.expectRowsOrWeights("x") || !expectHeads(call, "is 1 everywhere; leave heads out for a softmax of all"))
    return {Value()};
  return {call.operation({call.value("x")}, call.type("x"), {{"heads", call.integer("heads", 1)}})};
}

} // namespace

llvm::ArrayRef<Builtin> frontend::normBuiltins() {
  using K = ArgumentKind;
  static const Builtin table[] = {
      {.name = "rms_norm",
       .parameters = {{"x", K::Tensor, required}, {"heads", K::Int}, {"eps", K::Float}, {"init", K::Initializer}},
       .meaning = rmsNorm,
       .hasOperation = true},
      {.name = "layer_norm",
       .parameters = {{"x", K::Tensor, required},
                      {"heads", K::Int},
                      {"eps", K::Float},
                      {"bias", K::Bool},
                      {"init", K::Initializer},
                      {"bias_init", K::Initializer}},
       .meaning = layerNorm,
       .hasOperation = true},
      {.name = "l2_norm",
       .parameters = {{"x", K::Tensor, required}, {"heads", K::Int}, {"eps", K::Float}},
       .meaning = l2Norm,
       .hasOperation = true},
      {.name = "softmax",
       .parameters = {{"x", K::Tensor, required}, {"heads", K::Int}},
       .meaning = softmax,
       .hasOperation = true},
  };
  return table;
}
