// Built-in functions of columns: concat, tile, split, slice, keep_top, sum, spread, full, numbers.
#include "frontend/sema/TensorMath.h"
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// Reports unless x fits into the width a whole number of times.
bool expectMultiple(BuiltinCall &call, const Dim &width) {
  const Type &type = call.type("x");
  if (width.size % type.width().size == 0)
    return true;
  Diagnostic &diagnostic = call.errorAt("width", "width must be a multiple of the width of " + type.str() +
                                                     ", but got " + llvm::Twine(width.size));
  noteOrigin(diagnostic, type.width().provenance);
  noteOrigin(diagnostic, width.provenance);
  return false;
}

/// Reports parts that have other rows than the first one.
bool expectSameRows(BuiltinCall &call, llvm::ArrayRef<Value> parts) {
  auto differs = [&](const Value &part) {
    Type type = typeOf(part);
    type.dims.back() = typeOf(parts[0]).width();
    return !(type == typeOf(parts[0]));
  };
  const Value *other = llvm::find_if(parts, differs);
  if (other == parts.end())
    return true;
  const Type &first = typeOf(parts[0]), &type = typeOf(*other);
  noteOrigins(call.error("the parts of '" + call.name() + "' must agree in all but their width, but got " +
                         first.describe() + " and " + type.describe()),
              first, type);
  return false;
}

/// Beside activations a weight [width] is used at each position.
Values concatOf(BuiltinCall &call) {
  if (!call.expectRowsOrWeights("x") || !call.expectParts("heads", 1))
    return {Value()};
  auto isRows = [](const Value &part) { return typeOf(part).isRows(); };
  const bool hasRows = llvm::any_of(call.operands(), isRows);
  llvm::SmallVector<Value> parts;
  for (const Value &part : call.operands()) {
    const bool isVector = typeOf(part).dims.size() == 1;
    parts.push_back(hasRows && isVector ? atEachPosition(call.emitter, part, call.range()) : part);
    if (parts.back().isError())
      return {Value()};
  }
  if (!expectSameRows(call, parts))
    return {Value()};
  return {concatenate(call.emitter, parts, call.range(), call.integer("heads", 1))};
}

/// As many copies as the width has room for.
Values tile(BuiltinCall &call) {
  if (!call.expectRowsOrWeights("x") || !call.expectInRange("width", 1))
    return {Value()};
  const Dim whole = call.type("x").width(), width = call.dim("width");
  if (!expectMultiple(call, width))
    return {Value()};
  const int64_t count = width.size / whole.size;
  if (!call.emitter.grow(count, call.range()))
    return {Value()};
  llvm::SmallVector<Value> copies(count, call.value("x"));
  return {concatenate(call.emitter, copies, call.range())};
}

Values splitOf(BuiltinCall &call) {
  if (!call.expectRowsOrWeights("x") || !call.expectParts("heads", 1) || !call.expectInRange("parts", 1))
    return {Value()};
  const int64_t parts = call.integer("parts", 2), heads = call.integer("heads", 1);
  const Type type = call.type("x");
  const int64_t width = type.width().size / heads;
  if (width % parts != 0) {
    Diagnostic &diagnostic =
        call.errorAt("parts", "parts must divide the width of " + type.str() + (heads > 1 ? ", of each head," : ",") +
                                  " but got " + llvm::Twine(parts));
    noteOrigin(diagnostic, type.width().provenance);
    return {Value()};
  }
  Values results;
  for (int64_t part = 0; part < parts && call.emitter.mayGoOn(); ++part)
    results.push_back(
        slice(call.emitter, call.value("x"), part * (width / parts), {width / parts * heads}, call.range(), heads));
  return call.emitter.mayGoOn() ? results : Values{Value()};
}

Values sliceOf(BuiltinCall &call) {
  if (!call.expectRowsOrWeights("x") || !call.expectParts("heads", 1) || !call.expectInRange("offset", 0) ||
      !call.expectInRange("width", 1))
    return {Value()};
  const Type type = call.type("x");
  const int64_t offset = call.integer("offset", 0), heads = call.integer("heads", 1);
  const Dim width = call.dim("width");
  if (width.size > type.width().size / heads - offset) {
    Diagnostic &diagnostic =
        call.error("offset + width must be at most the width of " + type.str() + (heads > 1 ? ", of each head," : ",") +
                   " but got " + llvm::Twine(offset) + " and " + llvm::Twine(width.size));
    noteOrigin(diagnostic, type.width().provenance);
    noteOrigin(diagnostic, width.provenance);
    return {Value()};
  }
  const Dim all = heads == 1 ? width : Dim{width.size * heads, call.emitter.reporter.origin("width", call.range())};
  return {slice(call.emitter, call.value("x"), offset, all, call.range(), heads)};
}

Values keepTop(BuiltinCall &call) {
  constexpr int64_t most = 16; // columns, each chosen by two reductions
  if (!call.expectRowsOrWeights("x") || !call.expectParts("heads", 1))
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
  if (!call.expectRowsOrWeights("x") || !call.expectInRange("width", 1))
    return {Value()};
  Type type = call.type("x");
  const Dim width = call.dim("width");
  if (!expectMultiple(call, width))
    return {Value()};
  type.dims.back() = width;
  return {call.operation({call.value("x")}, type)};
}

Values full(BuiltinCall &call) {
  if (!call.expectInRange("width", 1))
    return {Value()};
  const double value = call.real("value", 0);
  if (!call.emitter.expectHeld(value, call.rangeOf("value")))
    return {Value()};
  return {call.operation({}, call.emitter.rowsType(call.dim("width")), {{"value", value}})};
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
      {.name = "concat",
       .parameters = {{"x", K::Tensor, required}, {"heads", K::Int}},
       .meaning = concatOf,
       .isVariadic = true},
      {.name = "tile", .parameters = {{"x", K::Tensor, required}, {"width", K::Int, required}}, .meaning = tile},
      {.name = "split",
       .parameters = {{"x", K::Tensor, required}, {"parts", K::Int}, {"heads", K::Int}},
       .meaning = splitOf},
      {.name = "slice",
       .parameters =
           {{"x", K::Tensor, required}, {"offset", K::Int, required}, {"width", K::Int, required}, {"heads", K::Int}},
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
      {.name = "full",
       .parameters = {{"width", K::Int, required}, {"value", K::Float, required}},
       .meaning = full,
       .hasOperation = true},
      {.name = "numbers", .parameters = {{"n", K::Int, required}}, .meaning = numbers, .hasOperation = true},
  };
  return table;
}
