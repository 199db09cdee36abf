// The built-in function of training alone: dropout.
#include "frontend/sema/TensorMath.h"
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

using namespace stretto;
using namespace stretto::frontend;

/// The place is a number of its own, so that layers which differ by it alone become one loop.
static Values dropout(BuiltinCall &call) {
  if (!call.expectRows("x"))
    return {Value()};
  const double rate = call.real("rate", 0);
  if (!(rate >= 0 && rate < 1)) {
    noteOrigin(call.errorAt("rate", "rate must be at least 0 and less than 1, but got " + toString(call.value("rate"))),
               call.value("rate").provenance);
    return {Value()};
  }
  if (rate == 0)
    return {call.value("x")};
  const Type type = call.type("x");
  const Value place = splat(call.emitter, double(call.emitter.takePlace()), type, call.range());
  return {call.operation({call.value("x"), place}, type, {{"rate", rate}})};
}

llvm::ArrayRef<Builtin> frontend::trainingBuiltins() {
  using K = ArgumentKind;
  static const Builtin table[] = {
      {.name = "dropout",
       .parameters = {{"x", K::Tensor, required}, {"rate", K::Float, required}},
       .meaning = dropout,
       .hasOperation = true},
  };
  return table;
}
