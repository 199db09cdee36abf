// Built-in functions for what a model adds to its loss: next_token_loss, batch_mean, stop_gradient.
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

Values nextTokenLoss(BuiltinCall &call) {
  if (!call.expectRows("logits"))
    return {Value()};
  const Type &type = call.type("logits");
  if (type.width().size >= call.options.vocabulary)
    return {call.operation({call.value("logits")}, call.emitter.rowsType({1}))};
  Diagnostic &diagnostic =
      call.errorAt("logits", "'logits' of '" + call.name() + "' must have a column for each of the " +
                                 llvm::Twine(call.options.vocabulary) + " tokens of the task, but got " + type.str());
  noteOrigin(diagnostic, type.width().provenance);
  return {Value()};
}

Values batchMean(BuiltinCall &call) {
  if (!call.expectRows("x"))
    return {Value()};
  return {call.operation({call.value("x")}, {Type::Kind::Weight, {call.type("x").width()}})};
}

Values stopGradient(BuiltinCall &call) {
  if (!call.expectRowsOrWeights("x"))
    return {Value()};
  return {call.operation({call.value("x")}, call.type("x"))};
}

} // namespace

llvm::ArrayRef<Builtin> frontend::lossBuiltins() {
  using K = ArgumentKind;
  static const Builtin table[] = {
      {.name = "next_token_loss",
       .parameters = {{"logits", K::Tensor, required}},
       .meaning = nextTokenLoss,
       .hasOperation = true},
      {.name = "batch_mean", .parameters = {{"x", K::Tensor, required}}, .meaning = batchMean, .hasOperation = true},
      {.name = "stop_gradient",
       .parameters = {{"x", K::Tensor, required}},
       .meaning = stopGradient,
       .hasOperation = true},
  };
  return table;
}
