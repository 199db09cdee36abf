// Calls of blocks and defs.
#include "frontend/Sema/BuiltinTable.h"
#include "frontend/Sema/Specialization.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/raw_ostream.h"

using namespace stretto;

/// What a call might have meant: the nearest name, or every one where none is near.
static std::string nearestOrAll(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known) {
  std::string nearest = didYouMean(name, known);
  return nearest.empty() ? "; there are " + llvm::join(known, ", ") : nearest;
}

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
                                   nearestOrAll(call.callee.text, visibleCallees()));
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

/// Sorts the arguments of a call by parameter; absent ones are null. Nothing if they do not fit.
std::optional<std::vector<const Argument *>> Elaborator::matchArguments(const CallExpr &call,
                                                                        const Declaration &callee) {
  std::vector<const Argument *> given(callee.parameters.size());
  std::vector<llvm::StringRef> names;
  for (const Parameter &parameter : callee.parameters)
    names.push_back(parameter.name.text);
  auto fail = [&](SourceRange range, const llvm::Twine &message) {
    error(range, message).notes.push_back({callee.range, ("'" + callee.name.text + "' is declared here").str()});
    return std::nullopt;
  };
  size_t position = 0;
  for (const Argument &argument : call.arguments) {
    llvm::StringRef name = argument.name.text;
    size_t index = name.empty() ? position++ : llvm::find(names, name) - names.begin();
    if (index >= names.size() && !name.empty())
      return fail(argument.name.range,
                  "'" + callee.name.text + "' has no parameter '" + name + "'" + didYouMean(name, names));
    if (index >= names.size())
      return fail(argument.value->range, "'" + callee.name.text + "' takes " + llvm::Twine(names.size()) +
                                             " arguments, but got more");
    if (given[index])
      return fail(argument.value->range, "the argument '" + names[index] + "' is given twice");
    given[index] = &argument;
  }
  for (size_t i = 0; i < names.size(); ++i)
    if (!given[i] && !callee.parameters[i].defaultValue)
      return fail(call.range, "'" + callee.name.text + "' needs the argument '" + names[i] + "'");
  return given;
}

/// The value of one parameter: the argument, evaluated in the caller, or the default, evaluated in the callee.
Value Elaborator::argumentValue(const Parameter &parameter, const Argument *given, Scope &inner) {
  ParameterType type = typeOf(parameter.type);
  const Expr &expr = given ? *given->value : *parameter.defaultValue;
  // A bare name that is no variable is a symbol of the parameter's type.
  auto *name = given ? llvm::dyn_cast<NameExpr>(&expr) : nullptr;
  Value value;
  if (name && type.universe && !lookup(name->name)) {
    value = Symbol{name->name.str(), nullptr};
  } else {
    llvm::SaveAndRestore saved(scope, given ? scope : &inner);
    value = evaluate(expr);
  }
  const Provenance *provenance = value.provenance;
  value = convert(std::move(value), type, parameter.name.text, expr.range);
  value.provenance = provenance;
  if (value.isNumber() && !provenance)
    value.provenance = makeProvenance(parameter.name.text, expr.range);
  return value;
}

/// Binds every parameter of the callee in its scope, in their order. False if an argument is wrong.
bool Elaborator::bindArguments(const CallExpr &call, const Declaration &callee, Scope &inner) {
  std::optional<std::vector<const Argument *>> given = matchArguments(call, callee);
  if (!given)
    return false;
  bool valid = true;
  for (auto [parameter, argument] : llvm::zip_equal(callee.parameters, *given)) {
    Value value = argumentValue(parameter, argument, inner);
    valid &= !value.isError();
    inner.bind(parameter.name.text, std::move(value));
  }
  return valid;
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
    text.append("x").append(std::to_string(dim.size));
  return text;
}

std::vector<Value> Elaborator::callBlock(const CallExpr &call, const Declaration &callee, Scope *home) {
  auto inner = std::make_unique<Scope>(Scope::Kind::Frame, home);
  if (!bindArguments(call, callee, *inner))
    return {Value()};
  std::string key;
  llvm::raw_string_ostream os(key);
  os << &callee << ' ' << numberVersion << ' ' << recompute << noFuse << (repeatDepth > 0);
  auto body = std::make_unique<FunctionBuilder>();
  llvm::SmallVector<ValueId> operands;
  for (auto &[name, binding] : inner->bindings) {
    Value &value = binding->value;
    const Tensor *tensor = value.get<Tensor>();
    os << ' ' << value.data.index() << ':' << (tensor ? describeType(typeOf(value)) : toString(value));
    if (auto *real = value.get<double>())
      os << ':' << llvm::bit_cast<uint64_t>(*real); // the text is rounded
    if (auto *init = value.get<Initializer>())
      os << ':' << unsigned(init->kind) << ':' << llvm::bit_cast<uint64_t>(init->a) << ':'
         << llvm::bit_cast<uint64_t>(init->b);
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
  if (!grow(program.functions[special.function].operations, call.range))
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
  warnUnread(*body);
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
