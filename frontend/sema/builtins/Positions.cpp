// Built-in functions that know positions: positions, shift, rotary.
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

#include <cmath>

using namespace stretto;
using namespace stretto::frontend;

namespace {

Values positions(BuiltinCall &call) {
  Type type = call.emitter.tokensType();
  type.kind = Type::Kind::Positions;
  return {call.operation({}, type)};
}

Values shift(BuiltinCall &call) {
  if (!call.expectRows("x") || !call.expectInRange("steps", 0, call.options.length))
    return {Value()};
  return {call.operation({call.value("x")}, call.type("x"), {{"steps", call.integer("steps", 0)}})};
}

// ---------------------------------------------------------------- rotary

/// The number that a fraction of `whole` makes, if it is a whole number and a multiple of `step`.
std::optional<int64_t> wholePart(double fraction, int64_t whole, int64_t step) {
  double part = fraction * double(whole);
  int64_t rounded = std::llround(part);
  bool fits = std::abs(part - double(rounded)) < 1e-6 && rounded % step == 0 && fraction >= 0 && fraction <= 1;
  return fits ? std::optional(rounded) : std::nullopt;
}

/// By what the heads are given: their number or their width.
llvm::StringRef givenHeads(const BuiltinCall &call) { return call.has("heads") ? "heads" : "head_dim"; }

/// The heads of an operand.
int64_t headsOf(const BuiltinCall &call, const Type &type) {
  const int64_t given = call.integer(givenHeads(call), 1);
  return call.has("heads") ? given : type.width().size / given;
}

/// How many columns of a head are turned, in pairs. Nothing after an error.
std::optional<int64_t> rotatedColumns(BuiltinCall &call, const Type &type, int64_t heads) {
  const int64_t headDim = type.width().size / heads;
  const double fraction = call.real("fraction", 1);
  std::optional<int64_t> rotated = wholePart(fraction, headDim, 2);
  if (rotated)
    return rotated;
  const llvm::StringRef given = givenHeads(call);
  Diagnostic &diagnostic =
      call.has("fraction")
          ? call.errorAt("fraction", "fraction must give an even number of the " + llvm::Twine(headDim) +
                                         " columns of a head, but got " + toString(Value(fraction)))
          : call.errorAt(given, "each head must have an even number of columns, but got " + type.str() + " with " +
                                    llvm::Twine(heads) + " heads of " + llvm::Twine(headDim));
  noteOrigin(diagnostic, type.width().provenance);
  noteOrigin(diagnostic, call.value(given).provenance);
  return std::nullopt;
}

Value rotaryOf(BuiltinCall &call, const Value &x) {
  const Type type = typeOf(x);
  const int64_t heads = headsOf(call, type);
  std::optional<int64_t> rotated = rotatedColumns(call, type, heads);
  if (!rotated)
    return {};
  double headFraction = call.real("head_fraction", 1);
  std::optional<int64_t> rotatedHeads = wholePart(headFraction, heads, 1);
  if (!rotatedHeads) {
    call.errorAt("head_fraction", "head_fraction must give a whole number of the " + llvm::Twine(heads) +
                                      " heads, but got " + toString(Value(headFraction)));
    return {};
  }
  if (*rotated == 0 || *rotatedHeads == 0)
    return x;
  return call.operation({x}, type,
                        {{"heads", heads},
                         {"rotated", *rotated},
                         {"rotated_heads", *rotatedHeads},
                         {"theta", call.real("theta", 10000)},
                         {"style", call.symbol("style")}});
}

/// Reports arguments of different widths whose heads are given by their number: the heads would differ in width.
bool expectEqualWidths(BuiltinCall &call) {
  const Type &first = typeOf(call.operands()[0]);
  for (const Value &x : call.operands()) {
    const Type &type = typeOf(x);
    if (!call.has("heads") || type.width().size == first.width().size)
      continue;
    Diagnostic &diagnostic =
        call.errorAt("heads", "with heads, all arguments of 'rotary' must have one width, but got " + first.str() +
                                  " and " + type.str() + "; give head_dim instead, the width of a head");
    noteOrigins(diagnostic, first, type);
    return false;
  }
  return true;
}

Values rotary(BuiltinCall &call) {
  Values results(call.operands().size());
  if (call.has("heads") == call.has("head_dim")) {
    call.error("'rotary' needs either heads or head_dim");
    return results;
  }
  if (!call.expectRows("x") || !call.expectInRange(givenHeads(call), 1) || !expectEqualWidths(call) ||
      !call.expectParts(givenHeads(call), 1))
    return results;
  if (call.real("theta", 10000) <= 0) {
    call.errorAt("theta", "theta must be positive, but got " + toString(call.value("theta")));
    return results;
  }
  llvm::transform(call.operands(), results.begin(), [&](const Value &x) { return rotaryOf(call, x); });
  return results;
}

} // namespace

llvm::ArrayRef<Builtin> frontend::positionBuiltins() {
  using K = ArgumentKind;
  static const Builtin table[] = {
      {.name = "positions", .parameters = {}, .meaning = positions, .hasOperation = true},
      {.name = "shift",
       .parameters = {{"x", K::Tensor, required}, {"steps", K::Int, required}},
       .meaning = shift,
       .hasOperation = true},
      {.name = "rotary",
       .parameters = {{"x", K::Tensor, required},
                      {"head_dim", K::Int},
                      {"heads", K::Int},
                      {"fraction", K::Float},
                      {"head_fraction", K::Float},
                      {"theta", K::Float},
                      {"style", K::Enum, false, "half_split interleaved"}},
       .meaning = rotary,
       .hasOperation = true,
       .isVariadic = true},
  };
  return table;
}
