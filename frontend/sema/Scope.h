// Variables and the levels on which they are known.
#ifndef STRETTO_FRONTEND_SEMA_SCOPE_H
#define STRETTO_FRONTEND_SEMA_SCOPE_H

#include "frontend/sema/Value.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace stretto::frontend {

/// A variable.
struct Binding {
  std::string name;
  Value value;
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

} // namespace stretto::frontend

#endif
