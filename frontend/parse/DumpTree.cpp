// The syntax tree as text, for --emit=ast.
#include "frontend/parse/Parser.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// One node per line; children are indented.
class Dumper {
public:
  explicit Dumper(llvm::raw_ostream &os) : os(os) {}

  void tree(const SourceTree &tree) {
    for (const Import &import : tree.imports)
      line("import \"" + import.path + "\"");
    for (const auto &each : tree.declarations)
      declaration(*each);
  }

private:
  /// Until the result dies, lines are one level deeper.
  [[nodiscard]] llvm::SaveAndRestore<unsigned> indented() { return {depth, depth + 1}; }

  void line(const llvm::Twine &text) { os.indent(2 * depth) << text << '\n'; }

  static std::string join(const std::vector<Identifier> &names) {
    std::string text;
    for (const Identifier &name : names)
      text += (text.empty() ? "" : ", ") + name.text.str();
    return text;
  }

  void declaration(const Declaration &declaration) {
    static constexpr llvm::StringRef kinds[] = {"model ", "block ", "def "};
    line((declaration.isShared ? "shared " : "") + kinds[unsigned(declaration.kind)] + declaration.name.text);
    auto level = indented();
    for (const Parameter &each : declaration.parameters)
      parameter(each);
    if (declaration.value)
      expr(*declaration.value);
    body(declaration.body);
  }

  void parameter(const Parameter &parameter) {
    bool isTyped = parameter.type.kind != TypeSyntax::Kind::Any;
    std::string type = isTyped ? (": " + spelling(parameter.type.kind)).str() : "";
    std::string members = parameter.type.members.empty() ? "" : " {" + join(parameter.type.members) + "}";
    line("parameter " + parameter.name.text + type + members);
    auto level = indented();
    if (parameter.defaultValue)
      expr(*parameter.defaultValue);
  }

  void body(const Body &body) {
    for (const StmtPtr &each : body)
      statement(*each);
  }

  void expressions(const std::vector<ExprPtr> &list) {
    for (const ExprPtr &each : list)
      expr(*each);
  }

  void statement(const Stmt &stmt) {
    if (auto *declared = llvm::dyn_cast<DeclarationStmt>(&stmt))
      return declaration(*declared->declaration);
    if (auto *assign = llvm::dyn_cast<AssignStmt>(&stmt)) {
      line("assign " + join(assign->targets));
      auto level = indented();
      return expressions(assign->values);
    }
    if (auto *result = llvm::dyn_cast<ReturnStmt>(&stmt)) {
      line("return");
      auto level = indented();
      return expressions(result->values);
    }
    if (auto *require = llvm::dyn_cast<RequireStmt>(&stmt)) {
      line("require");
      auto level = indented();
      return expr(*require->condition);
    }
    if (auto *noFuse = llvm::dyn_cast<NoFuseStmt>(&stmt)) {
      line("no_fuse");
      auto level = indented();
      return body(noFuse->body);
    }
    if (auto *repeat = llvm::dyn_cast<RepeatStmt>(&stmt))
      return this->repeat(*repeat);
    conditional(llvm::cast<IfStmt>(stmt));
  }

  void repeat(const RepeatStmt &repeat) {
    line("repeat" + (repeat.index.text.empty() ? std::string() : " as " + repeat.index.text.str()) +
         (repeat.scope.text.empty() ? std::string() : " named " + repeat.scope.text.str()));
    auto level = indented();
    expr(*repeat.count);
    body(repeat.body);
  }

  void conditional(const IfStmt &conditional) {
    line("if");
    {
      auto level = indented();
      expr(*conditional.condition);
      body(conditional.whenTrue);
    }
    if (conditional.whenFalse.empty())
      return;
    line("else");
    auto level = indented();
    body(conditional.whenFalse);
  }

  void expr(const Expr &expr) {
    if (auto *integer = llvm::dyn_cast<IntegerExpr>(&expr))
      line(llvm::Twine(integer->value));
    else if (auto *real = llvm::dyn_cast<FloatExpr>(&expr))
      os.indent(2 * depth) << real->value << '\n';
    else if (auto *flag = llvm::dyn_cast<BoolExpr>(&expr))
      line(flag->value ? "true" : "false");
    else if (auto *name = llvm::dyn_cast<NameExpr>(&expr))
      line(name->name);
    else if (auto *set = llvm::dyn_cast<SetExpr>(&expr))
      line("{" + join(set->members) + "}");
    else
      compound(expr);
  }

  void compound(const Expr &expr) {
    if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr)) {
      line(unary->op == UnaryOperator::Negate ? "-" : "not");
      auto level = indented();
      this->expr(*unary->operand);
    } else if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr)) {
      line(spelling(binary->op));
      auto level = indented();
      this->expr(*binary->left);
      this->expr(*binary->right);
    } else if (auto *conditional = llvm::dyn_cast<ConditionalExpr>(&expr)) {
      line("if then else");
      auto level = indented();
      this->expr(*conditional->condition);
      this->expr(*conditional->whenTrue);
      this->expr(*conditional->whenFalse);
    } else {
      call(llvm::cast<CallExpr>(expr));
    }
  }

  void call(const CallExpr &call) {
    line("call " + call.callee.text);
    auto level = indented();
    for (const Argument &argument : call.arguments) {
      if (argument.name.text.empty()) {
        expr(*argument.value);
        continue;
      }
      line(argument.name.text + " =");
      auto level = indented();
      expr(*argument.value);
    }
  }

  llvm::raw_ostream &os;
  unsigned depth = 0;
};

} // namespace

void frontend::dumpTree(const SourceTree &tree, llvm::raw_ostream &os) { Dumper(os).tree(tree); }
