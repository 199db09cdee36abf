// Functions under construction.
#pragma once

#include "frontend/sema/Scope.h"

#include <map>

namespace stretto::frontend {

/// A function being built. The body of a `repeat` has a parent: variables of the parent that it reads
/// become arguments.
class FunctionBuilder {
public:
  explicit FunctionBuilder(FunctionBuilder *parent = nullptr) : parent(parent) {}

  Function function;
  FunctionBuilder *const parent;
  /// Variables of enclosing functions read here, with the argument that holds each.
  llvm::MapVector<Binding *, ValueId> captures;
  /// Whether it is that of the model, whose weights are parameters.
  bool isModel = false;
  /// Weights that all calls of a block share, by that block and their names in it.
  std::map<std::pair<const Declaration *, std::string>, std::unique_ptr<Binding>> shared;

  /// The value of a tensor variable in this function, or nothing if it is out of reach (a block reads no
  /// variable of its caller).
  std::optional<ValueId> import(Binding &binding);
  /// The function that this one is a part of, as the body of a repeat; itself if it is none.
  FunctionBuilder &whole() { return parent ? parent->whole() : *this; }
  /// A name for weights that is not taken in this function: `base`, `base_1`, ...
  std::string uniqueName(llvm::StringRef base);
  ValueId addWeight(Weight weight);
  /// Copies the operations of a function in. `arguments`, `weights` and `numbers` are the values for its formal
  /// parameters; returns the values of its results.
  std::vector<ValueId> inlineFunction(const Function &callee, llvm::ArrayRef<ValueId> arguments,
                                      llvm::ArrayRef<ValueId> weights, llvm::ArrayRef<ValueId> numbers = {});
  /// Visits results that have a name, and says whether anything reads them. A name that begins with '_' asks for no
  /// reader and is left out.
  void eachNamed(llvm::function_ref<void(const ValueInfo &, bool isRead)> visit) const;

private:
  llvm::StringMap<unsigned> usedNames;
};

/// What is known of a tensor in the function that makes it.
ValueInfo &infoOf(const Tensor &tensor);
/// The type of a value that is a tensor.
const Type &typeOf(const Value &value);

} // namespace stretto::frontend
