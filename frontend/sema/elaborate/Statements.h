// Runs statements.
#pragma once

#include "frontend/sema/elaborate/Expressions.h"
#include "frontend/sema/elaborate/UnreadValues.h"

#include "llvm/ADT/StringSet.h"

#include <map>

namespace stretto::frontend {

class Repeats;

class Statements {
public:
  Statements(Reporter &reporter, Budget &budget, Names &names, Emitter &emitter, Expressions &expressions,
             Repeats &repeats)
      : reporter(reporter), budget(budget), names(names), emitter(emitter), expressions(expressions), repeats(repeats) {
  }

  /// Runs the body of a function; `results` are the tensors that it returns. False if no return was executed.
  bool runFunction(const Body &body, std::vector<Value> &results);
  /// True where nothing behind it is to run: a return was executed, or a requirement does not hold.
  bool run(const Body &body);
  /// What they say of values that nothing reads; of all functions.
  UnreadValues unread;

  /// Of the return that was executed last.
  SourceRange returnPlace() const { return lastReturn; }

private:
  bool run(const Stmt &stmt);
  void runAssign(const AssignStmt &stmt);
  bool runIf(const IfStmt &stmt);
  bool runNoFuse(const NoFuseStmt &stmt);
  void runReturn(const ReturnStmt &stmt);
  bool runRequire(const RequireStmt &stmt);
  void checkDeclaration(const DeclarationStmt &stmt);
  bool checkTargets(const AssignStmt &stmt);
  std::vector<Value> assignedValues(const AssignStmt &stmt);
  void assign(const Identifier &target, Value value, SourceRange from);
  void noteOperands(Diagnostic &diagnostic, const Expr &expr, unsigned &left);

  Reporter &reporter;
  Budget &budget;
  Names &names;
  Emitter &emitter;
  Expressions &expressions;
  Repeats &repeats;
  std::vector<Value> *returned = nullptr; // where `return` puts its values
  SourceRange lastReturn;
  const llvm::StringSet<> *reads = nullptr; // the names that the function reads
  std::map<const Body *, llvm::StringSet<>> readBy;
};

} // namespace stretto::frontend
