// Built-in functions of numbers: floor, ceil, floor_to, ceil_to.
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

#include <cmath>

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// Rounds a quotient of ints; exact.
__int128 roundedQuotient(__int128 numerator, __int128 denominator, bool isUp) {
  __int128 result = numerator / denominator;
  if (numerator % denominator != 0 && isUp == (numerator > 0))
    result += isUp ? 1 : -1;
  return result;
}

/// x / multiple as a whole number, or one that fits no int.
__int128 roundedMultiples(const Value &x, int64_t multiple, bool isUp) {
  constexpr double limit = 1e19;
  if (x.get<double>()) {
    double quotient = toFloat(x) / double(multiple);
    double rounded = isUp ? std::ceil(quotient) : std::floor(quotient);
    return static_cast<__int128>(std::abs(rounded) < limit ? rounded : limit);
  }
  const Rational *rational = x.get<Rational>();
  return roundedQuotient(rational ? rational->numerator : *x.get<int64_t>(),
                         static_cast<__int128>(rational ? rational->denominator : 1) * multiple, isUp);
}

Values rounded(BuiltinCall &call, int64_t multiple, bool isUp) {
  const Value &x = call.value("x");
  if (multiple < 1 || x.isTensor()) {
    llvm::StringRef wanted = multiple < 1 ? "and a positive multiple, but got " : "but got ";
    const Value &got = multiple < 1 ? call.value("multiple") : x;
    call.error("'" + call.name() + "' takes a number, " + wanted + describe(got));
    return {Value()};
  }
  __int128 result = roundedMultiples(x, multiple, isUp) * multiple;
  if (result > INT64_MAX || result < INT64_MIN) {
    call.error("the result does not fit an int");
    return {Value()};
  }
  return {Value(int64_t(result))};
}

template <bool isUp>
Values toInt(BuiltinCall &call) {
  return rounded(call, 1, isUp);
}

template <bool isUp>
Values toMultiple(BuiltinCall &call) {
  return rounded(call, call.integer("multiple", 1), isUp);
}

} // namespace

llvm::ArrayRef<Builtin> frontend::roundingBuiltins() {
  using K = ArgumentKind;
  static const std::vector<BuiltinParameter> one = {{"x", K::Any, required}};
  static const std::vector<BuiltinParameter> two = {{"x", K::Any, required}, {"multiple", K::Int, required}};
  static const Builtin table[] = {
      {.name = "floor_to", .parameters = two, .meaning = toMultiple</*isUp=*/false>},
      {.name = "ceil_to", .parameters = two, .meaning = toMultiple</*isUp=*/true>},
      {.name = "floor", .parameters = one, .meaning = toInt</*isUp=*/false>},
      {.name = "ceil", .parameters = one, .meaning = toInt</*isUp=*/true>},
  };
  return table;
}
