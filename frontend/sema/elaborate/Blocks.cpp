// Functions of blocks: one for the values and shapes of the arguments.
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
  std::string key = keyOf(callee, inner);
  FunctionBuilder body;
  llvm::SmallVector<ValueId> operands = passTensors(inner, body, site);
  if (!reporter.enterCall(callee, site))
    return {Value()};
  const Specialization &special = specialize(std::move(key), callee, inner, body);
  reporter.leaveCall();
  if (special.failed || !emitter.grow(functions[special.function].operations, site))
    return {Value()};
  FunctionBuilder &caller = emitter.function();
  std::string prefix = special.weights.empty() ? "" : caller.uniqueName(callee.name.text) + ".";
  for (Weight weight : special.weights) {
    weight.name = prefix + weight.name;
    operands.push_back(caller.addWeight(std::move(weight)));
  }
  return emitter.emitCall(special.function, operands, special.results, site);
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
  if (!isNew || !runBody(callee, inner, body, results))
    return special;
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
