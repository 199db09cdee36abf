// Evaluates expressions.
#pragma once

#include "frontend/sema/Emitter.h"
#include "frontend/sema/elaborate/Names.h"

namespace stretto::frontend {

class Calls;

class Expressions {
public:
  Expressions(Reporter &reporter, Budget &budget, Names &names, Emitter &emitter, Calls &calls)
      : reporter(reporter), budget(budget), names(names), emitter(emitter), calls(calls) {}

  /// One value; an error value after an error.
  Value evaluate(const Expr &expr, NameHint hint = {});
  /// What should be a symbol: a bare name that is no variable is one, also as a value of `if`.
  Value evaluateSymbol(const Expr &expr);
  /// The values of a call with any number of results; others give one.
  std::vector<Value> evaluateMany(const Expr &expr, NameHint hint = {});
  /// What must be true or false; `what` names it in messages.
  std::optional<bool> evaluateBool(const Expr &expr, llvm::StringRef what);

private:
  bool mayGoOn(SourceRange range);
  Value evaluateKind(const Expr &expr, NameHint hint);
  struct Arithmetic {
    double first, result; // its first operand, and what comes out
    static Arithmetic of(double number) { return {number, number}; }
  };
  std::optional<Arithmetic> arithmeticOf(const Expr &expr);
  std::optional<double> numberOf(const CallExpr &call);
  void warnOfComment(const Expr &expr, const Value &value);
  Value evaluateName(const NameExpr &expr);
  void reportUnknown(const NameExpr &expr);
  Value evaluateUnary(const UnaryExpr &expr);
  Value evaluateBinary(const BinaryExpr &expr);
  Value evaluateLogic(const BinaryExpr &expr);
  Value evaluateConditional(const ConditionalExpr &expr, NameHint hint);
  bool meansVariable(llvm::StringRef name) const;
  Value evaluateIn(const BinaryExpr &expr);
  Value isMember(const BinaryExpr &expr, const Value &left, const Value &right);
  Value compareSymbols(const BinaryExpr &expr, const Value &left, const Value &right);
  Value computed(BinaryOperator op, const Value &a, const Value &b, SourceRange range);

  Reporter &reporter;
  Budget &budget;
  Names &names;
  Emitter &emitter;
  Calls &calls;
  unsigned depth = 0; // of nested evaluations
};

} // namespace stretto::frontend
