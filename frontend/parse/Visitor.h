// Walks over syntax trees.
#pragma once

#include "frontend/parse/AST.h"

namespace stretto::frontend {

/// Sees each declaration and expression within what it is given, the outer ones first.
class Visitor {
public:
  virtual ~Visitor() = default;
  void declaration(const Declaration &declaration);
  void body(const Body &body);

protected:
  virtual void onDeclaration(const Declaration &) {}
  virtual void onExpr(const Expr &) {}

private:
  void statement(const Stmt &stmt);
  void exprs(const std::vector<ExprPtr> &list);
  void expr(const Expr *expr);
};

} // namespace stretto::frontend
