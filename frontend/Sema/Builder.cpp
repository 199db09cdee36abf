// Scopes and functions under construction.
#include "frontend/Sema/Builder.h"

#include "llvm/ADT/Twine.h"

using namespace stretto;

std::optional<ValueId> FunctionBuilder::import(Binding &binding) {
  const Tensor *tensor = binding.value.get<Tensor>();
  if (tensor->owner == this)
    return tensor->id;
  auto known = captures.find(&binding);
  if (known != captures.end())
    return known->second;
  if (!parent)
    return std::nullopt;
  std::optional<ValueId> outer = parent->import(binding);
  if (!outer)
    return std::nullopt;
  const ValueInfo &info = parent->function.values[*outer];
  ValueId local = function.addValue(info.type, info.range, binding.name);
  function.arguments.push_back(local);
  captures[&binding] = local;
  return local;
}

std::string FunctionBuilder::uniqueName(llvm::StringRef base) {
  std::string name = base.str();
  while (!usedNames.try_emplace(name, 0).second)
    name = (base + "_" + llvm::Twine(++usedNames[base])).str();
  return name;
}

ValueId FunctionBuilder::addWeight(Weight weight) {
  weight.value = function.addValue(weight.type, weight.range);
  function.weights.push_back(std::move(weight));
  return function.weights.back().value;
}

std::vector<ValueId> FunctionBuilder::inlineFunction(const Function &callee, llvm::ArrayRef<ValueId> arguments,
                                                     llvm::ArrayRef<ValueId> weights) {
  std::vector<ValueId> map(callee.values.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    map[callee.arguments[i]] = arguments[i];
  for (size_t i = 0; i < weights.size(); ++i)
    map[callee.weights[i].value] = weights[i];
  for (const Op &op : callee.ops) {
    Op copy = op;
    for (ValueId &operand : copy.operands)
      operand = map[operand];
    for (ValueId &result : copy.results) {
      const ValueInfo &info = callee.values[result];
      map[result] = function.addValue(info.type, info.range, info.name);
      result = map[result];
    }
    function.ops.push_back(std::move(copy));
  }
  std::vector<ValueId> results;
  for (ValueId result : callee.results)
    results.push_back(map[result]);
  return results;
}

Binding *Scope::find(llvm::StringRef name) {
  auto found = bindings.find(name);
  return found == bindings.end() ? nullptr : found->second.get();
}

Binding &Scope::bind(llvm::StringRef name, Value value) {
  if (Binding *binding = find(name)) {
    binding->value = std::move(value);
    return *binding;
  }
  auto binding = std::make_unique<Binding>(Binding{name.str(), std::move(value)});
  Binding &result = *binding;
  bindings.insert({llvm::StringRef(result.name), std::move(binding)});
  return result;
}
