// Functions of blocks: one for the values and shapes of the arguments, and the places of its dropouts.
#include "frontend/sema/elaborate/Blocks.h"

#include "frontend/sema/elaborate/Statements.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"

using namespace stretto;
using namespace stretto::frontend;

// ---------------------------------------------------------------- keys

static void printKey(llvm::raw_ostream &os, const Type &type) {
  os << "rtw"[unsigned(type.kind)];
  for (const Dim &dim : type.dims)
    os << 'x' << dim.size;
}

static void printKey(llvm::raw_ostream &os, const Value &value) {
  os << ' ' << value.data.index() << ':';
  if (value.isTensor())
    return printKey(os, typeOf(value));
  os << toString(value);
  if (auto *real = value.get<double>())
    os << ':' << llvm::bit_cast<uint64_t>(*real); // the text is rounded
  if (auto *init = value.get<Initializer>())
    os << ':' << unsigned(init->kind) << ':' << llvm::bit_cast<uint64_t>(init->a) << ':'
       << llvm::bit_cast<uint64_t>(init->b);
}

/// Equal for calls that have equal functions: of a block, what it sees of the model, and its arguments.
std::string Blocks::keyOf(const Declaration &callee, const Scope &inner) const {
  std::string key;
  llvm::raw_string_ostream os(key);
  const Surroundings &in = emitter.surroundings;
  os << &callee << ' ' << names.numbersVersion() << ' ' << in.recompute << in.noFuse << in.isRepeated;
  for (auto &[name, binding] : inner.bindings)
    printKey(os, binding->value);
  return key;
}

// ---------------------------------------------------------------- calls

/// Makes the tensors among the arguments those of the block's function. Returns what the caller passes.
static llvm::SmallVector<ValueId> passTensors(Scope &inner, FunctionBuilder &body, SourceRange site) {
  llvm::SmallVector<ValueId> operands;
  for (auto &[name, binding] : inner.bindings) {
    const Tensor *tensor = binding->value.get<Tensor>();
    if (!tensor)
      continue;
    operands.push_back(tensor->id);
    ValueId local = body.function.addValue(typeOf(binding->value), site, name);
    body.function.arguments.push_back(local);
    binding->value = Tensor{&body, local};
  }
  return operands;
}

std::vector<Value> Blocks::call(const Declaration &callee, SourceRange site, Scope &inner) {
  // Whoever calls it: what repeats in it has weights of their own names.
  llvm::SaveAndRestore within(emitter.surroundings.isRepeated, emitter.surroundings.isRepeated || callee.isShared);
  std::string key = keyOf(callee, inner);
  FunctionBuilder body;
  llvm::SmallVector<ValueId> operands = passTensors(inner, body, site);
  if (!reporter.enterCall(callee, site))
    return {Value()};
  const Specialization &special = specialize(std::move(key), callee, inner, body);
  reporter.leaveCall();
  if (special.failed || !emitter.grow(functions[special.function].operations, site))
    return {Value()};
  std::optional<llvm::SmallVector<ValueId>> weights = passWeights(callee, special, site);
  if (!weights)
    return {Value()};
  llvm::append_range(operands, *weights);
  return emitter.emitCall(special.function, operands, special.results, site);
}

/// The values of the caller for the weights of a function. Nothing after an error.
std::optional<llvm::SmallVector<ValueId>> Blocks::passWeights(const Declaration &callee, const Specialization &special,
                                                              SourceRange site) {
  FunctionBuilder &caller = emitter.function();
  llvm::SmallVector<ValueId> values;
  if (!special.weights.empty() && emitter.isInDef()) {
    reporter.error(site, "a def makes no weights, but '" + callee.name.text + "' has some; declare it as a block");
    return std::nullopt;
  }
  std::string prefix;
  for (Weight weight : special.weights) {
    if (!weight.sharedBy && callee.isShared) {
      weight.sharedBy = &callee;
      weight.sharedAt = site;
    }
    if (weight.sharedBy) {
      std::optional<ValueId> value = passShared(std::move(weight), site);
      if (!value)
        return std::nullopt;
      values.push_back(*value);
      continue;
    }
    if (prefix.empty())
      prefix = caller.uniqueName(callee.name.text) + ".";
    weight.name = prefix + weight.name;
    values.push_back(caller.addWeight(std::move(weight)));
  }
  return values;
}

/// The weight of a function that a value of it is.
static const Weight &weightOf(const Tensor &tensor) {
  return *llvm::find_if(tensor.owner->function.weights, [&](const Weight &each) { return each.value == tensor.id; });
}

/// Whether two weights have the same numbers at first, and the same part in training.
static bool beginAlike(const Weight &one, const Weight &other) {
  return one.inits == other.inits && one.factors == other.factors && one.frozen == other.frozen;
}

/// Reports unless a weight of a shared block is the one that a call before made; at the call of that block, which may
/// be within the one at `site`.
bool Blocks::expectSame(const Weight &weight, const Weight &before, SourceRange site) {
  const std::string what = ("all calls of the shared block '" + weight.sharedBy->name.text +
                            "' have the same weights, but '" + weight.name + "' ")
                               .str();
  if (weight.type == before.type && beginAlike(weight, before))
    return true;
  const std::string how = weight.type == before.type
                              ? "begins otherwise here, or is trained otherwise, than in a call before"
                              : "is " + weight.type.str() + " here and " + before.type.str() + " in a call before";
  Diagnostic &diagnostic = reporter.error(weight.sharedAt, what + how);
  if (weight.sharedAt.begin != site.begin || weight.sharedAt.file != site.file)
    diagnostic.notes.insert(diagnostic.notes.begin(), {site, "reached from here"});
  diagnostic.notes.push_back({before.sharedAt, "the call before"});
  noteOrigins(diagnostic, weight.type, before.type);
  return false;
}

/// The value of a weight that the calls of a block share: the first of them makes it. A block that makes such a call is
/// handed the weight by its own callers.
std::optional<ValueId> Blocks::passShared(Weight weight, SourceRange site) {
  FunctionBuilder &home = emitter.function().whole();
  const Declaration &owner = *weight.sharedBy;
  std::unique_ptr<Binding> &binding = home.shared[{&owner, weight.name}];
  if (binding && !expectSame(weight, weightOf(*binding->value.get<Tensor>()), site))
    return std::nullopt;
  if (binding)
    return emitter.function().import(*binding);
  const std::string name = (owner.name.text + "." + weight.name).str();
  if (home.isModel) {
    auto [prefix, isNew] = prefixes.try_emplace(&owner);
    if (isNew)
      prefix->second = home.uniqueName(owner.name.text) + ".";
    weight.sharedBy = nullptr;
    weight.name = prefix->second + weight.name;
  }
  Tensor made{&home, 0};
  made.id = home.addWeight(std::move(weight));
  binding = std::make_unique<Binding>(Binding{name, made});
  return emitter.function().import(*binding);
}

/// Evaluates the body into its function. False after an error.
bool Blocks::runBody(const Declaration &callee, Scope &inner, FunctionBuilder &body, std::vector<Value> &results) {
  size_t errorsBefore = reporter.errorCount();
  bool hasReturned;
  {
    auto into = emitter.enter(body);
    auto within = names.enter(inner);
    hasReturned = statements.runFunction(callee.body, results);
  }
  if (!hasReturned && reporter.errorCount() == errorsBefore)
    reporter.error(callee.range, "the block '" + callee.name.text + "' returns nothing; end it with 'return'");
  // What failed in an earlier call as well was reported there.
  bool failed = llvm::any_of(results, [](const Value &result) { return result.isError(); });
  return !failed && reporter.errorCount() == errorsBefore && !budget.isExhausted();
}

const Blocks::Specialization &Blocks::specialize(std::string key, const Declaration &callee, Scope &inner,
                                                 FunctionBuilder &body) {
  auto [entry, isNew] = specializations.try_emplace(std::move(key));
  Specialization &special = entry->second;
  std::vector<Value> results;
  if (!isNew && !special.takesPlaces)
    return special;
  special = {};
  const int64_t placesBefore = emitter.placesTaken();
  if (!runBody(callee, inner, body, results))
    return special;
  special.takesPlaces = emitter.placesTaken() != placesBefore;
  for (const Value &result : results) {
    body.function.results.push_back(result.get<Tensor>()->id);
    special.results.push_back(typeOf(result));
  }
  special.failed = false;
  statements.unread.note(body);
  special.weights = body.function.weights;
  body.function.range = callee.range;
  special.function = functions.intern(std::move(body.function), callee.name.text);
  return special;
}
