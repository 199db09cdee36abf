// Calls of blocks and defs.
#include "frontend/Sema/BuiltinTable.h"
#include "frontend/Sema/Specialization.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/raw_ostream.h"

using namespace stretto;

std::vector<Value> Elaborator::evaluateCall(const CallExpr &call, NameHint hint) {
  if (const BuiltinSignature *builtin = findBuiltin(call.callee.text))
    return evaluateBuiltin(*builtin, call, hint);
  Scope *home = nullptr;
  const Declaration *callee = lookupDeclaration(call.callee.text, home);
  if (!callee) {
    if (lookup(call.callee.text))
      error(call.callee.range, "'" + call.callee.text + "' is a variable and cannot be called");
    else
      error(call.callee.range, "unknown operation, block or def '" + call.callee.text.take_front(60) + "'" +
                                   didYouMean(call.callee.text, visibleCallees()));
    return {Value()};
  }
  return callee->kind == Declaration::Kind::Def ? std::vector<Value>{callDef(call, *callee, home)}
                                                : callBlock(call, *callee, home);
}

bool Elaborator::enterCall(const CallExpr &call, const Declaration &callee) {
  for (const ActiveCall &active : activeCalls)
    if (active.callee == &callee) {
      error(call.range, "'" + callee.name.text + "' may not call itself");
      return false;
    }
  activeCalls.push_back({&callee, call.range});
  return true;
}

/// Evaluates the arguments in the caller and the missing defaults in the callee's scope, in the order of the
/// parameters, and binds them there. Nothing if one is wrong.
std::optional<std::vector<Value>> Elaborator::bindArguments(const CallExpr &call, const Declaration &callee,
                                                            Scope &inner) {
  const std::vector<Parameter> &parameters = callee.parameters;
  std::vector<const Argument *> given(parameters.size());
  std::vector<llvm::StringRef> names;
  for (const Parameter &parameter : parameters)
    names.push_back(parameter.name.text);
  auto declaredHere = [&](Diagnostic &diagnostic) {
    diagnostic.notes.push_back({callee.range, ("'" + callee.name.text + "' is declared here").str()});
  };
  size_t position = 0;
  for (const Argument &argument : call.arguments) {
    size_t index = position;
    if (argument.name.text.empty()) {
      ++position;
    } else {
      index = llvm::find(names, argument.name.text) - names.begin();
      if (index == names.size()) {
        declaredHere(error(argument.name.range, "'" + callee.name.text + "' has no parameter '" + argument.name.text +
                                                    "'" + didYouMean(argument.name.text, names)));
        return std::nullopt;
      }
    }
    if (index >= parameters.size()) {
      declaredHere(error(argument.value->range, "'" + callee.name.text + "' takes " + llvm::Twine(parameters.size()) +
                                                    " arguments, but got more"));
      return std::nullopt;
    }
    if (given[index]) {
      error(argument.value->range, "the argument '" + names[index] + "' is given twice");
      return std::nullopt;
    }
    given[index] = &argument;
  }

  std::vector<Value> values;
  bool failed = false;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter &parameter = parameters[i];
    ParameterType type = typeOf(parameter.type);
    Value value;
    if (!given[i] && !parameter.defaultValue) {
      declaredHere(error(call.range, "'" + callee.name.text + "' needs the argument '" + names[i] + "'"));
      return std::nullopt;
    }
    SourceRange range = given[i] ? given[i]->value->range : parameter.defaultValue->range;
    if (given[i]) {
      // A bare name that is no variable is a symbol of the parameter's type.
      auto *name = llvm::dyn_cast<NameExpr>(given[i]->value.get());
      value = name && type.universe && !lookup(name->name) ? Value(Symbol{name->name.str(), nullptr})
                                                           : evaluate(*given[i]->value);
    } else {
      llvm::SaveAndRestore saved(scope, &inner);
      value = evaluate(*parameter.defaultValue);
    }
    const Provenance *provenance = value.provenance;
    value = convert(std::move(value), type, names[i], range);
    value.provenance = provenance;
    failed |= value.isError();
    if (value.isNumber() && !value.provenance)
      value.provenance = makeProvenance(names[i], range);
    inner.bind(names[i], value);
    values.push_back(std::move(value));
  }
  if (failed)
    return std::nullopt;
  return values;
}

Value Elaborator::callDef(const CallExpr &call, const Declaration &callee, Scope *home) {
  Scope inner(Scope::Kind::Def, home);
  if (!bindArguments(call, callee, inner) || !enterCall(call, callee))
    return {};
  llvm::scope_exit leave([&] {
    activeCalls.pop_back();
    defSites.pop_back();
  });
  defSites.push_back(call.range);
  llvm::SaveAndRestore saved(scope, &inner);
  size_t weights = builder->function.weights.size();
  Value value = evaluate(*callee.value);
  if (builder->function.weights.size() != weights) {
    error(callee.range, "a def makes no weights; declare '" + callee.name.text + "' as a block");
    return {};
  }
  return value;
}

static std::string describeType(const Type &type) {
  std::string text(1, "rtw"[unsigned(type.kind)]);
  for (const Dim &dim : type.dims)
    text += "x" + std::to_string(dim.size);
  return text;
}

std::vector<Value> Elaborator::callBlock(const CallExpr &call, const Declaration &callee, Scope *home) {
  auto inner = std::make_unique<Scope>(Scope::Kind::Frame, home);
  std::optional<std::vector<Value>> values = bindArguments(call, callee, *inner);
  if (!values)
    return {Value()};
  std::string key;
  llvm::raw_string_ostream os(key);
  os << &callee << ' ' << numberVersion << ' ' << recompute << noFuse << (repeatDepth > 0);
  auto body = std::make_unique<FunctionBuilder>();
  llvm::SmallVector<ValueId> operands;
  for (auto &[name, binding] : inner->bindings) {
    Value &value = binding->value;
    const Tensor *tensor = value.get<Tensor>();
    os << ' ' << (tensor ? describeType(typeOf(value)) : toString(value)) << '#' << value.data.index();
    if (!tensor)
      continue;
    operands.push_back(tensor->id);
    ValueId local = body->function.addValue(typeOf(value), call.range, name);
    body->function.arguments.push_back(local);
    value = Tensor{body.get(), local};
  }
  Specialization &special = specialize(call, callee, std::move(inner), std::move(body), key);
  if (special.failed)
    return {Value()};
  Op &op = emit("call", {}, call.range);
  size_t opIndex = builder->function.ops.size() - 1;
  op.operands.assign(operands.begin(), operands.end());
  op.callee = special.function;
  std::string prefix = special.weights.empty() ? "" : builder->uniqueName(callee.name.text) + ".";
  for (Weight weight : special.weights) {
    weight.name = prefix + weight.name;
    ValueId id = builder->addWeight(std::move(weight));
    builder->function.ops[opIndex].operands.push_back(id);
  }
  std::vector<Value> results;
  for (const Type &type : special.results)
    results.push_back(addResult(builder->function.ops[opIndex], type));
  return results;
}

Elaborator::Specialization &Elaborator::specialize(const CallExpr &call, const Declaration &callee,
                                                   std::unique_ptr<Scope> inner,
                                                   std::unique_ptr<FunctionBuilder> body, std::string key) {
  if (!enterCall(call, callee))
    return *recursiveCall;
  llvm::scope_exit leave([&] { activeCalls.pop_back(); });
  std::unique_ptr<Specialization> &entry = specializations[key];
  if (entry)
    return *entry;
  entry = std::make_unique<Specialization>();
  Specialization &special = *entry;
  size_t errorsBefore = diagnostics.errorCount();
  std::vector<Value> results;
  bool hasReturned;
  {
    Frame frame(*this);
    builder = body.get();
    scope = inner.get();
    returned = &results;
    defSites.clear();
    hasReturned = runBody(callee.body);
  }
  if (!hasReturned && diagnostics.errorCount() == errorsBefore)
    error(callee.range, "the block '" + callee.name.text + "' returns nothing; end it with 'return'");
  if (diagnostics.errorCount() != errorsBefore || exhausted)
    return special;
  for (const Value &result : results) {
    body->function.results.push_back(result.get<Tensor>()->id);
    special.results.push_back(typeOf(result));
  }
  special.failed = false;
  special.weights = body->function.weights;
  body->function.range = callee.range;
  special.function = intern(std::move(body->function), callee.name.text);
  return special;
}

unsigned Elaborator::intern(Function function, llvm::StringRef name) {
  auto [entry, isNew] = functionsByStructure.try_emplace(structure(function), program.functions.size());
  if (!isNew)
    return entry->second;
  std::string unique = name.str();
  while (unique == "main" || !functionNames.try_emplace(unique, 0).second)
    unique = (name + "_" + llvm::Twine(++functionNames[name])).str();
  function.name = unique;
  program.functions.push_back(std::move(function));
  return entry->second;
}
