// Scopes and functions under construction.
#ifndef STRETTO_FRONTEND_SEMA_BUILDER_H
#define STRETTO_FRONTEND_SEMA_BUILDER_H

#include "frontend/Sema/Value.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace stretto {

/// A variable.
struct Binding {
  std::string name;
  Value value;
};

/// A function being built. The body of a `repeat` has a parent: variables of the parent that it reads
/// become arguments.
class FunctionBuilder {
public:
  explicit FunctionBuilder(FunctionBuilder *parent = nullptr) : parent(parent) {}

  Function function;
  FunctionBuilder *const parent;
  /// Variables of enclosing functions read here, with the argument that holds each.
  llvm::MapVector<Binding *, ValueId> captures;
  /// What iterations of a repeat that were written out hand on, whether or not another one reads it.
  std::vector<ValueId> handedOn;

  const Type &typeOf(ValueId id) const { return function.values[id].type; }
  /// The value of a tensor variable in this function, or nothing if it is out of reach (a block reads no
  /// variable of its caller).
  std::optional<ValueId> import(Binding &binding);
  /// A name for weights that is not taken in this function: `base`, `base_1`, ...
  std::string uniqueName(llvm::StringRef base);
  ValueId addWeight(Weight weight);
  /// Copies the operations of a function in. `arguments` and `weights` are the values for its formal
  /// parameters; returns the values of its results.
  std::vector<ValueId> inlineFunction(const Function &callee, llvm::ArrayRef<ValueId> arguments,
                                      llvm::ArrayRef<ValueId> weights);

private:
  llvm::StringMap<unsigned> usedNames;
};

/// A level of names. Assignments go to the innermost scope of the function or repeat body.
struct Scope {
  enum class Kind : uint8_t { File, Frame, Repeat, Def } kind;
  Scope *parent;
  llvm::MapVector<llvm::StringRef, std::unique_ptr<Binding>> bindings; // keys point into Binding::name
  llvm::StringMap<const Declaration *> declarations;

  Scope(Kind kind, Scope *parent) : kind(kind), parent(parent) {}
  Binding *find(llvm::StringRef name);
  Binding &bind(llvm::StringRef name, Value value);
};

} // namespace stretto

#endif
