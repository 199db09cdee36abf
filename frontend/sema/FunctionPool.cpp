// The functions of a program, each once.
#include "frontend/sema/FunctionPool.h"

#include "llvm/ADT/BitVector.h"

using namespace stretto::frontend;

unsigned FunctionPool::intern(Function function, llvm::StringRef name) {
  auto [entry, isNew] = byStructure.try_emplace(structure(function), functions.size());
  if (!isNew)
    return entry->second;
  function.name = name.str();
  functions.push_back(std::move(function));
  return entry->second;
}

/// Which functions the last one reaches. Callees stand before their callers.
static llvm::BitVector findReached(llvm::ArrayRef<Function> functions) {
  llvm::BitVector reached(functions.size());
  reached.set(functions.size() - 1);
  for (size_t i = functions.size(); i-- > 0;)
    if (reached.test(i))
      for (const Op &op : functions[i].ops)
        if (op.callee)
          reached.set(*op.callee);
  return reached;
}

void FunctionPool::finish() {
  const llvm::BitVector reached = findReached(functions);
  std::vector<Function> kept;
  std::vector<unsigned> numbers(functions.size());
  llvm::StringMap<unsigned> names;
  names.try_emplace("main", 0);
  for (unsigned index : reached.set_bits()) {
    numbers[index] = kept.size();
    Function &function = kept.emplace_back(std::move(functions[index]));
    for (Op &op : function.ops)
      if (op.callee)
        op.callee = numbers[*op.callee];
    if (index + 1 == functions.size())
      break;
    const std::string name = function.name;
    while (!names.try_emplace(function.name, 0).second)
      function.name = name + "_" + std::to_string(++names[name]);
  }
  functions = std::move(kept);
}
