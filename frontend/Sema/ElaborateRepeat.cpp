// `repeat`: the body becomes a function; equal iterations become one scan.
#include "frontend/Sema/Layers.h"
#include "frontend/Sema/Specialization.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace stretto;

namespace {
constexpr int64_t maxTrips = 4096;
}

std::optional<int64_t> Elaborator::repeatCount(const RepeatStmt &stmt) {
  Value value = evaluate(*stmt.count);
  std::optional<int64_t> count = expectInt(value, "the count of 'repeat'", stmt.count->range);
  if (!count || (*count >= 0 && *count <= maxTrips))
    return count;
  Diagnostic &diagnostic = error(stmt.count->range, "a repeat runs 0 to " + llvm::Twine(maxTrips) + " times, but got " +
                                                        llvm::Twine(*count));
  noteOrigin(diagnostic, value.provenance);
  return std::nullopt;
}

void Elaborator::runRepeat(const RepeatStmt &stmt) {
  std::optional<int64_t> count = repeatCount(stmt);
  if (!count || *count == 0)
    return;
  std::vector<std::shared_ptr<Iteration>> iterations;
  bool changesNumbers = false;
  {
    llvm::SaveAndRestore depth(repeatDepth, repeatDepth + 1);
    size_t errorsBefore = diagnostics.errorCount();
    for (int64_t i = 0; i < *count && !exhausted; ++i) {
      bool isNew = i == 0 || !stmt.index.text.empty() || changesNumbers;
      iterations.push_back(isNew ? std::shared_ptr<Iteration>(runIteration(stmt, i, changesNumbers))
                                 : iterations.back());
      if (diagnostics.errorCount() != errorsBefore)
        return;
    }
  }
  if (!exhausted)
    emitIterations(stmt, std::move(iterations));
}

std::unique_ptr<Elaborator::Iteration> Elaborator::runIteration(const RepeatStmt &stmt, int64_t number,
                                                                bool &changesNumbers) {
  auto iteration = std::make_unique<Iteration>();
  FunctionBuilder body(builder);
  Scope inner(Scope::Kind::Repeat, scope);
  {
    Frame frame(*this);
    builder = &body;
    scope = &inner;
    if (!stmt.index.text.empty())
      inner.bind(stmt.index.text, Value(number, makeProvenance(stmt.index.text, stmt.index.range)));
    runBody(stmt.body);
  }
  if (!collectAssigned(stmt, inner, *iteration, changesNumbers))
    return iteration;
  for (auto [binding, value] : body.captures)
    iteration->captures.push_back(binding);
  body.function.results = std::move(iteration->function.results);
  body.function.range = stmt.range;
  if (!exhausted)
    warnUnread(body);
  iteration->function = std::move(body.function);
  return iteration;
}

/// Finds the outer variables that the body changed. Tensors are carried and must keep their shape; changed
/// numbers make the iterations differ.
bool Elaborator::collectAssigned(const RepeatStmt &stmt, Scope &inner, Iteration &iteration, bool &changesNumbers) {
  bool valid = true;
  for (auto &[name, binding] : inner.bindings) {
    if (name == stmt.index.text || !isAssigned(name))
      continue;
    Binding *outer = lookup(name);
    const Value &before = outer->value, &after = binding->value;
    if (before.isError() || after.isError()) {
      valid = false;
      continue;
    }
    if (before.isTensor() != after.isTensor()) {
      error(stmt.range, "'" + name + "' must stay of one kind in a repeat, but changes from " + kindName(before) +
                            " to " + kindName(after));
      valid = false;
      continue;
    }
    if (!after.isTensor()) {
      changesNumbers |= !sameStatic(before, after);
      outer->value = after;
      ++numberVersion;
      continue;
    }
    const ValueInfo &now = after.get<Tensor>()->owner->function.values[after.get<Tensor>()->id];
    const Type &then = typeOf(before);
    if (!(now.type == then)) {
      Diagnostic &diagnostic = error(now.range, "'" + name + "' must keep its shape from one iteration to the next, but changes from " +
                                                    then.str() + " to " + now.type.str());
      noteOrigins(diagnostic, then, now.type);
      valid = false;
      continue;
    }
    iteration.assigned.push_back(outer);
    iteration.function.results.push_back(after.get<Tensor>()->id);
  }
  return valid;
}

namespace {

/// Puts the runs of equal iterations into the enclosing function.
template <typename Iteration>
class LayerEmitter {
public:
  LayerEmitter(FunctionBuilder &outer, std::string scope, const std::vector<std::shared_ptr<Iteration>> &iterations)
      : outer(outer), scope(std::move(scope)), iterations(iterations) {}

  ValueId &current(Binding *binding) {
    auto known = values.find(binding);
    if (known == values.end())
      known = values.insert({binding, *outer.import(*binding)}).first;
    return known->second;
  }

  /// One iteration, inlined.
  void emitInline(int64_t number) {
    const Iteration &iteration = *iterations[number];
    std::vector<ValueId> arguments, weights;
    for (Binding *binding : iteration.captures)
      arguments.push_back(current(binding));
    for (Weight weight : iteration.function.weights) {
      weight.name = scope + "." + std::to_string(number) + "." + weight.name;
      weights.push_back(outer.addWeight(std::move(weight)));
    }
    std::vector<ValueId> results = outer.inlineFunction(iteration.function, arguments, weights);
    for (size_t i = 0; i < results.size(); ++i)
      values[iteration.assigned[i]] = results[i];
    llvm::append_range(outer.handedOn, results);
  }

  /// The function of `run.period` iterations: carried variables, weights, then what is only read.
  Function makeBody(const LayerRun &run, llvm::SetVector<Binding *> &carried, llvm::SetVector<Binding *> &read,
                    std::vector<int64_t> &layerOfWeight) {
    for (int64_t i = run.first; i < run.first + run.period; ++i) {
      carried.insert(iterations[i]->assigned.begin(), iterations[i]->assigned.end());
      read.insert(iterations[i]->captures.begin(), iterations[i]->captures.end());
    }
    read.set_subtract(carried);
    FunctionBuilder body;
    body.function.range = iterations[run.first]->function.range;
    llvm::DenseMap<Binding *, ValueId> locals;
    auto addFormal = [&](Binding *binding, std::vector<ValueId> &list) {
      const ValueInfo info = outer.function.values[current(binding)];
      locals[binding] = body.function.addValue(info.type, info.range, binding->name);
      list.push_back(locals[binding]);
    };
    for (Binding *binding : carried)
      addFormal(binding, body.function.arguments);
    for (Binding *binding : read)
      addFormal(binding, body.function.invariants);
    for (int64_t i = run.first; i < run.first + run.period; ++i)
      inlineInto(body, *iterations[i], i, locals, layerOfWeight);
    for (Binding *binding : carried)
      body.function.results.push_back(locals[binding]);
    return std::move(body.function);
  }

  void emitScan(const LayerRun &run, unsigned callee, const Function &body, llvm::ArrayRef<Binding *> carried,
                llvm::ArrayRef<Binding *> read, llvm::ArrayRef<int64_t> layerOfWeight, Op scan) {
    scan.name = "scan";
    scan.callee = callee;
    scan.attributes = {{"trips", run.count}};
    for (Binding *binding : carried)
      scan.operands.push_back(current(binding));
    for (size_t i = 0; i < body.weights.size(); ++i) {
      Weight weight = body.weights[i];
      weight.name = scope + ".{}." + weight.name;
      weight.type.dims.insert(weight.type.dims.begin(), Dim{run.count, nullptr});
      weight.stacks.insert(weight.stacks.begin(), Stack{layerOfWeight[i], run.period, run.count});
      scan.operands.push_back(outer.addWeight(std::move(weight)));
    }
    for (Binding *binding : read)
      scan.operands.push_back(current(binding));
    for (Binding *binding : carried) {
      ValueInfo info = outer.function.values[current(binding)];
      ValueId result = outer.function.addValue(info.type, scan.range, binding->name);
      scan.results.push_back(result);
      values[binding] = result;
    }
    outer.function.ops.push_back(std::move(scan));
  }

  llvm::MapVector<Binding *, ValueId> values;

private:
  void inlineInto(FunctionBuilder &body, const Iteration &iteration, int64_t number,
                  llvm::DenseMap<Binding *, ValueId> &locals, std::vector<int64_t> &layerOfWeight) {
    std::vector<ValueId> arguments, weights;
    for (Binding *binding : iteration.captures)
      arguments.push_back(locals[binding]);
    for (const Weight &weight : iteration.function.weights) {
      weights.push_back(body.addWeight(weight));
      layerOfWeight.push_back(number);
    }
    std::vector<ValueId> results = body.inlineFunction(iteration.function, arguments, weights);
    for (size_t i = 0; i < results.size(); ++i)
      locals[iteration.assigned[i]] = results[i];
  }

  FunctionBuilder &outer;
  std::string scope;
  const std::vector<std::shared_ptr<Iteration>> &iterations;
};

} // namespace

void Elaborator::emitIterations(const RepeatStmt &stmt, std::vector<std::shared_ptr<Iteration>> iterations) {
  std::map<std::string, unsigned> kinds;
  std::vector<unsigned> kindOf;
  for (size_t i = 0; i < iterations.size(); ++i) {
    if (i && iterations[i] == iterations[i - 1]) {
      kindOf.push_back(kindOf.back());
      continue;
    }
    std::string key = structure(iterations[i]->function);
    for (Binding *binding : iterations[i]->captures)
      key += "<" + binding->name;
    for (Binding *binding : iterations[i]->assigned)
      key += ">" + binding->name;
    kindOf.push_back(kinds.try_emplace(key, kinds.size()).first->second);
  }
  std::string scopeName = builder->uniqueName(stmt.scope.text.empty() ? "layers" : stmt.scope.text);
  LayerEmitter<Iteration> emitter(*builder, scopeName, iterations);
  for (const LayerRun &run : findLayerRuns(kindOf)) {
    // Weights are stacked once: a repeat inside a repeat is written out.
    if (run.count == 1 || repeatDepth > 0) {
      for (int64_t i = run.first; i < run.first + run.period * run.count; ++i) {
        if (!spend(10 + iterations[i]->function.ops.size()) || !grow(iterations[i]->function.operations, stmt.range))
          return;
        emitter.emitInline(i);
      }
      continue;
    }
    llvm::SetVector<Binding *> carried, read;
    std::vector<int64_t> layerOfWeight;
    Function body = emitter.makeBody(run, carried, read, layerOfWeight);
    for (int64_t i = run.first; i < run.first + run.period; ++i)
      body.operations += iterations[i]->function.operations;
    if (carried.empty()) {
      error(stmt.range, "a repeat must change a tensor that exists before it, but this one changes none");
      return;
    }
    if (!grow(body.operations, stmt.range))
      return;
    unsigned callee = intern(body, scopeName);
    Op scan;
    scan.range = stmt.range;
    scan.noFuse = noFuse;
    emitter.emitScan(run, callee, body, carried.getArrayRef(), read.getArrayRef(), layerOfWeight, std::move(scan));
  }
  for (auto [binding, value] : emitter.values) {
    const Tensor *before = binding->value.get<Tensor>();
    if (before->owner != builder || before->id != value)
      scope->bind(binding->name, Tensor{builder, value});
  }
}
