// Variables and the levels on which they are known.
#pragma once

#include "frontend/sema/Value.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace stretto::frontend {

/// A variable.
struct Binding {
  std::string name;
  Value value;
};

/// A level of names. Assignments go to the scope of the function that has the variable, or else to the innermost one.
struct Scope {
  enum class Kind : uint8_t { File, Frame, Repeat, Def } kind;
  Scope *parent;
  const Body *body;                                                    // of a frame: what its function runs
  llvm::MapVector<llvm::StringRef, std::unique_ptr<Binding>> bindings; // keys point into Binding::name
  llvm::StringMap<const Declaration *> declarations;
  /// Of a repeat: the variables of enclosing scopes that it has changed, with their values before.
  llvm::MapVector<Binding *, Value> changed;

  Scope(Kind kind, Scope *parent, const Body *body = nullptr) : kind(kind), parent(parent), body(body) {}
  Binding *find(llvm::StringRef name);
  Binding &bind(llvm::StringRef name, Value value);
};

} // namespace stretto::frontend
