// Built-in functions that say or ask something of tensors and compute nothing: recompute, width.
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

using namespace stretto;
using namespace stretto::frontend;

/// The operations inside the operands are marked already; that of a variable was emitted before.
static Values recompute(BuiltinCall &call) {
  call.emitter.markRecomputed(call.operands());
  return call.operands().vec();
}

static Values width(BuiltinCall &call) {
  const Dim width = call.type("x").width();
  return {Value(width.size, width.provenance)};
}

llvm::ArrayRef<Builtin> frontend::annotationBuiltins() {
  using K = ArgumentKind;
  static const Builtin table[] = {
      {.name = "recompute",
       .parameters = {{"x", K::Tensor, required}},
       .meaning = recompute,
       .isVariadic = true,
       .isAnnotation = true},
      {.name = "width", .parameters = {{"x", K::Tensor, required}}, .meaning = width},
  };
  return table;
}
