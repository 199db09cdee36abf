// Built-in operations without weights: attention, positions, elementwise functions, numbers.
#include "frontend/Sema/BuiltinArguments.h"

#include "llvm/Support/SaveAndRestore.h"

#include <cmath>

using namespace stretto;

std::vector<Value> Elaborator::builtinShift(BuiltinArguments &arguments, NameHint) {
  if (!arguments.expectRows("x") || !arguments.expectInRange("steps", 0, options.length))
    return {Value()};
  Op &op = emit("tap", {arguments.value("x")}, arguments.range());
  op.attributes = {{"offset", -arguments.integer("steps", 0)}};
  return {addResult(op, typeOf(arguments.value("x")))};
}

/// The number that a fraction of `whole` makes, if it is a whole number and a multiple of `step`.
static std::optional<int64_t> wholePart(double fraction, int64_t whole, int64_t step) {
  double part = fraction * double(whole);
  int64_t rounded = std::llround(part);
  bool fits = std::abs(part - double(rounded)) < 1e-6 && rounded % step == 0 && fraction >= 0 && fraction <= 1;
  return fits ? std::optional(rounded) : std::nullopt;
}

Value Elaborator::rotaryOne(BuiltinArguments &arguments, size_t index) {
  const Value &x = arguments.operands()[index];
  const Type type = typeOf(x);
  int64_t width = type.width().size;
  llvm::StringRef given = arguments.has("heads") ? "heads" : "head_dim";
  int64_t divisor = arguments.integer(given, 0);
  if (width % divisor != 0) {
    Diagnostic &diagnostic = error(arguments.rangeOf(given), given + " must divide the width of " + type.str() +
                                                                 ", but got " + llvm::Twine(divisor));
    noteOrigin(diagnostic, type.width());
    noteOrigin(diagnostic, arguments.value(given).provenance);
    return {};
  }
  int64_t heads = given == "heads" ? divisor : width / divisor, headDim = width / heads;
  double fraction = arguments.real("fraction", 1), headFraction = arguments.real("head_fraction", 1);
  std::optional<int64_t> rotated = wholePart(fraction, headDim, 2), rotatedHeads = wholePart(headFraction, heads, 1);
  if (!rotated) {
    error(arguments.rangeOf("fraction"), "fraction must give an even number of the " + llvm::Twine(headDim) +
                                             " columns of a head, but got " + toString(Value(fraction)));
    return {};
  }
  if (!rotatedHeads) {
    error(arguments.rangeOf("head_fraction"), "head_fraction must give a whole number of the " + llvm::Twine(heads) +
                                                  " heads, but got " + toString(Value(headFraction)));
    return {};
  }
  if (*rotated == 0 || *rotatedHeads == 0)
    return x;
  Op &op = emit("rotary", {x}, arguments.range());
  op.attributes = {{"heads", heads},
                   {"rotated", *rotated},
                   {"rotated_heads", *rotatedHeads},
                   {"theta", arguments.real("theta", 10000)},
                   {"style", arguments.symbol("style")}};
  return addResult(op, type);
}

std::vector<Value> Elaborator::builtinRotary(BuiltinArguments &arguments, NameHint) {
  std::vector<Value> results(arguments.operands().size());
  if (arguments.has("heads") == arguments.has("head_dim")) {
    error(arguments.range(), "'rotary' needs either heads or head_dim");
    return results;
  }
  if (!arguments.expectRows("x") || !arguments.expectInRange("heads", 1, INT64_MAX) ||
      !arguments.expectInRange("head_dim", 1, INT64_MAX))
    return results;
  if (arguments.real("theta", 10000) <= 0) {
    error(arguments.rangeOf("theta"), "theta must be positive, but got " + toString(arguments.value("theta")));
    return results;
  }
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = rotaryOne(arguments, i);
  return results;
}

std::vector<Value> Elaborator::builtinAttention(BuiltinArguments &arguments, NameHint) {
  for (llvm::StringRef name : {"q", "k", "v"})
    if (!arguments.expectRows(name))
      return {Value()};
  for (llvm::StringRef name : {"heads", "kv_heads"})
    if (!arguments.expectInRange(name, 1, INT64_MAX))
      return {Value()};
  const Type q = typeOf(arguments.value("q")), k = typeOf(arguments.value("k")), v = typeOf(arguments.value("v"));
  int64_t heads = arguments.integer("heads", 1), kvHeads = arguments.integer("kv_heads", heads);
  if (!(k == v)) {
    Diagnostic &diagnostic = error(arguments.rangeOf("v"), "k and v must have the same shape, but got " + k.str() +
                                                               " and " + v.str());
    noteOrigins(diagnostic, k, v);
    return {Value()};
  }
  if (heads % kvHeads != 0) {
    Diagnostic &diagnostic = error(arguments.rangeOf("kv_heads"), "kv_heads must divide heads, but got " +
                                                                      llvm::Twine(kvHeads) + " and " + llvm::Twine(heads));
    noteOrigin(diagnostic, arguments.value("kv_heads").provenance);
    noteOrigin(diagnostic, arguments.value("heads").provenance);
    return {Value()};
  }
  int64_t headDim = q.width().size / heads;
  if (headDim * heads != q.width().size || k.width().size != headDim * kvHeads) {
    Diagnostic &diagnostic =
        error(arguments.range(), "q must be heads and k kv_heads times as wide as one head, but got q " + q.str() + " with " +
                                     llvm::Twine(heads) + " heads and k " + k.str() + " with " + llvm::Twine(kvHeads));
    noteOrigin(diagnostic, q.width());
    noteOrigin(diagnostic, k.width());
    noteOrigin(diagnostic, arguments.value("heads").provenance);
    return {Value()};
  }
  Op &op = emit("softmax_attention", {arguments.value("q"), arguments.value("k"), arguments.value("v")}, arguments.range());
  op.attributes = {{"heads", heads}, {"kv_heads", kvHeads}, {"causal", arguments.flag("causal", true)}};
  return {addResult(op, q)};
}

std::vector<Value> Elaborator::builtinWidth(BuiltinArguments &arguments, NameHint) {
  const Dim width = typeOf(arguments.value("x")).width();
  return {Value(width.size, width.provenance)};
}

std::vector<Value> Elaborator::builtinRecompute(BuiltinArguments &arguments, NameHint) {
  // The operations of the operands were emitted with the mark; a variable's operation gets it here.
  for (const Value &value : arguments.operands())
    for (Op &op : builder->function.ops)
      if (llvm::is_contained(op.results, value.get<Tensor>()->id))
        op.recompute = true;
  return arguments.operands().vec();
}

static double staticUnary(llvm::StringRef name, double x) {
  double sigmoid = 1 / (1 + std::exp(-x));
  if (name == "exp") return std::exp(x);
  if (name == "log") return std::log(x);
  if (name == "sqrt") return std::sqrt(x);
  if (name == "rsqrt") return 1 / std::sqrt(x);
  if (name == "tanh") return std::tanh(x);
  if (name == "sigmoid") return sigmoid;
  if (name == "silu") return x * sigmoid;
  if (name == "gelu") return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
  if (name == "relu") return std::max(x, 0.0);
  if (name == "square") return x * x;
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); // softplus
}

std::vector<Value> Elaborator::builtinUnary(BuiltinArguments &arguments, NameHint) {
  const Value &x = arguments.value("x");
  if (x.isTensor())
    return {applyUnary(arguments.name(), x, arguments.range())};
  double result = staticUnary(arguments.name(), toFloat(x));
  if (std::isfinite(result))
    return {Value(result)};
  error(arguments.range(), "'" + arguments.name() + "' of " + toString(x) + " is not a finite float");
  return {Value()};
}

std::vector<Value> Elaborator::builtinMinMax(BuiltinArguments &arguments, NameHint) {
  bool isMax = arguments.name() == "max";
  if (arguments.operands().size() < 2) {
    error(arguments.range(), "'" + arguments.name() + "' needs at least two arguments");
    return {Value()};
  }
  Value result = arguments.operands()[0];
  for (const Value &next : arguments.operands().drop_front()) {
    if (result.isError())
      break;
    if (result.isTensor() || next.isTensor()) {
      result = applyBinary(arguments.name(), result, next, arguments.range());
      continue;
    }
    std::string problem;
    Value isLess = computeNumbers(BinaryOperator::Less, result, next, arguments.range(), problem);
    if (*isLess.get<bool>() == isMax)
      result = next;
  }
  return {result};
}

/// floor, ceil, floor_to, ceil_to: exact on quotients of ints.
std::vector<Value> Elaborator::builtinRound(BuiltinArguments &arguments, NameHint) {
  bool isUp = arguments.name().starts_with("ceil");
  int64_t multiple = arguments.name().ends_with("_to") ? arguments.integer("multiple", 1) : 1;
  const Value &x = arguments.value("x");
  if (multiple < 1 || x.isTensor()) {
    llvm::StringRef wanted = multiple < 1 ? "and a positive multiple, but got " : "but got ";
    const Value &got = multiple < 1 ? arguments.value("multiple") : x;
    error(arguments.range(), "'" + arguments.name() + "' takes a number, " + wanted + describe(got));
    return {Value()};
  }
  constexpr double limit = 9e18;
  __int128 result = 0;
  if (x.get<double>()) {
    double quotient = toFloat(x) / double(multiple);
    double rounded = isUp ? std::ceil(quotient) : std::floor(quotient);
    result = std::abs(rounded) < limit ? static_cast<__int128>(rounded) : static_cast<__int128>(limit);
  } else {
    const Rational *rational = x.get<Rational>();
    __int128 numerator = rational ? rational->numerator : *x.get<int64_t>();
    __int128 denominator = static_cast<__int128>(rational ? rational->denominator : 1) * multiple;
    result = numerator / denominator;
    if (numerator % denominator != 0 && isUp == (numerator > 0))
      result += isUp ? 1 : -1;
  }
  result *= multiple;
  if (result > INT64_MAX || result < INT64_MIN) {
    error(arguments.range(), "the result does not fit an int");
    return {Value()};
  }
  return {Value(int64_t(result))};
}

std::vector<Value> Elaborator::builtinInitializer(BuiltinArguments &arguments, NameHint) {
  llvm::StringRef name = arguments.name();
  if (name == "constant")
    return {Initializer{Initializer::Kind::Constant, arguments.real("value", 0), 0}};
  llvm::StringRef parameter = name == "uniform" ? "bound" : "std";
  double scale = arguments.real(parameter, 0), bound = name == "truncated_normal" ? arguments.real("bound", 3) : 1;
  if (scale < 0 || bound <= 0) {
    error(arguments.range(), "'" + name + "' takes positive numbers, but got " + toString(Value(scale < 0 ? scale : bound)));
    return {Value()};
  }
  if (name == "normal")
    return {Initializer{Initializer::Kind::Normal, 0, scale}};
  if (name == "uniform")
    return {Initializer{Initializer::Kind::Uniform, -scale, scale}};
  return {Initializer{Initializer::Kind::TruncatedNormal, scale, bound}};
}

Elaborator::BuiltinHandler Elaborator::handlerOf(llvm::StringRef name) {
  static const std::pair<llvm::StringRef, BuiltinHandler> handlers[] = {
      {"embed", &Elaborator::builtinEmbed},
      {"linear", &Elaborator::builtinLinear},
      {"rms_norm", &Elaborator::builtinRmsNorm},
      {"layer_norm", &Elaborator::builtinLayerNorm},
      {"canon", &Elaborator::builtinCanon},
      {"shift", &Elaborator::builtinShift},
      {"rotary", &Elaborator::builtinRotary},
      {"softmax_attention", &Elaborator::builtinAttention},
      {"parameter", &Elaborator::builtinParameter},
      {"recompute", &Elaborator::builtinRecompute},
      {"width", &Elaborator::builtinWidth},
      {"min", &Elaborator::builtinMinMax},
      {"max", &Elaborator::builtinMinMax},
      {"floor_to", &Elaborator::builtinRound},
      {"ceil_to", &Elaborator::builtinRound},
      {"floor", &Elaborator::builtinRound},
      {"ceil", &Elaborator::builtinRound},
      {"normal", &Elaborator::builtinInitializer},
      {"truncated_normal", &Elaborator::builtinInitializer},
      {"uniform", &Elaborator::builtinInitializer},
      {"constant", &Elaborator::builtinInitializer},
  };
  for (auto [key, handler] : handlers)
    if (key == name)
      return handler;
  return &Elaborator::builtinUnary;
}

std::vector<Value> Elaborator::evaluateBuiltin(const BuiltinSignature &signature, const CallExpr &call, NameHint hint) {
  // `q = recompute(linear(...))` names the weight like `q = linear(...)`.
  bool isAnnotation = signature.name == "recompute";
  BuiltinArguments arguments(*this, signature, call, isAnnotation ? hint : NameHint());
  {
    llvm::SaveAndRestore saved(recompute, recompute || isAnnotation);
    if (!arguments.bind())
      return {Value()};
  }
  return (this->*handlerOf(signature.name))(arguments, hint);
}
