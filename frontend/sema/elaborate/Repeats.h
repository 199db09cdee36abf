// Runs `repeat`: each iteration becomes a function; equal iterations become one loop.
#pragma once

#include "frontend/sema/FunctionPool.h"
#include "frontend/sema/elaborate/Expressions.h"
#include "frontend/sema/elaborate/LayerEmitter.h"

namespace stretto::frontend {

class Statements;

class Repeats {
public:
  Repeats(Reporter &reporter, Budget &budget, Names &names, Emitter &emitter, FunctionPool &functions,
          Expressions &expressions, Statements &statements)
      : reporter(reporter), budget(budget), names(names), emitter(emitter), functions(functions),
        layerNumbers(functions), expressions(expressions), statements(statements) {}

  void run(const RepeatStmt &stmt);

private:
  using Iterations = std::vector<std::shared_ptr<Iteration>>; // those that cannot differ are one object

  bool checkNoIndex(const Expr &count);
  std::optional<int64_t> countOf(const RepeatStmt &stmt);
  std::optional<Iterations> runIterations(const RepeatStmt &stmt, int64_t count);
  /// Null after an error.
  std::shared_ptr<Iteration> runIteration(const RepeatStmt &stmt, int64_t number, bool &changesNumbers);
  bool collectAssigned(const RepeatStmt &stmt, Scope &inner, Iteration &iteration, bool &changesNumbers);
  bool checkKeepsShape(const std::string &name, const Value &before, const Value &after);
  std::vector<unsigned> kindsOf(const Iterations &iterations);
  void emit(const RepeatStmt &stmt, const Iterations &iterations);
  bool emitWrittenOut(const LayerRun &run, const Iterations &iterations, SourceRange range, LayerEmitter &layers);
  bool emitLoop(const LayerRun &run, llvm::StringRef name, SourceRange range, LayerEmitter &layers);

  Reporter &reporter;
  Budget &budget;
  Names &names;
  Emitter &emitter;
  FunctionPool &functions;
  LayerNumbers layerNumbers;
  Expressions &expressions;
  Statements &statements;
};

} // namespace stretto::frontend
