// Parameters of the model: defaults, overrides and what the task gives.
#pragma once

#include "frontend/sema/ParameterType.h"
#include "frontend/sema/Sema.h"
#include "frontend/sema/elaborate/Expressions.h"

namespace stretto::frontend {

class ModelParameters {
public:
  ModelParameters(const ElaborationOptions &options, SourceFiles &sources, Diagnostics &diagnostics, Reporter &reporter,
                  Names &names, Expressions &expressions)
      : options(options), sources(sources), diagnostics(diagnostics), reporter(reporter), names(names),
        expressions(expressions) {}

  /// Binds them in the current scope, from left to right, and lists what they are.
  void bind(const Declaration &model, std::vector<ResolvedParameter> &resolved);

private:
  /// A parameter with its value and where that is written.
  struct Bound {
    ParameterType type;
    Value value;
    SourceRange origin;
    std::string originText;
  };

  void checkOverrides(const Declaration &model);
  const Override *overrideOf(llvm::StringRef name) const;
  Bound boundValue(const Parameter &parameter);
  Value overrideValue(const Override &override, uint32_t file, const ParameterType &type);

  const ElaborationOptions &options;
  SourceFiles &sources;
  Diagnostics &diagnostics;
  Reporter &reporter;
  Names &names;
  Expressions &expressions;
};

} // namespace stretto::frontend
