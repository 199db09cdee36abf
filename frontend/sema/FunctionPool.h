// The functions of a program, each once.
#pragma once

#include "frontend/sema/Program.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace stretto::frontend {

class FunctionPool {
public:
  explicit FunctionPool(std::vector<Function> &functions) : functions(functions) {}

  /// The number of the function that computes the same, or of this one, which gets a name of its own.
  unsigned intern(Function function, llvm::StringRef name);
  const Function &operator[](unsigned index) const { return functions[index]; }

private:
  std::vector<Function> &functions;
  std::map<std::string, unsigned> byStructure;
  llvm::StringMap<unsigned> names;
};

} // namespace stretto::frontend
