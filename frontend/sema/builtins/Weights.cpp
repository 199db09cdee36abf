// Built-in functions that make weights or multiply by them: embed, linear, parameter.
#include "frontend/sema/TensorMath.h"
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// A size that an argument gives, or the name of that argument.
std::string sizeOf(BuiltinCall &call, llvm::StringRef argument) {
  return call.has(argument) ? std::to_string(call.integer(argument, 0)) : argument.str();
}

/// Whether a size is that of an argument, if it is given.
bool agrees(BuiltinCall &call, llvm::StringRef argument, Dim dim) {
  return !call.has(argument) || call.integer(argument, 0) == dim.size;
}

// ---------------------------------------------------------------- embed

/// The table [vocabulary, width] that is given, or made; of positions with a row for each of a sequence unless a number
/// is given.
Value embedTable(BuiltinCall &call, const Type &indices) {
  if (call.has("weight")) {
    const Type &type = call.type("weight");
    if (type.isWeight() && type.dims.size() == 2 && agrees(call, "vocabulary", type.dims[0]) &&
        agrees(call, "width", type.dims[1]))
      return call.value("weight");
    call.errorAt("weight", "'weight' of 'embed' must be a weight [" + sizeOf(call, "vocabulary") + ", " +
                               sizeOf(call, "width") + "], but got " + type.str());
    return {};
  }
  bool needsVocabulary = indices.kind == Type::Kind::Tokens;
  if (!call.has("width") || (needsVocabulary && !call.has("vocabulary"))) {
    call.error(needsVocabulary ? "'embed' needs a vocabulary and a width, or a weight"
                               : "'embed' of positions needs a width, or a weight");
    return {};
  }
  if (!call.expectInRange("vocabulary", 1) || !call.expectInRange("width", 1))
    return {};
  Dim rows = call.has("vocabulary") ? call.dim("vocabulary") : indices.dims[1];
  return call.weight(call.weightScope() + ".weight", {rows, call.dim("width")}, call.initializer("init", normal02));
}

/// Reports a table that lacks rows.
bool expectRowForEach(BuiltinCall &call, const Type &indices, const Type &table) {
  bool isOfTokens = indices.kind == Type::Kind::Tokens;
  int64_t wanted = isOfTokens ? call.options.vocabulary : call.options.length;
  if (table.dims[0].size >= wanted)
    return true;
  Diagnostic &diagnostic =
      call.error("the table must have a row for each of the " + llvm::Twine(wanted) +
                 (isOfTokens ? " tokens of the task" : " positions of a sequence") + ", but got " + table.str());
  noteOrigin(diagnostic, table.dims[0].provenance);
  return false;
}

Values embed(BuiltinCall &call) {
  const Type indices = call.type("tokens");
  if (!call.expectOwnInit())
    return {Value()};
  if (!indices.isIndices()) {
    call.errorAt("tokens",
                 "'tokens' of 'embed' must be the tokens of the model, or positions(), but got " + indices.str());
    return {Value()};
  }
  Value table = embedTable(call, indices);
  if (table.isError() || !expectRowForEach(call, indices, typeOf(table)))
    return {Value()};
  return {call.operation({call.value("tokens"), table}, call.emitter.rowsType(typeOf(table).dims[1]))};
}

// ---------------------------------------------------------------- linear

/// The weight [width, input] that is given, or made.
Value linearWeight(BuiltinCall &call, Dim input, const std::string &scope) {
  if (call.has("weight")) {
    const Type &type = call.type("weight");
    if (type.isWeight() && type.dims.size() == 2 && type.dims[1].size == input.size &&
        agrees(call, "width", type.dims[0]))
      return call.value("weight");
    Diagnostic &diagnostic = call.errorAt("weight", "'weight' of 'linear' must be a weight [" + sizeOf(call, "width") +
                                                        ", " + llvm::Twine(input.size) + "], but got " + type.str());
    noteOrigin(diagnostic, input.provenance);
    return {};
  }
  if (!call.has("width")) {
    call.error("'linear' needs a width, or a weight");
    return {};
  }
  if (!call.expectInRange("width", 1))
    return {};
  return call.weight(scope + ".weight", {call.dim("width"), input}, call.initializer("init", normal02));
}

Values linear(BuiltinCall &call) {
  bool hasBias = call.flag("bias", false);
  if (!call.expectRows("x") || !call.expectOwnInit() || !call.expectOwnBias())
    return {Value()};
  std::string scope = call.has("weight") && !hasBias ? "" : call.weightScope();
  Value weight = linearWeight(call, call.type("x").width(), scope);
  if (weight.isError())
    return {Value()};
  Dim output = typeOf(weight).dims[0];
  Value y = call.operation({call.value("x"), weight}, call.emitter.rowsType(output));
  if (!hasBias || y.isError())
    return {y};
  Value bias = call.weight(scope + ".bias", {output}, call.initializer("bias_init", zeros));
  return {bias.isError() ? Value() : applyBinary(call.emitter, "add", y, bias, call.range())};
}

// ---------------------------------------------------------------- parameter

/// A factor of the learning rate or the weight decay, or nothing after an error.
std::optional<double> trainingFactor(BuiltinCall &call, llvm::StringRef name, bool frozen) {
  double factor = call.real(name, 1);
  if (factor >= 0 && !(frozen && call.has(name)))
    return factor;
  call.errorAt(name, factor >= 0 ? "a frozen weight takes no " + name
                                 : name + " must be at least 0, but got " + toString(call.value(name)));
  return std::nullopt;
}

std::optional<Training> trainingOf(BuiltinCall &call) {
  bool frozen = call.flag("frozen", false);
  std::optional<double> rate = trainingFactor(call, "lr_factor", frozen);
  std::optional<double> decay = trainingFactor(call, "weight_decay_factor", frozen);
  return rate && decay ? std::optional(Training{frozen, {*rate, *decay}}) : std::nullopt;
}

Values parameter(BuiltinCall &call) {
  llvm::SmallVector<Dim> dims;
  for (const Value &size : call.operands())
    dims.push_back({*size.get<int64_t>(), size.provenance});
  constexpr size_t maxRank = 3;
  if (dims.size() > maxRank) {
    call.error("a weight has at most " + llvm::Twine(maxRank) + " dimensions, but got " + llvm::Twine(dims.size()));
    return {Value()};
  }
  std::optional<Training> training = trainingOf(call);
  if (!training)
    return {Value()};
  return {call.weight(call.weightScope(), dims, call.initializer("init", normal02), *training)};
}

} // namespace

llvm::ArrayRef<Builtin> frontend::weightBuiltins() {
  using K = ArgumentKind;
  static const Builtin table[] = {
      {.name = "embed",
       .parameters = {{"tokens", K::Tensor, required},
                      {"vocabulary", K::Int},
                      {"width", K::Int},
                      {"weight", K::Tensor},
                      {"init", K::Initializer}},
       .meaning = embed,
       .hasOperation = true},
      {.name = "linear",
       .parameters = {{"x", K::Tensor, required},
                      {"width", K::Int},
                      {"bias", K::Bool},
                      {"weight", K::Tensor},
                      {"init", K::Initializer},
                      {"bias_init", K::Initializer}},
       .meaning = linear,
       .hasOperation = true},
      {.name = "parameter",
       .parameters = {{"shape", K::Int, required},
                      {"init", K::Initializer},
                      {"frozen", K::Bool},
                      {"lr_factor", K::Float},
                      {"weight_decay_factor", K::Float}},
       .meaning = parameter,
       .isVariadic = true},
  };
  return table;
}
