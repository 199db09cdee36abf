// Layers that differ by numbers alone: one function for all of them, and the numbers that each is given.
#pragma once

#include "frontend/sema/FunctionPool.h"

namespace stretto::frontend {

class LayerNumbers {
public:
  /// A function, and what each layer hands it as its `numbers`.
  struct Common {
    Function function;
    std::vector<std::vector<double>> numbers; // of each of `function.numbers`, one for each layer
  };

  explicit LayerNumbers(FunctionPool &functions) : functions(functions) {}

  /// A text that is equal for functions that compute the same, the numbers of their constants and how weights begin
  /// aside.
  std::string formOf(const Function &function);
  /// Of layers of one form: constants whose numbers differ become `numbers` of the function, those that are the same in
  /// each layer one of them. So do constants of the blocks that it calls.
  Common makeCommon(llvm::ArrayRef<const Function *> layers);

private:
  unsigned formOfCallee(unsigned index);

  FunctionPool &functions;
  std::map<unsigned, unsigned> formOfFunction; // by number in the pool
  std::map<std::string, unsigned> forms;
};

} // namespace stretto::frontend
