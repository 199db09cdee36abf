// The functions of a program, each once.
#include "frontend/sema/FunctionPool.h"

#include "llvm/ADT/Twine.h"

using namespace stretto::frontend;

unsigned FunctionPool::intern(Function function, llvm::StringRef name) {
  auto [entry, isNew] = byStructure.try_emplace(structure(function), functions.size());
  if (!isNew)
    return entry->second;
  std::string unique = name.str();
  while (unique == "main" || !names.try_emplace(unique, 0).second)
    unique = (name + "_" + llvm::Twine(++names[name])).str();
  function.name = unique;
  functions.push_back(std::move(function));
  return entry->second;
}
