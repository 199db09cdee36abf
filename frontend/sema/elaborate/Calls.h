// Evaluates calls: of built-in functions, defs and blocks.
#pragma once

#include "frontend/sema/ParameterType.h"
#include "frontend/sema/elaborate/Expressions.h"

namespace stretto::frontend {

class Blocks;
class BuiltinCalls;

class Calls {
public:
  Calls(Reporter &reporter, Names &names, Emitter &emitter, Expressions &expressions, BuiltinCalls &builtins,
        Blocks &blocks)
      : reporter(reporter), names(names), emitter(emitter), expressions(expressions), builtins(builtins),
        blocks(blocks) {}

  std::vector<Value> evaluate(const CallExpr &call, NameHint hint);

private:
  using Arguments = std::vector<const Argument *>; // parallel to the parameters; null: not given

  void reportUnknown(const Identifier &callee);
  bool bindArguments(const CallExpr &call, const Declaration &callee, Scope &inner);
  std::optional<Arguments> matchArguments(const CallExpr &call, const Declaration &callee);
  ParameterType typeOfDefault(const Parameter &parameter, Scope &inner);
  Value argumentValue(const Parameter &parameter, const Argument *given, Scope &inner);
  Value callDef(const CallExpr &call, const Declaration &callee, Scope *home);
  std::vector<Value> callBlock(const CallExpr &call, const Declaration &callee, Scope *home);

  Reporter &reporter;
  Names &names;
  Emitter &emitter;
  Expressions &expressions;
  BuiltinCalls &builtins;
  Blocks &blocks;
};

} // namespace stretto::frontend
