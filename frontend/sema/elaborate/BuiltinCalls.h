// Evaluates calls of built-in functions.
#pragma once

#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/elaborate/Expressions.h"

namespace stretto::frontend {

class BuiltinCalls {
public:
  BuiltinCalls(const ElaborationOptions &options, Reporter &reporter, Emitter &emitter, Expressions &expressions)
      : options(options), reporter(reporter), emitter(emitter), expressions(expressions) {}

  /// Binds the arguments and gives what the function means by them.
  std::vector<Value> evaluate(const Builtin &builtin, const CallExpr &call, NameHint hint);

private:
  using Arguments = std::vector<BuiltinArgument>;

  std::optional<Arguments> bind(const Builtin &builtin, const CallExpr &call, NameHint hint);
  std::optional<size_t> parameterOf(const Builtin &builtin, const Argument &argument, size_t position,
                                    const Arguments &given);
  std::vector<Value> valuesOf(const Builtin &builtin, const BuiltinParameter &parameter, const Expr &expr,
                              NameHint hint);
  Value convert(const Builtin &builtin, const BuiltinParameter &parameter, const Value &value, SourceRange range);
  Value convertSymbol(const Builtin &builtin, const BuiltinParameter &parameter, const Value &value, SourceRange range);

  const ElaborationOptions &options;
  Reporter &reporter;
  Emitter &emitter;
  Expressions &expressions;
};

} // namespace stretto::frontend
