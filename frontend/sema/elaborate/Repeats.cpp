// Runs `repeat`: each iteration becomes a function; equal iterations become one loop.
#include "frontend/sema/elaborate/Repeats.h"

#include "frontend/sema/ParameterType.h"
#include "frontend/sema/elaborate/Statements.h"

using namespace stretto::frontend;

static constexpr int64_t maxTrips = 4096;

/// Whether a repeat has done all that it does.
static bool isOfNumbers(llvm::ArrayRef<std::shared_ptr<Iteration>> iterations) {
  return llvm::none_of(iterations, [](auto &each) { return each->computes(); }) &&
         llvm::any_of(iterations, [](auto &each) { return each->assignsNumbers; });
}

void Repeats::run(const RepeatStmt &stmt) {
  std::optional<int64_t> count = countOf(stmt);
  if (!count || *count == 0)
    return;
  std::optional<Iterations> iterations = runIterations(stmt, *count);
  if (iterations && !budget.isExhausted() && !isOfNumbers(*iterations))
    emit(stmt, *iterations);
}

/// False, after an error, if the count is `i in n`, as the head of a loop is written elsewhere.
bool Repeats::checkNoIndex(const Expr &count) {
  auto *binary = llvm::dyn_cast<BinaryExpr>(&count);
  auto *index = binary && binary->op == BinaryOperator::In ? llvm::dyn_cast<NameExpr>(binary->left.get()) : nullptr;
  if (!index || names.lookup(index->name) || names.isSymbol(index->name))
    return true;
  reporter.error(count.range, "the index of a repeat stands behind its count; write repeat ... as " + index->name);
  return false;
}

std::optional<int64_t> Repeats::countOf(const RepeatStmt &stmt) {
  if (!checkNoIndex(*stmt.count))
    return std::nullopt;
  Value value = expressions.evaluate(*stmt.count);
  std::optional<int64_t> count = expectInt(reporter, value, "the count of 'repeat'", stmt.count->range);
  if (!count || (*count >= 0 && *count <= maxTrips))
    return count;
  Diagnostic &diagnostic = reporter.error(stmt.count->range, "a repeat runs 0 to " + llvm::Twine(maxTrips) +
                                                                 " times, but got " + llvm::Twine(*count));
  noteOrigin(diagnostic, value.provenance);
  return std::nullopt;
}

// ---------------------------------------------------------------- iterations

/// Nothing after an error.
std::optional<Repeats::Iterations> Repeats::runIterations(const RepeatStmt &stmt, int64_t count) {
  llvm::SaveAndRestore inside(emitter.surroundings.isRepeated, true);
  size_t errorsBefore = reporter.errorCount();
  const int64_t placesBefore = emitter.placesTaken();
  bool changesNumbers = false;
  Iterations iterations;
  for (int64_t i = 0; i < count && !budget.isExhausted(); ++i) {
    const bool hasOwnPlaces = emitter.placesTaken() != placesBefore;
    bool mayDiffer = i == 0 || !stmt.index.text.empty() || changesNumbers || hasOwnPlaces;
    iterations.push_back(mayDiffer ? runIteration(stmt, i, changesNumbers) : iterations.back());
    if (!iterations.back() || reporter.errorCount() != errorsBefore)
      return std::nullopt;
  }
  return iterations;
}

std::shared_ptr<Iteration> Repeats::runIteration(const RepeatStmt &stmt, int64_t number, bool &changesNumbers) {
  auto iteration = std::make_shared<Iteration>();
  FunctionBuilder body(&emitter.function());
  Scope inner(Scope::Kind::Repeat, &names.scope());
  {
    auto into = emitter.enter(body);
    auto within = names.enter(inner);
    llvm::StringRef index = stmt.index.text;
    if (!index.empty())
      inner.bind(index, Value(number, reporter.origin(index, stmt.index.range)));
    statements.run(stmt.body);
  }
  if (!collectAssigned(stmt, inner, *iteration, changesNumbers))
    return nullptr;
  for (auto [binding, value] : body.captures)
    iteration->captures.push_back(binding);
  body.function.results = std::move(iteration->function.results);
  body.function.range = stmt.range;
  if (!budget.isExhausted())
    statements.unread.note(body);
  iteration->function = std::move(body.function);
  return iteration;
}

/// Finds the outer variables that the body changed, and gives them back the values before it. Tensors are carried and
/// must keep their shape; changed numbers stay, and make the iterations differ.
bool Repeats::collectAssigned(const RepeatStmt &stmt, Scope &inner, Iteration &iteration, bool &changesNumbers) {
  bool valid = true;
  for (auto &[outer, before] : inner.changed) {
    const Value after = std::exchange(outer->value, before);
    if (before.isError() || after.isError()) {
      names.assign(outer->name, Value()); // what reads it fails quietly
      valid = false;
    } else if (before.isTensor() != after.isTensor()) {
      reporter.error(stmt.range, "'" + outer->name + "' must stay of one kind in a repeat, but changes from " +
                                     kindName(before) + " to " + kindName(after));
      valid = false;
    } else if (!after.isTensor()) {
      iteration.assignsNumbers = true;
      changesNumbers |= !sameStatic(before, after);
      names.assign(outer->name, after);
    } else if (checkKeepsShape(outer->name, before, after)) {
      iteration.assigned.push_back(outer);
      iteration.function.results.push_back(after.get<Tensor>()->id);
    } else {
      valid = false;
    }
  }
  return valid;
}

bool Repeats::checkKeepsShape(const std::string &name, const Value &before, const Value &after) {
  const ValueInfo &now = infoOf(*after.get<Tensor>());
  const Type &then = typeOf(before);
  if (now.type == then)
    return true;
  Diagnostic &diagnostic =
      reporter.error(now.range, "'" + name + "' must keep its shape from one iteration to the next, but changes from " +
                                    then.str() + " to " + now.type.str());
  noteOrigins(diagnostic, then, now.type);
  return false;
}

// ---------------------------------------------------------------- layers

/// Equal numbers for iterations that do the same with the same variables, perhaps with other numbers.
std::vector<unsigned> Repeats::kindsOf(const Iterations &iterations) {
  std::map<std::string, unsigned> kinds;
  std::vector<unsigned> kindOf;
  for (size_t i = 0; i < iterations.size(); ++i) {
    if (i && iterations[i] == iterations[i - 1]) {
      kindOf.push_back(kindOf.back());
      continue;
    }
    std::string key = layerNumbers.formOf(iterations[i]->function);
    for (Binding *binding : iterations[i]->captures)
      key += "<" + binding->name;
    for (Binding *binding : iterations[i]->assigned)
      key += ">" + binding->name;
    kindOf.push_back(kinds.try_emplace(key, kinds.size()).first->second);
  }
  return kindOf;
}

/// False after an error.
bool Repeats::emitWrittenOut(const LayerRun &run, const Iterations &iterations, SourceRange range,
                             LayerEmitter &layers) {
  for (int64_t i = run.first; i < run.first + run.period * run.count; ++i) {
    const Function &function = iterations[i]->function;
    if (!budget.spend(10 + function.ops.size(), range) || !emitter.grow(function.operations, range))
      return false;
    layers.emitInline(i);
  }
  return true;
}

/// False after an error.
bool Repeats::emitLoop(const LayerRun &run, llvm::StringRef name, SourceRange range, LayerEmitter &layers) {
  LayerBody body = layers.makeBody(run);
  if (body.carried.empty()) {
    reporter.error(range, "a repeat must change a tensor or a number that exists before it, but this one changes none");
    return false;
  }
  if (!emitter.grow(body.function.operations, range))
    return false;
  unsigned callee = functions.intern(body.function, name);
  layers.emitScan(run, body, callee, range, emitter.surroundings.noFuse);
  return true;
}

void Repeats::emit(const RepeatStmt &stmt, const Iterations &iterations) {
  FunctionBuilder &outer = emitter.function();
  std::string name = outer.uniqueName(stmt.scope.text.empty() ? "layers" : stmt.scope.text);
  LayerEmitter layers(outer, layerNumbers, name, iterations);
  for (const LayerRun &run : findLayerRuns(kindsOf(iterations))) {
    // Weights are stacked once: a repeat inside a repeat is written out.
    bool isWrittenOut = run.count == 1 || emitter.surroundings.isRepeated;
    if (!(isWrittenOut ? emitWrittenOut(run, iterations, stmt.range, layers) : emitLoop(run, name, stmt.range, layers)))
      return;
  }
  for (auto [binding, value] : layers.variables()) {
    const Tensor *before = binding->value.get<Tensor>();
    if (before->owner != &outer || before->id != value)
      names.assign(binding->name, Tensor{&outer, value});
  }
}
