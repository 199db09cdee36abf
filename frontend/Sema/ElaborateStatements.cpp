// Statements but for `repeat`.
#include "frontend/Sema/Elaborator.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace stretto;

bool Elaborator::runBody(const Body &body) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (!spend(1))
      return true;
    if (runStatement(*body[i]))
      return true;
  }
  return false;
}

bool Elaborator::runStatement(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Assign: runAssign(llvm::cast<AssignStmt>(stmt)); return false;
  case StmtKind::If: return runIf(llvm::cast<IfStmt>(stmt));
  case StmtKind::Repeat: runRepeat(llvm::cast<RepeatStmt>(stmt)); return false;
  case StmtKind::Return: runReturn(llvm::cast<ReturnStmt>(stmt)); return true;
  case StmtKind::Require: runRequire(llvm::cast<RequireStmt>(stmt)); return false;
  case StmtKind::NoFuse: {
    llvm::SaveAndRestore saved(noFuse, true);
    return runBody(llvm::cast<NoFuseStmt>(stmt).body);
  }
  case StmtKind::Declaration: break;
  }
  // Declarations of the model itself were entered before its body runs.
  const Declaration &declaration = *llvm::cast<DeclarationStmt>(stmt).declaration;
  auto known = modelScope->declarations.find(declaration.name.text);
  if (scope != modelScope || known == modelScope->declarations.end())
    error(declaration.range, "blocks and defs are declared in a file or directly in a model, not in a body");
  return false;
}

bool Elaborator::runIf(const IfStmt &stmt) {
  std::optional<bool> condition = expectBool(evaluate(*stmt.condition), "a condition", stmt.condition->range);
  return condition && runBody(*condition ? stmt.whenTrue : stmt.whenFalse);
}

void Elaborator::runReturn(const ReturnStmt &stmt) {
  if (repeatDepth && scope->kind == Scope::Kind::Repeat) {
    error(stmt.range, "'return' may not stand in a repeat");
    return;
  }
  std::vector<Value> values;
  if (stmt.values.size() == 1)
    values = evaluateMany(*stmt.values[0], {});
  else
    for (const ExprPtr &expr : stmt.values)
      values.push_back(evaluate(*expr));
  for (Value &value : values)
    if (!value.isTensor() && !value.isError()) {
      error(stmt.range, "'return' takes tensors, but got " + describe(value));
      value = {};
    }
  *returned = std::move(values);
}

void Elaborator::runRequire(const RequireStmt &stmt) {
  Value value = evaluate(*stmt.condition);
  std::optional<bool> holds = expectBool(value, "the condition of 'require'", stmt.condition->range);
  if (!holds || *holds)
    return;
  Diagnostic &diagnostic =
      error(stmt.condition->range, "required: " + sources.text(stmt.condition->range).take_front(100));
  unsigned budget = 4;
  noteOperands(diagnostic, *stmt.condition, budget);
}

/// Notes the values of the variables in a condition that failed.
void Elaborator::noteOperands(Diagnostic &diagnostic, const Expr &expr, unsigned &budget) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr)) {
    Binding *binding = lookup(name->name);
    if (!binding || binding->value.isTensor() || budget == 0)
      return;
    --budget;
    const Provenance *provenance = binding->value.provenance;
    SourceRange place = provenance && provenance->range.isValid() ? provenance->range : name->range;
    diagnostic.notes.push_back({place, ("'" + name->name + "' is " + toString(binding->value)).str()});
  } else if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr)) {
    noteOperands(diagnostic, *unary->operand, budget);
  } else if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr)) {
    noteOperands(diagnostic, *binary->left, budget);
    noteOperands(diagnostic, *binary->right, budget);
  } else if (auto *call = llvm::dyn_cast<CallExpr>(&expr)) {
    for (const Argument &argument : call->arguments)
      noteOperands(diagnostic, *argument.value, budget);
  }
}

void Elaborator::runAssign(const AssignStmt &stmt) {
  size_t wanted = stmt.targets.size();
  std::vector<Value> values;
  for (size_t i = 0; i < wanted; ++i)
    for (size_t j = 0; j < i; ++j)
      if (stmt.targets[i].text == stmt.targets[j].text) {
        error(stmt.targets[i].range, "'" + stmt.targets[i].text + "' is assigned twice in one statement");
        return;
      }
  if (stmt.values.size() == 1) {
    NameHint hint;
    if (wanted == 1)
      hint = {stmt.targets[0].text, isAssigned(stmt.targets[0].text)};
    values = evaluateMany(*stmt.values[0], hint);
  } else if (stmt.values.size() == wanted) {
    for (size_t i = 0; i < wanted; ++i)
      values.push_back(evaluate(*stmt.values[i], {stmt.targets[i].text, isAssigned(stmt.targets[i].text)}));
  } else {
    values.resize(stmt.values.size());
  }
  bool failed = values.size() == 1 && values[0].isError();
  if (values.size() != wanted && !failed)
    error(stmt.range, llvm::Twine(wanted) + (wanted == 1 ? " variable takes " : " variables take ") +
                          llvm::Twine(wanted) + (wanted == 1 ? " value" : " values") + ", but got " +
                          llvm::Twine(values.size()));
  if (values.size() != wanted)
    values.assign(wanted, Value());
  for (size_t i = 0; i < wanted; ++i) {
    const ExprPtr &from = stmt.values[stmt.values.size() == wanted ? i : 0];
    assign(stmt.targets[i], std::move(values[i]), from->range);
  }
}

void Elaborator::assign(const Identifier &target, Value value, SourceRange from) {
  if (auto *rational = value.get<Rational>()) {
    inexactDivision(*rational, "");
    value = {};
  }
  if (auto *tensor = value.get<Tensor>()) {
    std::string &name = tensor->owner->function.values[tensor->id].name;
    if (name.empty())
      name = target.text.str();
  } else if (scope == modelScope) {
    ++numberVersion;
  }
  if (value.isNumber() && !value.provenance)
    value.provenance = makeProvenance(target.text, from);
  scope->bind(target.text, std::move(value));
}
