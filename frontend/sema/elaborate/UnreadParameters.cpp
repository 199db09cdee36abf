// Parameters that nothing reads: warnings of a whole program.
#include "frontend/sema/elaborate/UnreadParameters.h"

#include "frontend/parse/Visitor.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// Collects the names that are read within a declaration.
struct ReadNames : Visitor {
  llvm::StringSet<> names;
  void onExpr(const Expr &expr) override {
    if (auto *name = llvm::dyn_cast<NameExpr>(&expr))
      names.insert(name->name);
  }
};

/// Warns of the parameters of each declaration.
struct Warner : Visitor {
  explicit Warner(Reporter &reporter) : reporter(reporter) {}
  void onDeclaration(const Declaration &declaration) override {
    ReadNames read;
    read.declaration(declaration);
    for (const Parameter &parameter : declaration.parameters)
      if (const Identifier &name = parameter.name; !name.text.starts_with("_") && !read.names.contains(name.text))
        reporter.warning(name.range, "nothing reads the parameter '" + name.text + "'");
  }
  Reporter &reporter;
};

} // namespace

void frontend::warnOfUnreadParameters(const LoadedProgram &loaded, const Declaration &model, Reporter &reporter) {
  Warner warner(reporter);
  for (const auto &file : loaded.files)
    for (const auto &declaration : file->tree.declarations)
      if (declaration->kind != Declaration::Kind::Model || declaration.get() == &model)
        warner.declaration(*declaration);
}
