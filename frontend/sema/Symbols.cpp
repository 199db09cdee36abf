// Which names of a file are symbols.
#include "frontend/sema/Symbols.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// Collects the members of types and of set literals.
class SymbolCollector {
public:
  explicit SymbolCollector(llvm::StringSet<> &symbols) : symbols(symbols) {}

  void declaration(const Declaration &declaration) {
    for (const Parameter &parameter : declaration.parameters) {
      add(parameter.type.members);
      expr(parameter.defaultValue.get());
    }
    expr(declaration.value.get());
    body(declaration.body);
  }

private:
  void add(const std::vector<Identifier> &members) {
    for (const Identifier &member : members)
      symbols.insert(member.text);
  }

  void body(const Body &body) {
    for (const StmtPtr &stmt : body)
      statement(*stmt);
  }

  void statement(const Stmt &stmt) {
    if (auto *assign = llvm::dyn_cast<AssignStmt>(&stmt)) {
      for (const ExprPtr &value : assign->values)
        expr(value.get());
    } else if (auto *conditional = llvm::dyn_cast<IfStmt>(&stmt)) {
      expr(conditional->condition.get());
      body(conditional->whenTrue);
      body(conditional->whenFalse);
    } else if (auto *repeat = llvm::dyn_cast<RepeatStmt>(&stmt)) {
      expr(repeat->count.get());
      body(repeat->body);
    } else if (auto *result = llvm::dyn_cast<ReturnStmt>(&stmt)) {
      for (const ExprPtr &value : result->values)
        expr(value.get());
    } else if (auto *require = llvm::dyn_cast<RequireStmt>(&stmt)) {
      expr(require->condition.get());
    } else if (auto *noFuse = llvm::dyn_cast<NoFuseStmt>(&stmt)) {
      body(noFuse->body);
    } else {
      declaration(*llvm::cast<DeclarationStmt>(stmt).declaration);
    }
  }

  void expr(const Expr *expr) {
    if (!expr)
      return;
    if (auto *set = llvm::dyn_cast<SetExpr>(expr)) {
      add(set->members);
    } else if (auto *unary = llvm::dyn_cast<UnaryExpr>(expr)) {
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

  llvm::StringSet<> &symbols;
};

} // namespace

void frontend::collectSymbols(const SourceTree &tree, llvm::StringSet<> &symbols) {
  for (const auto &declaration : tree.declarations)
    SymbolCollector(symbols).declaration(*declaration);
}
