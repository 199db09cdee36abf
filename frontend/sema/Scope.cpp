// Variables and the levels on which they are known.
#include "frontend/sema/Scope.h"

using namespace stretto::frontend;

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
