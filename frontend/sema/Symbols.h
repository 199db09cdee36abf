// What the names of a file stand for, as its text alone tells.
#pragma once

#include "frontend/parse/AST.h"

#include "llvm/ADT/StringSet.h"

namespace stretto::frontend {

/// Adds every name in a set or enum of the file: nothing else can be a symbol.
void collectSymbols(const SourceTree &tree, llvm::StringSet<> &symbols);

/// The names that a body reads, in whatever way it runs; with those of what is declared in it.
llvm::StringSet<> namesRead(const Body &body);

} // namespace stretto::frontend
