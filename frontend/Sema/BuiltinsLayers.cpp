// Built-in operations on sequences: those that make weights.
#include "frontend/Sema/BuiltinArguments.h"

#include <cmath>

using namespace stretto;

namespace {
constexpr Initializer zeros{Initializer::Kind::Constant, 0, 0};
constexpr Initializer ones{Initializer::Kind::Constant, 1, 0};
constexpr Initializer normal02{Initializer::Kind::Normal, 0, 0.02};
} // namespace

std::vector<Value> Elaborator::builtinEmbed(BuiltinArguments &arguments, NameHint hint) {
  const Type &tokens = typeOf(arguments.value("tokens"));
  if (tokens.kind != Type::Kind::Tokens) {
    error(arguments.rangeOf("tokens"), "'tokens' of 'embed' must be the tokens of the model, but got " + tokens.str());
    return {Value()};
  }
  Value weight;
  if (arguments.has("weight")) {
    weight = arguments.value("weight");
    const Type &type = typeOf(weight);
    if (!type.isWeight() || type.dims.size() != 2) {
      error(arguments.rangeOf("weight"), "'weight' of 'embed' must be a weight [vocabulary, width], but got " + type.str());
      return {Value()};
    }
  } else if (!arguments.has("vocabulary") || !arguments.has("width")) {
    error(arguments.range(), "'embed' needs a vocabulary and a width, or a weight");
    return {Value()};
  } else {
    weight = makeWeight(weightScope("embed", hint) + ".weight", {arguments.dim("vocabulary"), arguments.dim("width")},
                        arguments.initializer("init", normal02), false, arguments.range());
  }
  if (weight.isError())
    return {Value()};
  const Type type = typeOf(weight);
  if (type.dims[0].size < options.vocabulary) {
    Diagnostic &diagnostic = error(arguments.range(), "the table must have a row for each of the " +
                                                          llvm::Twine(options.vocabulary) + " tokens of the task, but got " +
                                                          type.str());
    noteOrigin(diagnostic, type.dims[0]);
    return {Value()};
  }
  Op &op = emit("embed", {arguments.value("tokens"), weight}, arguments.range());
  return {addResult(op, rowsType(type.dims[1]))};
}

Value Elaborator::addBias(const Value &x, const Value &bias, SourceRange range) {
  return x.isError() || bias.isError() ? Value() : applyBinary("add", x, bias, range);
}

std::vector<Value> Elaborator::builtinLinear(BuiltinArguments &arguments, NameHint hint) {
  if (!arguments.expectRows("x"))
    return {Value()};
  const Value &x = arguments.value("x");
  const Dim input = typeOf(x).width();
  bool needsNames = !arguments.has("weight") || arguments.flag("bias", false);
  std::string scope = needsNames ? weightScope("linear", hint) : "";
  Value weight;
  if (arguments.has("weight")) {
    weight = arguments.value("weight");
    const Type &type = typeOf(weight);
    bool fits = type.isWeight() && type.dims.size() == 2 && type.dims[1].size == input.size;
    if (!fits || (arguments.has("width") && type.dims[0].size != arguments.integer("width", 0))) {
      Diagnostic &diagnostic = error(arguments.rangeOf("weight"), "'weight' of 'linear' must be a weight [width, " +
                                                                      llvm::Twine(input.size) + "], but got " + type.str());
      noteOrigin(diagnostic, input);
      return {Value()};
    }
  } else if (!arguments.has("width")) {
    error(arguments.range(), "'linear' needs a width, or a weight");
    return {Value()};
  } else {
    weight = makeWeight(scope + ".weight", {arguments.dim("width"), input}, arguments.initializer("init", normal02),
                        false, arguments.range());
  }
  if (weight.isError())
    return {Value()};
  Dim output = typeOf(weight).dims[0];
  Value y = addResult(emit("linear", {x, weight}, arguments.range()), rowsType(output));
  if (!arguments.flag("bias", false) || y.isError())
    return {y};
  Value bias = makeWeight(scope + ".bias", {output}, arguments.initializer("bias_init", zeros), false, arguments.range());
  return {addBias(y, bias, arguments.range())};
}

std::optional<Dim> Elaborator::headWidth(BuiltinArguments &arguments, const Type &type, int64_t heads) {
  const Dim width = type.width();
  if (!arguments.expectInRange("heads", 1, INT64_MAX))
    return std::nullopt;
  if (heads == 1)
    return width;
  if (width.size % heads == 0)
    return Dim{width.size / heads, makeProvenance("head_dim", arguments.range())};
  Diagnostic &diagnostic = error(arguments.rangeOf("heads"), "heads must divide the width of " + type.str() +
                                                                 ", but got " + llvm::Twine(heads));
  noteOrigin(diagnostic, width);
  return std::nullopt;
}

std::vector<Value> Elaborator::builtinRmsNorm(BuiltinArguments &arguments, NameHint hint) {
  if (!arguments.expectRows("x"))
    return {Value()};
  const Type type = typeOf(arguments.value("x"));
  int64_t heads = arguments.integer("heads", 1);
  std::optional<Dim> width = headWidth(arguments, type, heads);
  if (!width)
    return {Value()};
  Value gain = makeWeight(weightScope("rms_norm", hint) + ".weight", {*width}, arguments.initializer("init", ones), false,
                          arguments.range());
  if (gain.isError())
    return {Value()};
  Op &op = emit("rms_norm", {arguments.value("x"), gain}, arguments.range());
  op.attributes = {{"eps", arguments.real("eps", 1e-5)}, {"heads", heads}};
  return {addResult(op, type)};
}

std::vector<Value> Elaborator::builtinLayerNorm(BuiltinArguments &arguments, NameHint hint) {
  if (!arguments.expectRows("x"))
    return {Value()};
  const Type type = typeOf(arguments.value("x"));
  int64_t heads = arguments.integer("heads", 1);
  std::optional<Dim> width = headWidth(arguments, type, heads);
  if (!width)
    return {Value()};
  std::string scope = weightScope("layer_norm", hint);
  Value gain =
      makeWeight(scope + ".weight", {*width}, arguments.initializer("init", ones), false, arguments.range());
  if (gain.isError())
    return {Value()};
  Value bias;
  if (arguments.flag("bias", true)) {
    bias = makeWeight(scope + ".bias", {*width}, arguments.initializer("bias_init", zeros), false, arguments.range());
  } else {
    bias = splat(0.0, typeOf(gain), arguments.range());
  }
  Op &op = emit("layer_norm", {arguments.value("x"), gain, bias}, arguments.range());
  op.attributes = {{"eps", arguments.real("eps", 1e-5)}, {"heads", heads}};
  return {addResult(op, type)};
}

Value Elaborator::concatenate(llvm::ArrayRef<Value> parts, SourceRange range) {
  if (parts.size() == 1)
    return parts[0];
  Dim width;
  for (const Value &part : parts)
    width.size += typeOf(part).width().size;
  return addResult(emit("concat", parts, range), rowsType(width));
}

std::vector<Value> Elaborator::builtinCanon(BuiltinArguments &arguments, NameHint hint) {
  if (!arguments.expectRows("x") || !arguments.expectInRange("kernel", 2, 4))
    return {Value()};
  int64_t kernel = arguments.integer("kernel", 4);
  Value x = concatenate(arguments.operands(), arguments.range());
  if (x.isError())
    return {Value()};
  const Type type = typeOf(x);
  std::string scope = weightScope("canon", hint);
  bool frozen = arguments.flag("frozen", false);
  // Conv1d's default: uniform with bound 1 / sqrt(fan in).
  double bound = 1 / std::sqrt(double(kernel));
  Initializer init = arguments.initializer("init", {Initializer::Kind::Uniform, -bound, bound});
  Dim taps{kernel, makeProvenance("kernel", arguments.rangeOf("kernel"))};
  llvm::SmallVector<Value> operands = {
      x, makeWeight(scope + ".weight", {taps, type.width()}, init, frozen, arguments.range())};
  if (arguments.flag("bias", false))
    operands.push_back(makeWeight(scope + ".bias", {type.width()}, arguments.initializer("bias_init", zeros), frozen,
                                  arguments.range()));
  for (const Value &operand : operands)
    if (operand.isError())
      return {Value()};
  Op &op = emit("canon", operands, arguments.range());
  op.attributes = {{"residual", arguments.flag("residual", true)}, {"activation", arguments.symbol("activation")}};
  Value y = addResult(op, type);
  if (arguments.operands().size() == 1 || y.isError())
    return {y};
  std::vector<Value> results;
  int64_t offset = 0;
  for (const Value &part : arguments.operands()) {
    const Type partType = typeOf(part);
    Op &slice = emit("slice", {y}, arguments.range());
    slice.attributes = {{"offset", offset}};
    results.push_back(addResult(slice, partType));
    offset += partType.width().size;
  }
  return results;
}

std::vector<Value> Elaborator::builtinParameter(BuiltinArguments &arguments, NameHint hint) {
  llvm::SmallVector<Dim> dims;
  for (size_t i = 0; i < arguments.operands().size(); ++i)
    dims.push_back({*arguments.operands()[i].get<int64_t>(), arguments.operands()[i].provenance});
  constexpr size_t maxRank = 3;
  if (dims.size() > maxRank) {
    error(arguments.range(), "a weight has at most " + llvm::Twine(maxRank) + " dimensions, but got " +
                                 llvm::Twine(dims.size()));
    return {Value()};
  }
  return {makeWeight(weightScope("parameter", hint), dims, arguments.initializer("init", normal02),
                     arguments.flag("frozen", false), arguments.range())};
}
