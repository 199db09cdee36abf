// The model that is compiled: which one, and what it returns.
#pragma once

#include "frontend/sema/elaborate/ModelParameters.h"
#include "frontend/sema/elaborate/Statements.h"

namespace stretto::frontend {

class Model {
public:
  Model(const LoadedProgram &loaded, const ElaborationOptions &options, Reporter &reporter, Names &names,
        Emitter &emitter, ModelParameters &parameters, Statements &statements)
      : loaded(loaded), options(options), reporter(reporter), names(names), emitter(emitter), parameters(parameters),
        statements(statements) {}

  /// Completes the program: parameters, main, and what main is about. False after an error.
  bool elaborate(Program &program);

private:
  const Declaration *find();
  bool checkShape();
  bool runBody(const Declaration &model, Function &main);
  bool checkResults(const Declaration &model, const Function &main);
  bool checkAdded(const ValueInfo &added);

  const LoadedProgram &loaded;
  const ElaborationOptions &options;
  Reporter &reporter;
  Names &names;
  Emitter &emitter;
  ModelParameters &parameters;
  Statements &statements;
};

} // namespace stretto::frontend
