// Walks over syntax trees.
#include "frontend/parse/Visitor.h"

using namespace stretto::frontend;

void Visitor::declaration(const Declaration &declaration) {
  onDeclaration(declaration);
  for (const Parameter &parameter : declaration.parameters)
    expr(parameter.defaultValue.get());
  expr(declaration.value.get());
  body(declaration.body);
}

void Visitor::body(const Body &body) {
  for (const StmtPtr &stmt : body)
    statement(*stmt);
}

void Visitor::statement(const Stmt &stmt) {
  if (auto *assign = llvm::dyn_cast<AssignStmt>(&stmt)) {
    exprs(assign->values);
  } else if (auto *conditional = llvm::dyn_cast<IfStmt>(&stmt)) {
    expr(conditional->condition.get());
    body(conditional->whenTrue);
    body(conditional->whenFalse);
  } else if (auto *repeat = llvm::dyn_cast<RepeatStmt>(&stmt)) {
    expr(repeat->count.get());
    body(repeat->body);
  } else if (auto *result = llvm::dyn_cast<ReturnStmt>(&stmt)) {
    exprs(result->values);
  } else if (auto *require = llvm::dyn_cast<RequireStmt>(&stmt)) {
    expr(require->condition.get());
  } else if (auto *noFuse = llvm::dyn_cast<NoFuseStmt>(&stmt)) {
    body(noFuse->body);
  } else {
    declaration(*llvm::cast<DeclarationStmt>(stmt).declaration);
  }
}

void Visitor::exprs(const std::vector<ExprPtr> &list) {
  for (const ExprPtr &each : list)
    expr(each.get());
}

void Visitor::expr(const Expr *expr) {
  if (!expr)
    return;
  onExpr(*expr);
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(expr)) {
    this->expr(unary->operand.get());
  } else if (auto *binary = llvm::dyn_cast<BinaryExpr>(expr)) {
    this->expr(binary->left.get());
    this->expr(binary->right.get());
  } else if (auto *conditional = llvm::dyn_cast<ConditionalExpr>(expr)) {
    this->expr(conditional->condition.get());
    this->expr(conditional->whenTrue.get());
    this->expr(conditional->whenFalse.get());
  } else if (auto *call = llvm::dyn_cast<CallExpr>(expr)) {
    for (const Argument &argument : call->arguments)
      this->expr(argument.value.get());
  }
}
