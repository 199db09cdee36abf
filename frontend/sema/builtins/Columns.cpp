// Built-in functions of columns: concat, split, slice, keep_top, sum, spread, numbers.
#include "frontend/sema/TensorMath.h"
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

Values concatOf(BuiltinCall &call) {
  if (!call.expectRows("x"))
    return {Value()};
  return {concatenate(call.emitter, call.operands(), call.range())};
}

Values splitOf(BuiltinCall &call) {
  if (!call.expectRows("x") || !call.expectParts("parts", 2))
    return {Value()};
  const int64_t parts = call.integer("parts", 2), width = call.type("x").width().size;
  Values results;
  for (int64_t part = 0; part < parts && call.emitter.mayGoOn(); ++part)
    results.push_back(slice(call.emitter, call.value("x"), part * (width / parts), {width / parts}, call.range()));
  return call.emitter.mayGoOn() ? results : Values{Value()};
}

Values sliceOf(BuiltinCall &call) {
  if (!call.expectRows("x") || !call.expectInRange("offset", 0) || !call.expectInRange("width", 1))
    return {Value()};
  const Type type = call.type("x");
  const int64_t offset = call.integer("offset", 0);
  const Dim width = call.dim("width");
  if (width.size > type.width().size - offset) {
    Diagnostic &diagnostic = call.error("offset + width must be at most the width of " + type.str() + ", but got " +
                                        llvm::Twine(offset) + " and " + llvm::Twine(width.size));
    noteOrigin(diagnostic, type.width().provenance);
    noteOrigin(diagnostic, width.provenance);
    return {Value()};
  }
  return {slice(call.emitter, call.value("x"), offset, width, call.range())};
}

Values keepTop(BuiltinCall &call) {
  constexpr int64_t most = 16; // columns, each chosen by two reductions
  if (!call.expectRows("x") || !call.expectParts("heads", 1))
    return {Value()};
  const Type type = call.type("x");
  const int64_t heads = call.integer("heads", 1);
  if (!call.expectInRange("count", 1, std::min(most, type.width().size / heads)))
    return {Value()};
  return {call.operation({call.value("x")}, type, {{"count", call.integer("count", 0)}, {"heads", heads}})};
}

Values sum(BuiltinCall &call) {
  if (!call.expectRowsOrWeights("x") || !call.expectParts("heads", 1))
    return {Value()};
  Type type = call.type("x");
  type.dims.back() = call.has("heads") ? call.dim("heads") : Dim{1};
  return {call.operation({call.value("x")}, type)};
}

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
      {.name = "concat", .parameters = {{"x", K::Tensor, required}}, .meaning = concatOf, .isVariadic = true},
      {.name = "split", .parameters = {{"x", K::Tensor, required}, {"parts", K::Int}}, .meaning = splitOf},
      {.name = "slice",
       .parameters = {{"x", K::Tensor, required}, {"offset", K::Int, required}, {"width", K::Int, required}},
       .meaning = sliceOf},
      {.name = "keep_top",
       .parameters = {{"x", K::Tensor, required}, {"count", K::Int, required}, {"heads", K::Int}},
       .meaning = keepTop,
       .hasOperation = true},
      {.name = "sum",
       .parameters = {{"x", K::Tensor, required}, {"heads", K::Int}},
       .meaning = sum,
       .hasOperation = true},
      {.name = "spread",
       .parameters = {{"x", K::Tensor, required}, {"width", K::Int, required}},
       .meaning = spread,
       .hasOperation = true},
      {.name = "numbers", .parameters = {{"n", K::Int, required}}, .meaning = numbers, .hasOperation = true},
  };
  return table;
}
