// Evaluates calls: of built-in functions, defs and blocks.
#include "frontend/sema/elaborate/Calls.h"

#include "frontend/sema/builtins/Habits.h"
#include "frontend/sema/elaborate/Blocks.h"
#include "frontend/sema/elaborate/BuiltinCalls.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

using namespace stretto;
using namespace stretto::frontend;

std::vector<Value> Calls::evaluate(const CallExpr &call, NameHint hint) {
  if (const Builtin *builtin = findBuiltin(call.callee.text))
    return builtins.evaluate(*builtin, call, hint);
  auto [callee, home] = names.lookupDeclaration(call.callee.text);
  if (!callee) {
    reportUnknown(call.callee);
    return {Value()};
  }
  return callee->kind == Declaration::Kind::Def ? std::vector<Value>{callDef(call, *callee, home)}
                                                : callBlock(call, *callee, home);
}

/// Says what the call may have meant: what it is called elsewhere, or the nearest name, or every one where none is
/// near.
void Calls::reportUnknown(const Identifier &callee) {
  if (names.lookup(callee.text)) {
    reporter.error(callee.range, "'" + callee.text + "' is a variable and cannot be called");
    return;
  }
  if (findInitializer(callee.text)) {
    reporter.error(callee.range, "'" + callee.text + "' is an initializer without arguments; write it without (...)");
    return;
  }
  std::vector<llvm::StringRef> known = names.visibleCallees();
  std::string nearest = adviceByHabit(callee.text);
  if (nearest.empty())
    nearest = didYouMean(callee.text, known);
  reporter.error(callee.range, "unknown operation, block or def '" + callee.text.take_front(60) + "'" +
                                   (nearest.empty() ? "; there are " + llvm::join(known, ", ") : nearest));
}

// ---------------------------------------------------------------- arguments

/// Sorts the arguments of a call by parameter. Nothing if they do not fit.
std::optional<Calls::Arguments> Calls::matchArguments(const CallExpr &call, const Declaration &callee) {
  Arguments given(callee.parameters.size());
  std::vector<llvm::StringRef> parameters;
  for (const Parameter &parameter : callee.parameters)
    parameters.push_back(parameter.name.text);
  auto fail = [&](SourceRange range, const llvm::Twine &message) {
    Diagnostic &diagnostic = reporter.error(range, message);
    diagnostic.notes.push_back({callee.range, ("'" + callee.name.text + "' is declared here").str()});
    return std::nullopt;
  };
  size_t position = 0;
  for (const Argument &argument : call.arguments) {
    llvm::StringRef name = argument.name.text;
    size_t index = name.empty() ? position++ : llvm::find(parameters, name) - parameters.begin();
    if (index >= parameters.size() && !name.empty())
      return fail(argument.name.range,
                  "'" + callee.name.text + "' has no parameter '" + name + "'" + didYouMean(name, parameters));
    if (index >= parameters.size())
      return fail(argument.value->range, "'" + callee.name.text + "' takes " + llvm::Twine(parameters.size()) +
                                             (parameters.size() == 1 ? " argument" : " arguments") + ", but got more");
    if (given[index])
      return fail(argument.value->range, "the argument '" + parameters[index] + "' is given twice");
    given[index] = &argument;
  }
  for (auto [parameter, argument] : llvm::zip_equal(callee.parameters, given))
    if (!argument && !parameter.defaultValue)
      return fail(call.range, "'" + callee.name.text + "' needs the argument '" + parameter.name.text + "'");
  return given;
}

/// The type of a parameter that is written without one. Only fractions ask, which are not taken as they are: a default
/// may make weights, which must not be there where it is not used.
ParameterType Calls::typeOfDefault(const Parameter &parameter, Scope &inner) {
  auto within = names.enter(inner);
  return impliedType(expressions.evaluate(*parameter.defaultValue));
}

/// The value of one parameter: the argument, evaluated in the caller, or the default, evaluated in the callee.
Value Calls::argumentValue(const Parameter &parameter, const Argument *given, Scope &inner) {
  ParameterType type = typeOf(parameter.type);
  const Expr &expr = given ? *given->value : *parameter.defaultValue;
  Value value;
  {
    auto within = names.enter(given ? names.scope() : inner);
    value = given && type.universe ? expressions.evaluateSymbol(expr) : expressions.evaluate(expr);
  }
  const Provenance *provenance = value.provenance;
  if (type.kind == TypeSyntax::Kind::Any && given && parameter.defaultValue && value.get<Rational>())
    type = typeOfDefault(parameter, inner);
  value = convert(reporter, std::move(value), type, parameter.name.text, expr.range);
  value.provenance = provenance;
  if (value.isNumber() && !provenance)
    value.provenance = reporter.origin(parameter.name.text, expr.range);
  return value;
}

/// Binds every parameter of the callee in its scope, in their order. False if an argument is wrong.
bool Calls::bindArguments(const CallExpr &call, const Declaration &callee, Scope &inner) {
  std::optional<Arguments> given = matchArguments(call, callee);
  if (!given)
    return false;
  bool valid = true;
  for (auto [parameter, argument] : llvm::zip_equal(callee.parameters, *given)) {
    const size_t weights = emitter.function().function.weights.size();
    Value value = argumentValue(parameter, argument, inner);
    if (callee.isShared && !argument && emitter.function().function.weights.size() != weights) {
      reporter.error(parameter.defaultValue->range,
                     "the default of a parameter of a shared block makes no weights: each "
                     "call would have its own; make them in the block");
      value = {};
    }
    valid &= !value.isError();
    inner.bind(parameter.name.text, std::move(value));
  }
  return valid;
}

// ---------------------------------------------------------------- defs and blocks

Value Calls::callDef(const CallExpr &call, const Declaration &callee, Scope *home) {
  Scope inner(Scope::Kind::Def, home);
  if (!bindArguments(call, callee, inner) || !reporter.enterCall(callee, call.range))
    return {};
  emitter.enterDef(call.range);
  llvm::scope_exit leave([&] {
    emitter.leaveDef();
    reporter.leaveCall();
  });
  auto within = names.enter(inner);
  size_t weights = emitter.function().function.weights.size();
  Value value = expressions.evaluate(*callee.value);
  if (emitter.function().function.weights.size() == weights)
    return value;
  reporter.error(callee.range, "a def makes no weights; declare '" + callee.name.text + "' as a block");
  return {};
}

std::vector<Value> Calls::callBlock(const CallExpr &call, const Declaration &callee, Scope *home) {
  Scope inner(Scope::Kind::Frame, home, &callee.body);
  if (!bindArguments(call, callee, inner))
    return {Value()};
  return blocks.call(callee, call.range, inner);
}
