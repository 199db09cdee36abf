// Runs statements.
#include "frontend/sema/elaborate/Statements.h"

#include "frontend/sema/ParameterType.h"
#include "frontend/sema/Symbols.h"
#include "frontend/sema/builtins/Builtin.h"
#include "frontend/sema/elaborate/Repeats.h"

using namespace stretto;
using namespace stretto::frontend;

bool Statements::runFunction(const Body &body, std::vector<Value> &results) {
  llvm::SaveAndRestore into(returned, &results);
  auto [known, isNew] = readBy.try_emplace(&body);
  if (isNew)
    known->second = namesRead(body);
  llvm::SaveAndRestore<const llvm::StringSet<> *> within(reads, &known->second);
  return run(body);
}

/// Whether a statement returns in whatever way it runs.
static bool alwaysReturns(const Stmt &stmt) {
  auto ends = [](const Body &body) { return llvm::any_of(body, [](auto &each) { return alwaysReturns(*each); }); };
  if (auto *conditional = llvm::dyn_cast<IfStmt>(&stmt))
    return ends(conditional->whenTrue) && ends(conditional->whenFalse);
  if (auto *noFuse = llvm::dyn_cast<NoFuseStmt>(&stmt))
    return ends(noFuse->body);
  return stmt.kind == StmtKind::Return;
}

/// Warns of the first of these statements that would do something; blocks and defs are declared wherever they stand.
static void warnUnreached(Reporter &reporter, llvm::ArrayRef<StmtPtr> behind) {
  for (const StmtPtr &stmt : behind)
    if (stmt->kind != StmtKind::Declaration)
      return reporter.warning(stmt->range, "no statement behind a 'return' is run");
}

/// Behind a requirement that does not hold only those that follow it are looked at: all else may fail for the same
/// reason.
bool Statements::run(const Body &body) {
  bool isRefused = false;
  for (size_t i = 0; i < body.size(); ++i) {
    const Stmt &stmt = *body[i];
    if (!budget.spend(1, stmt.range))
      return true;
    const bool isRequirement = stmt.kind == StmtKind::Require;
    if (isRefused && !isRequirement)
      break;
    if (!run(stmt))
      continue;
    if (isRequirement) {
      isRefused = true;
      continue;
    }
    if (alwaysReturns(stmt))
      warnUnreached(reporter, llvm::ArrayRef(body).drop_front(i + 1));
    return true;
  }
  return isRefused;
}

/// True if a return was executed, or nothing else is to be.
bool Statements::run(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Assign:
    runAssign(llvm::cast<AssignStmt>(stmt));
    return false;
  case StmtKind::If:
    return runIf(llvm::cast<IfStmt>(stmt));
  case StmtKind::Repeat:
    repeats.run(llvm::cast<RepeatStmt>(stmt));
    return false;
  case StmtKind::Return:
    runReturn(llvm::cast<ReturnStmt>(stmt));
    return true;
  case StmtKind::Require:
    return !runRequire(llvm::cast<RequireStmt>(stmt));
  case StmtKind::NoFuse:
    return runNoFuse(llvm::cast<NoFuseStmt>(stmt));
  case StmtKind::Declaration:
    checkDeclaration(llvm::cast<DeclarationStmt>(stmt));
    return false;
  }
  llvm_unreachable("a kind of statement that is not listed");
}

// ---------------------------------------------------------------- if, no_fuse, return, declarations

bool Statements::runIf(const IfStmt &stmt) {
  std::optional<bool> condition = expressions.evaluateBool(*stmt.condition, "a condition");
  return condition && run(*condition ? stmt.whenTrue : stmt.whenFalse);
}

bool Statements::runNoFuse(const NoFuseStmt &stmt) {
  llvm::SaveAndRestore marked(emitter.surroundings.noFuse, true);
  return run(stmt.body);
}

void Statements::runReturn(const ReturnStmt &stmt) {
  if (names.scope().kind == Scope::Kind::Repeat) {
    reporter.error(stmt.range, "'return' may not stand in a repeat");
    return;
  }
  std::vector<Value> values;
  if (stmt.values.size() == 1)
    values = expressions.evaluateMany(*stmt.values[0]);
  else
    for (const ExprPtr &expr : stmt.values)
      values.push_back(expressions.evaluate(*expr));
  for (Value &value : values)
    if (!value.isTensor() && !value.isError()) {
      reporter.error(stmt.range, "'return' takes tensors, but got " + describe(value));
      value = {};
    }
  *returned = std::move(values);
  lastReturn = stmt.range;
}

/// Those of the model itself were entered, or refused for their names, before its body runs.
void Statements::checkDeclaration(const DeclarationStmt &stmt) {
  const Declaration &declaration = *stmt.declaration;
  if (names.isInModelItself() && findBuiltin(declaration.name.text))
    return;
  if (!names.isInModelItself() || !names.isDeclaredInModel(declaration.name.text))
    reporter.error(declaration.range, "blocks and defs are declared in a file or directly in a model, not in a body");
}

// ---------------------------------------------------------------- require

/// False after an error.
bool Statements::runRequire(const RequireStmt &stmt) {
  std::optional<bool> holds = expressions.evaluateBool(*stmt.condition, "the condition of 'require'");
  if (holds == true)
    return true;
  if (!holds)
    return false;
  SourceRange range = stmt.condition->range;
  Diagnostic &diagnostic = reporter.error(range, "required: " + reporter.text(range).take_front(100));
  unsigned mostNotes = 4;
  noteOperands(diagnostic, *stmt.condition, mostNotes);
  return false;
}

/// Notes the values of the variables in a condition that failed.
void Statements::noteOperands(Diagnostic &diagnostic, const Expr &expr, unsigned &left) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr)) {
    Binding *binding = names.lookup(name->name);
    if (!binding || binding->value.isTensor() || left == 0)
      return;
    const Provenance *provenance = binding->value.provenance;
    SourceRange place = provenance && provenance->range.isValid() ? provenance->range : name->range;
    std::string text = ("'" + name->name + "' is " + toString(binding->value)).str();
    if (llvm::any_of(diagnostic.notes, [&](const Note &note) { return note.message == text; }))
      return;
    --left;
    diagnostic.notes.push_back({place, std::move(text)});
  } else if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr)) {
    noteOperands(diagnostic, *unary->operand, left);
  } else if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr)) {
    noteOperands(diagnostic, *binary->left, left);
    noteOperands(diagnostic, *binary->right, left);
  } else if (auto *conditional = llvm::dyn_cast<ConditionalExpr>(&expr)) {
    for (const ExprPtr *part : {&conditional->condition, &conditional->whenTrue, &conditional->whenFalse})
      noteOperands(diagnostic, **part, left);
  } else if (auto *call = llvm::dyn_cast<CallExpr>(&expr)) {
    for (const Argument &argument : call->arguments)
      noteOperands(diagnostic, *argument.value, left);
  }
}

// ---------------------------------------------------------------- assignments

/// Reports a variable that stands twice on the left.
bool Statements::checkTargets(const AssignStmt &stmt) {
  for (size_t i = 0; i < stmt.targets.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (stmt.targets[i].text == stmt.targets[j].text) {
        reporter.error(stmt.targets[i].range, "'" + stmt.targets[i].text + "' is assigned twice in one statement");
        return false;
      }
  return true;
}

/// The values of the right side, one for each variable; error values where their numbers differ.
std::vector<Value> Statements::assignedValues(const AssignStmt &stmt) {
  size_t wanted = stmt.targets.size();
  auto hintOf = [&](const Identifier &target) { return NameHint{target.text, names.isAssigned(target.text)}; };
  std::vector<Value> values;
  if (stmt.values.size() == 1)
    values = expressions.evaluateMany(*stmt.values[0], wanted == 1 ? hintOf(stmt.targets[0]) : NameHint());
  else if (stmt.values.size() == wanted)
    for (auto [target, expr] : llvm::zip_equal(stmt.targets, stmt.values))
      values.push_back(expressions.evaluate(*expr, hintOf(target)));
  else
    values.resize(stmt.values.size());
  if (values.size() == wanted)
    return values;
  bool failed = values.size() == 1 && values[0].isError();
  if (!failed)
    reporter.error(stmt.range, llvm::Twine(wanted) + (wanted == 1 ? " variable takes " : " variables take ") +
                                   llvm::Twine(wanted) + (wanted == 1 ? " value" : " values") + ", but got " +
                                   llvm::Twine(values.size()));
  return std::vector<Value>(wanted);
}

void Statements::runAssign(const AssignStmt &stmt) {
  if (!checkTargets(stmt))
    return;
  std::vector<Value> values = assignedValues(stmt);
  bool isPaired = stmt.values.size() == stmt.targets.size();
  for (size_t i = 0; i < values.size(); ++i)
    assign(stmt.targets[i], std::move(values[i]), stmt.values[isPaired ? i : 0]->range);
}

void Statements::assign(const Identifier &target, Value value, SourceRange from) {
  if (auto *rational = value.get<Rational>()) {
    reportInexact(reporter, *rational);
    value = {};
  }
  if (auto *tensor = value.get<Tensor>()) {
    std::string &name = infoOf(*tensor).name;
    if (name.empty())
      name = target.text.str();
  }
  if (value.isNumber() && !value.provenance)
    value.provenance = reporter.origin(target.text, from);
  bool isStatic = !value.isError() && !value.isTensor();
  if (isStatic && !target.text.starts_with("_") && !reads->contains(target.text))
    warnOfUnread(reporter, from, target.text);
  names.assign(target.text, std::move(value));
}
