// Built-in functions of columns: spread, numbers.
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

Values spread(BuiltinCall &call) {
  if (!call.expectRowsOrVectors("x") || !call.expectInRange("width", 1))
    return {Value()};
  Type type = call.type("x");
  const Dim width = call.dim("width");
  if (width.size % type.width().size != 0) {
    Diagnostic &diagnostic = call.errorAt("width", "width must be a multiple of the width of " + type.str() +
                                                       ", but got " + llvm::Twine(width.size));
    noteOrigin(diagnostic, type.width().provenance);
    noteOrigin(diagnostic, width.provenance);
    return {Value()};
  }
  type.dims.back() = width;
  return {call.operation({call.value("x")}, type)};
}

Values numbers(BuiltinCall &call) {
  if (!call.expectInRange("n", 1))
    return {Value()};
  const Type type{Type::Kind::Weight, {call.dim("n")}};
  return {call.operation({}, type)};
}

} // namespace

llvm::ArrayRef<Builtin> frontend::columnBuiltins() {
  using K = ArgumentKind;
  static const Builtin table[] = {
      {.name = "spread",
       .parameters = {{"x", K::Tensor, required}, {"width", K::Int, required}},
       .meaning = spread,
       .hasOperation = true},
      {.name = "numbers", .parameters = {{"n", K::Int, required}}, .meaning = numbers, .hasOperation = true},
  };
  return table;
}
