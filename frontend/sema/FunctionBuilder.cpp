// Functions under construction.
#include "frontend/sema/FunctionBuilder.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/Twine.h"

using namespace stretto;
using namespace stretto::frontend;

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
                                                     llvm::ArrayRef<ValueId> weights, llvm::ArrayRef<ValueId> numbers) {
  std::vector<ValueId> map(callee.values.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    map[callee.arguments[i]] = arguments[i];
  for (size_t i = 0; i < weights.size(); ++i)
    map[callee.weights[i].value] = weights[i];
  for (size_t i = 0; i < numbers.size(); ++i)
    map[callee.numbers[i]] = numbers[i];
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
  for (ValueId value : callee.handedOn)
    function.handedOn.push_back(map[value]);
  std::vector<ValueId> results;
  for (ValueId result : callee.results)
    results.push_back(map[result]);
  return results;
}

void FunctionBuilder::eachNamed(llvm::function_ref<void(const ValueInfo &, bool)> visit) const {
  llvm::BitVector isRead(function.values.size());
  for (const Op &op : function.ops)
    for (ValueId operand : op.operands)
      isRead.set(operand);
  for (const std::vector<ValueId> &kept : {function.results, function.handedOn})
    for (ValueId value : kept)
      isRead.set(value);
  auto look = [&](ValueId value) {
    const ValueInfo &info = function.values[value];
    if (!info.name.empty() && !llvm::StringRef(info.name).starts_with("_"))
      visit(info, isRead.test(value));
  };
  for (const Op &op : function.ops)
    if (op.name != "scan")
      llvm::for_each(op.results, look);
}

ValueInfo &frontend::infoOf(const Tensor &tensor) { return tensor.owner->function.values[tensor.id]; }

const Type &frontend::typeOf(const Value &value) { return infoOf(*value.get<Tensor>()).type; }
