// What the names of a file stand for, as its text alone tells.
#include "frontend/sema/Symbols.h"

#include "frontend/parse/Visitor.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// Collects the members of types and of set literals.
class SymbolCollector : public Visitor {
public:
  explicit SymbolCollector(llvm::StringSet<> &symbols) : symbols(symbols) {}

private:
  void onDeclaration(const Declaration &declaration) override {
    for (const Parameter &parameter : declaration.parameters)
      add(parameter.type.members);
  }

  void onExpr(const Expr &expr) override {
    if (auto *set = llvm::dyn_cast<SetExpr>(&expr))
      add(set->members);
  }

  void add(const std::vector<Identifier> &members) {
    for (const Identifier &member : members)
      symbols.insert(member.text);
  }

  llvm::StringSet<> &symbols;
};

/// Collects the names that stand as expressions.
class ReadCollector : public Visitor {
public:
  llvm::StringSet<> names;

private:
  void onExpr(const Expr &expr) override {
    if (auto *name = llvm::dyn_cast<NameExpr>(&expr))
      names.insert(name->name);
  }
};

} // namespace

void frontend::collectSymbols(const SourceTree &tree, llvm::StringSet<> &symbols) {
  for (const auto &declaration : tree.declarations)
    SymbolCollector(symbols).declaration(*declaration);
}

llvm::StringSet<> frontend::namesRead(const Body &body) {
  ReadCollector collector;
  collector.body(body);
  return std::move(collector.names);
}
