// Evaluates calls of built-in functions.
#include "frontend/sema/elaborate/BuiltinCalls.h"

#include "frontend/sema/ParameterType.h"
#include "frontend/sema/builtins/Habits.h"

#include "llvm/ADT/StringExtras.h"

using namespace stretto;
using namespace stretto::frontend;

std::vector<Value> BuiltinCalls::evaluate(const Builtin &builtin, const CallExpr &call, NameHint hint) {
  std::optional<Arguments> arguments;
  {
    llvm::SaveAndRestore marked(emitter.surroundings.recompute, emitter.surroundings.recompute || builtin.isAnnotation);
    // `q = recompute(linear(...))` names the weight like `q = linear(...)`.
    arguments = bind(builtin, call, builtin.isAnnotation ? hint : NameHint());
  }
  if (!arguments)
    return {Value()};
  BuiltinCall bound(builtin, call, std::move(*arguments), hint, options, emitter);
  return builtin.meaning(bound);
}

// ---------------------------------------------------------------- which parameter

/// Evaluates and checks every argument. Nothing after an error.
std::optional<BuiltinCalls::Arguments> BuiltinCalls::bind(const Builtin &builtin, const CallExpr &call, NameHint hint) {
  Arguments given(builtin.parameters.size());
  size_t position = 0;
  bool valid = true;
  for (const Argument &argument : call.arguments) {
    std::optional<size_t> index = parameterOf(builtin, argument, position, given);
    if (!index)
      return std::nullopt;
    position += argument.name.text.empty();
    for (Value &value : valuesOf(builtin, builtin.parameters[*index], *argument.value, hint)) {
      valid &= !value.isError();
      given[*index].values.push_back(std::move(value));
      given[*index].ranges.push_back(argument.value->range);
    }
  }
  if (!valid)
    return std::nullopt;
  for (auto [parameter, argument] : llvm::zip_equal(builtin.parameters, given))
    if (parameter.isRequired && argument.values.empty()) {
      reporter.error(call.range, "'" + builtin.name + "' needs the argument '" + parameter.name + "'");
      return std::nullopt;
    }
  return given;
}

/// Which parameter was meant, what to write in its place, or all that there are.
static std::string adviseParameter(llvm::StringRef operation, llvm::StringRef name,
                                   llvm::ArrayRef<llvm::StringRef> parameters) {
  if (llvm::StringRef instead = insteadOfParameter(operation, name); !instead.empty())
    return ("; " + instead).str();
  llvm::StringRef ours = parameterByHabit(name);
  if (llvm::is_contained(parameters, ours))
    return ("; did you mean '" + ours + "'?").str();
  std::string nearest = didYouMean(name, parameters);
  return nearest.empty() ? "; it takes " + llvm::join(parameters, ", ") : nearest;
}

/// `position`: how many positional arguments stand before this one. Nothing, after an error, if it fits no parameter.
std::optional<size_t> BuiltinCalls::parameterOf(const Builtin &builtin, const Argument &argument, size_t position,
                                                const Arguments &given) {
  std::vector<llvm::StringRef> parameters;
  for (const BuiltinParameter &parameter : builtin.parameters)
    parameters.push_back(parameter.name);
  llvm::StringRef name = argument.name.text;
  size_t index = builtin.isVariadic ? 0 : position;
  if (!name.empty())
    index = llvm::find(parameters, name) - parameters.begin();
  bool isKnown = index < parameters.size();
  if (!isKnown && !name.empty())
    reporter.error(argument.name.range, "'" + builtin.name + "' has no parameter '" + name + "'" +
                                            adviseParameter(builtin.name, name, parameters));
  else if (!isKnown)
    reporter.error(argument.value->range, "'" + builtin.name + "' takes at most " + llvm::Twine(parameters.size()) +
                                              (parameters.size() == 1 ? " argument" : " arguments") + ", but got more");
  if (!isKnown)
    return std::nullopt;
  bool takesMore = builtin.isVariadic && index == 0;
  if (given[index].values.empty() || takesMore)
    return index;
  reporter.error(argument.value->range, "the argument '" + parameters[index] + "' is given twice");
  return std::nullopt;
}

// ---------------------------------------------------------------- which value

/// One value; what is annotated may be all results of a block.
std::vector<Value> BuiltinCalls::valuesOf(const Builtin &builtin, const BuiltinParameter &parameter, const Expr &expr,
                                          NameHint hint) {
  bool isSymbol = parameter.kind == ArgumentKind::Enum;
  std::vector<Value> values;
  if (builtin.isAnnotation)
    values = expressions.evaluateMany(expr, hint);
  else
    values.push_back(isSymbol ? expressions.evaluateSymbol(expr) : expressions.evaluate(expr, hint));
  for (Value &value : values) {
    if (value.isError())
      continue;
    Value converted = convert(builtin, parameter, value, expr.range);
    converted.provenance = value.provenance;
    value = std::move(converted);
  }
  return values;
}

Value BuiltinCalls::convertSymbol(const Builtin &builtin, const BuiltinParameter &parameter, const Value &value,
                                  SourceRange range) {
  auto *symbol = value.get<Symbol>();
  llvm::SmallVector<llvm::StringRef> members;
  parameter.members.split(members, ' ');
  if (symbol && llvm::is_contained(members, symbol->name))
    return value;
  std::string got = symbol ? symbol->name : toString(value);
  reporter.error(range, "'" + parameter.name + "' of '" + builtin.name + "' is one of " + llvm::join(members, ", ") +
                            ", but got '" + got + "'" + didYouMean(got, members));
  return {};
}

Value BuiltinCalls::convert(const Builtin &builtin, const BuiltinParameter &parameter, const Value &value,
                            SourceRange range) {
  std::string what = ("'" + parameter.name + "' of '" + builtin.name + "'").str();
  auto checked = [&](bool fits, llvm::StringRef wanted) {
    if (fits)
      return value;
    reporter.error(range, what + " must be " + wanted + ", but got " + describe(value));
    return Value();
  };
  switch (parameter.kind) {
  case ArgumentKind::Any:
    return checked(value.isNumber() || value.isTensor(), "a number or a tensor");
  case ArgumentKind::Tensor:
    return checked(value.isTensor(),
                   value.get<Initializer>() ? "a tensor such as parameter(..., init = ...)" : "a tensor");
  case ArgumentKind::Int: {
    std::optional<int64_t> integer = expectInt(reporter, value, what, range);
    return integer ? Value(*integer) : Value();
  }
  case ArgumentKind::Float:
    if (!value.isNumber())
      return checked(false, "a number");
    return emitter.expectHeld(toFloat(value), range) ? Value(toFloat(value)) : Value();
  case ArgumentKind::Bool:
    return checked(value.get<bool>(), "true or false");
  case ArgumentKind::Enum:
    return convertSymbol(builtin, parameter, value, range);
  case ArgumentKind::Initializer:
    return checked(value.get<Initializer>(), "an initializer such as normal(0.02) or zeros");
  }
  llvm_unreachable("a kind of argument that is not listed");
}
