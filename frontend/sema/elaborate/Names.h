// Which names are in sight.
#pragma once

#include "frontend/sema/Loader.h"
#include "frontend/sema/Reporter.h"
#include "frontend/sema/Scope.h"

#include "llvm/Support/SaveAndRestore.h"

namespace stretto::frontend {

class Names {
public:
  Names(const LoadedProgram &loaded, Reporter &reporter);

  // --- scopes

  Scope &scope() { return *current; }
  /// Until the result dies, names are looked up in this scope first.
  [[nodiscard]] llvm::SaveAndRestore<Scope *> enter(Scope &scope) { return {current, &scope}; }
  /// The same, for the scope of the model itself.
  [[nodiscard]] llvm::SaveAndRestore<Scope *> enterModel(Scope &scope);
  bool isInModelItself() const { return current == model; }
  Scope *fileScope(const LoadedFile &file);

  // --- variables

  Binding *lookup(llvm::StringRef name) const;
  /// Whether a variable of this function exists already, so that assigning it changes it.
  bool isAssigned(llvm::StringRef name) const;
  void assign(llvm::StringRef name, Value value);
  /// A variable of a repeat, which has no value behind it: its index, or one that is assigned in it.
  struct RepeatVariable {
    const Identifier *name = nullptr; // where it gets its name; null: there is none
    bool isIndex = false;
  };
  /// The first variable of this name of a repeat in the bodies around this place.
  RepeatVariable findInRepeats(llvm::StringRef name) const;
  /// Changes with every number that is assigned to a variable of the model: blocks see it.
  unsigned numbersVersion() const { return version; }
  /// Whether the files have a symbol of this name.
  bool isSymbol(llvm::StringRef name) const { return loaded.symbols.contains(name); }

  // --- blocks and defs

  void declare(Scope &scope, const Declaration &declaration);
  /// Whether a block or def was declared directly in the model.
  bool isDeclaredInModel(llvm::StringRef name) const { return model->declarations.contains(name); }
  /// A block or def, and the scope in which its body looks up names; nulls if there is none.
  std::pair<const Declaration *, Scope *> lookupDeclaration(llvm::StringRef name);

  // --- what a misspelt name may have meant

  std::vector<llvm::StringRef> visibleNames() const;
  std::vector<llvm::StringRef> visibleCallees() const;

private:
  /// The scope of this function that has the variable, or null.
  Scope *homeOf(llvm::StringRef name) const;
  void checkFileNames();
  void declareOnce(Scope &scope, const Declaration &declaration);

  const LoadedProgram &loaded;
  Reporter &reporter;
  Scope *current = nullptr, *model = nullptr;
  unsigned version = 0;
  llvm::StringMap<std::unique_ptr<Scope>> fileScopes;
};

} // namespace stretto::frontend
