// The functions of a program, each once.
#pragma once

#include "frontend/sema/Program.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace stretto::frontend {

class FunctionPool {
public:
  explicit FunctionPool(std::vector<Function> &functions) : functions(functions) {}

  /// The number of the function that computes the same, or of this one. Until the end functions may share a name.
  unsigned intern(Function function, llvm::StringRef name);
  /// The next reference to a function may be another one after `intern`.
  const Function &operator[](unsigned index) const { return functions[index]; }
  /// Leaves out what the last function, that of the model, does not reach, and gives all others names of their own.
  void finish();

private:
  std::vector<Function> &functions;
  std::map<std::string, unsigned> byStructure;
};

} // namespace stretto::frontend
